#pragma once
/// Cells of the tables that users write: separated by commas, tabs or semicolons, with any kind of blanks around them.

#include <string>
#include <vector>

namespace tributary::workload {

/// Returns the separator of a table with this header: a comma if it has one, else a tab, else a semicolon.
char separator_of(const std::string& header);

/// Returns the cells of a line without surrounding blanks (no-break spaces and a byte-order mark, too) and without empty
/// cells at the end; none for a blank line.
std::vector<std::string> table_cells(const std::string& line, char separator);

}  // namespace tributary::workload
