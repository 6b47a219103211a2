#pragma once
/// Layers of a neural network from the CSV tables of SCALE-Sim (topologies/*.csv): one all-reduce of gradients per layer.

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "testbench/workload/convolution_shape.h"

namespace tributary::workload {

struct Layer {
  std::string name;
  std::uint64_t weights = 0;  ///< filter height x filter width x channels x filters: elements, not bytes
  ConvolutionShape shape;     ///< shape of the row; no padding, as published
};

/// True if the first line of a text has titles of such a table.
bool begins_layer_table(const std::string& begin);

/// Reads the layers of a table, in forward order. The first row is a header: of convolutions (Layer name, IFMAP Height,
/// IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides), or of matrix products (Layer, M, N, K: an M x K
/// matrix times K x N weights). Columns are found by their titles. Published variants of the titles, `Batch Size`, other
/// columns, blank lines, section titles (one cell), tabs or semicolons for commas, and blanks of all kinds are accepted.
/// Throws InputError `file:line: what; what is legal`.
std::vector<Layer> read_layer_table(const std::string& path);
/// Reads an open file or a text; `where` is its name in errors. `warnings`, if given, receives a line about cells that are
/// ignored.
std::vector<Layer> read_layer_table(std::istream& input, const std::string& where,
                                    std::vector<std::string>* warnings = nullptr);

}  // namespace tributary::workload
