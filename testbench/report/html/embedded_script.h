#pragma once
/// Embedded scripts: uPlot 1.6.32 (https://github.com/leeoniya/uPlot, MIT) from testbench/report/html/uplot, whose hash
/// the build checks, and our own.

namespace tributary::html {

extern const char* const uplot_script;
extern const char* const uplot_style;
extern const char* const sweep_script;           ///< our own: selection of columns
extern const char* const curves_script;          ///< our own: curves over the time of a run
extern const char* const explore_values_script;  ///< our own: values and scales of an exploration
extern const char* const explore_script;         ///< our own: linked drawings and table of an exploration
extern const char* const explore_style;

}  // namespace tributary::html
