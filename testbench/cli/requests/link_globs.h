#pragma once
/// Names of links in `--trace` and `--capture`.

#include <string>
#include <vector>

#include "platforms/topology/graph.h"

namespace tributary {

/// Returns the globs of probes that `text` selects. `gpu0.port0`, the sending port of a link of `graph`, and
/// `gpu0.port0>switch0_0.port0`, its name in results, select the link's probes; a name with `>` may have `*` and `?`. Every
/// other text is a glob of probes already. Throws std::invalid_argument (one line) if a name with `>` matches no link.
std::vector<std::string> probe_globs(const std::string& text, const topology::Graph& graph);

}  // namespace tributary
