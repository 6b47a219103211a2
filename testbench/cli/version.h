#pragma once

namespace tributary {

/// Returns the abbreviated hash of the commit that the build was configured from, or `unknown` outside a Git repository. The
/// build writes its source, so that a new commit recompiles one file.
const char* build_commit();

}  // namespace tributary
