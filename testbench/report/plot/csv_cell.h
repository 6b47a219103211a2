#pragma once
/// Cells of CSV files that programs for spreadsheets and terminals can open without harm.

#include <string>

namespace tributary {

/// Returns the text of a cell. Control characters and bytes that are not UTF-8 become escapes, a text that a spreadsheet
/// would read as a formula gets an apostrophe in front, and commas and quotation marks are quoted (RFC 4180).
std::string csv_cell(const std::string& text);

/// Removes the apostrophe that csv_cell() puts before a formula.
std::string without_guard(const std::string& cell);

}  // namespace tributary
