#pragma once
/// The finding of a search for the bottleneck as text, JSON, drawing and section of a page (docs/measured_bottleneck.md).

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "testbench/measure/finding.h"
#include "testbench/report/plot/tornado.h"

namespace tributary {

/// Circumstances of a search.
struct MeasuredContext {
  std::string ended;               ///< reason why reruns are missing: `the budget of 60s ended`; empty: none is missing
  std::vector<std::string> named;  ///< parameters that the run itself names as its bottleneck
};

/// Returns lines that begin with `# `.
std::string measured_text(const measure::Finding& finding, const MeasuredContext& context);
/// Returns the object `bottleneck.measured` of a result file. Times are in ns.
nlohmann::ordered_json measured_json(const measure::Finding& finding, const MeasuredContext& context);
/// Draws the joint bottleneck and the parameters with an effect, the largest gain first.
plot::TornadoDrawing measured_drawing(const measure::Finding& finding);
/// Returns the drawing and the lines of text as HTML.
std::string measured_section(const measure::Finding& finding, const MeasuredContext& context);

/// Returns `nvswitch.link.rate x2 with nvswitch.gpu.dma.waves x2`: the moves of the verdict, or a phrase without one.
std::string bottleneck_phrase(const measure::Finding& finding);

/// A parameter with an effect, as a row of the table.
struct MeasuredRow {
  const measure::Step* step = nullptr;  ///< the move that is shown
  std::vector<std::size_t> equals;      ///< further parameters whose best moves need equal times: the same resource
  bool worse = false;                   ///< the move that should help costs time
};
/// Returns the rows: parameters that may be a bottleneck by falling gain, then shapes, faults and structures that gain.
std::vector<MeasuredRow> measured_rows(const measure::Finding& finding);

}  // namespace tributary
