#pragma once
/// Two runs on one HTML page: their settings, results, counters and links.

#include <string>

#include "testbench/report/html/compared_run.h"

namespace tributary::html {

/// Returns the page. Messages with equal names are compared; counters and links are those of the last of them.
std::string compare_page(const ComparedRun& a, const ComparedRun& b);

}  // namespace tributary::html
