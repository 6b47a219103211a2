#pragma once
/// uPlot 1.6.32 (https://github.com/leeoniya/uPlot, MIT), as it is in testbench/report/html/uplot: the build checks its hash.

namespace tributary::html {

extern const char* const uplot_script;
extern const char* const uplot_style;
extern const char* const sweep_script;   ///< ours: the choice of columns
extern const char* const curves_script;  ///< ours: curves over the time of a run

}  // namespace tributary::html
