#pragma once
/// Files of a trace: one for each rank, or one for all.

#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace tributary::training {

/// Returns the files of a trace: the file of that name; the files with 0, 1, ... in place of `%d`; PREFIX.0.et, PREFIX.1.et,
/// ..., PREFIX.0.json, ..., or PREFIX.0.json.gz, ...; or the files .json and .json.gz of a folder, by name. Throws
/// InputError if a file between them is missing, or the folder has none.
std::vector<std::string> trace_files(const std::string& path);

/// Opens a file, which may be compressed by gzip. Throws InputError if it cannot be read.
std::unique_ptr<std::istream> open_trace(const std::string& path);

}  // namespace tributary::training
