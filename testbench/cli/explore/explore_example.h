#pragma once
/// explore_example: a file of `tributary explore` with every key, as a start.

namespace tributary {

/// Returns the text of a file that runs as it is. Comments explain its keys.
const char* explore_example();

}  // namespace tributary
