#include "testbench/workload/layer_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "modules/base/input_file.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/table_cells.h"

namespace tributary::workload {
namespace {

using Row = std::vector<std::string>;

constexpr std::array<const char*, 8> columns{"Layer name",   "IFMAP Height", "IFMAP Width", "Filter Height",
                                             "Filter Width", "Channels",     "Num Filter",  "Strides"};
constexpr std::size_t first_factor = 3, last_factor = 6;  // columns whose product is the number of weights
constexpr std::array<const char*, 4> product_columns{"Layer", "M", "N", "K"};

/// Titles of the columns in published tables, in lower case without blanks. The first column is the name.
const std::array<std::vector<std::string>, columns.size()>& published_titles() {
  static const std::array<std::vector<std::string>, columns.size()> all{
      {{},
       {"ifmapheight", "ifmaph", "inputheight"},
       {"ifmapwidth", "ifmapw", "inputwidth"},
       {"filterheight", "filterh", "kernelheight"},
       {"filterwidth", "filterw", "kernelwidth"},
       {"channels", "channel", "numchannels", "numchannel"},
       {"numfilter", "numfilters", "filters", "numberoffilters"},
       {"strides", "stride"}}};
  return all;
}

template <class Columns>
std::string column_list(const Columns& names) {
  std::string list;
  for (const char* c : names) list += (list.empty() ? "" : ", ") + std::string(c);
  return list;
}

/// Returns the letters and digits in lower case.
std::string plain_title(const std::string& text) {
  std::string plain;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

/// Places of M, N and K in the header of a table of matrix products.
using ProductPlaces = std::array<std::size_t, 3>;
/// Places of the columns in the header of a table of convolutions.
using ColumnPlaces = std::array<std::size_t, columns.size()>;
constexpr std::size_t nowhere = ~std::size_t{0};

std::size_t place_of(const Row& header, const std::vector<std::string>& titles, std::size_t expected) {
  const auto is = [&](const std::string& cell) {
    return std::find(titles.begin(), titles.end(), plain_title(cell)) != titles.end();
  };
  if (expected < header.size() && is(header[expected])) return expected;
  const auto at = header.empty() ? header.end() : std::find_if(header.begin() + 1, header.end(), is);
  return at == header.end() ? nowhere : static_cast<std::size_t>(at - header.begin());
}

/// Returns the places of M, N and K in a header; none if it has not all.
std::optional<ProductPlaces> product_places(const Row& row) {
  ProductPlaces places{};
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::string wanted = plain_title(product_columns[k + 1]);
    const auto at = std::find_if(row.begin(), row.end(), [&](const std::string& t) { return plain_title(t) == wanted; });
    if (at == row.begin() || at == row.end()) return std::nullopt;  // the first column is the name
    places[k] = static_cast<std::size_t>(at - row.begin());
  }
  return places;
}

class Reader {
 public:
  Reader(std::istream& file, const std::string& path) : path_(path), file_(file) {}

  std::vector<Layer> read() {
    std::vector<Layer> layers;
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      if (header_.empty()) separator_ = separator_of(line);
      const Row row = table_cells(line, separator_);
      if (row.empty()) continue;
      if (header_.empty())
        take_header(row);
      else if (row.size() > 1)  // a single cell is a section title
        layers.push_back(layer(row));
    }
    if (file_.bad()) throw InputError(path_ + ": cannot be read: " + std::strerror(errno));
    if (layers.empty()) throw InputError(path_ + ": no layers; a row has the columns: " + legal_columns());
    return layers;
  }

  /// Returns a line about cells that were ignored; empty if there are none.
  std::string warning() const {
    std::string names;
    bool untitled = false;
    for (std::size_t c = 0; c < ignored_.size(); ++c) {
      if (!ignored_[c]) continue;
      const bool titled = c < header_.size() && !header_[c].empty();
      untitled = untitled || !titled;
      if (titled) names += (names.empty() ? "'" : ", '") + one_line(header_[c]) + "'";
    }
    if (names.empty() && !untitled) return "";
    return path_ + ": ignored: " + (names.empty() ? "" : "columns " + names) + (!names.empty() && untitled ? ", and " : "") +
           (untitled ? "cells without a title" : "");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  static std::string legal_columns() { return column_list(columns) + "; or " + column_list(product_columns); }

  void take_header(const Row& row) {
    header_ = row;
    products_ = product_places(row);
    if (!products_) places_ = column_places(row);
    const std::size_t images = place_of(row, {"batchsize", "batch"}, columns.size());
    if (images != nowhere) images_ = images;
  }

  /// Finds the columns by their titles. Published tables name those that count no weights freely: such a column is at its
  /// place in the usual order.
  ColumnPlaces column_places(const Row& row) const {
    ColumnPlaces places{};
    for (std::size_t c = 1; c < columns.size(); ++c) places[c] = place_of(row, published_titles()[c], c);
    for (std::size_t c = 1; c < columns.size(); ++c) {
      if (places[c] != nowhere) continue;
      if (c >= first_factor && c <= last_factor)
        fail("no header with '" + std::string(columns[c]) + "'; the first row must be: " + legal_columns());
      if (std::find(places.begin(), places.end(), c) != places.end())
        fail("no header with '" + std::string(columns[c]) + "', and column " + std::to_string(c + 1) + " is '" +
             one_line(row[c]) + "'; the first row must be: " + legal_columns());
      places[c] = c;
    }
    return places;
  }

  Layer layer(const Row& row) {
    const std::size_t needed = 1 + (products_ ? *std::max_element(products_->begin(), products_->end())
                                              : *std::max_element(places_.begin(), places_.end()));
    if (row.size() < needed)
      fail(std::to_string(row.size()) + " cells; a layer needs " + std::to_string(needed) + ": " +
           (products_ ? column_list(product_columns) : column_list(columns)));
    if (row[0].empty()) fail("the first cell, the layer's name, is empty");
    Layer layer{row[0], 1, {}};
    if (products_)
      take_product(row, layer);
    else
      take_convolution(row, layer);
    if (images_ && *images_ < row.size()) layer.shape.images = number(row[*images_], "Batch Size");
    return layer;
  }

  void take_convolution(const Row& row, Layer& layer) {
    ConvolutionShape& s = layer.shape;
    const std::array<std::uint64_t*, columns.size()> fields{
        nullptr, &s.input_height, &s.input_width, &s.filter_height, &s.filter_width, &s.channels, &s.filters, &s.stride};
    for (std::size_t c = 1; c < columns.size(); ++c) *fields[c] = number(row[places_[c]], columns[c]);
    for (std::size_t c = first_factor; c <= last_factor; ++c) count(*fields[c], layer);
    ignore(row, places_);
  }

  /// M rows of K inputs times K x N weights: a 1 x 1 convolution of M pixels.
  void take_product(const Row& row, Layer& layer) {
    ConvolutionShape& s = layer.shape;
    const std::array<std::uint64_t*, 3> fields{&s.input_height, &s.filters, &s.channels};
    for (std::size_t k = 0; k < fields.size(); ++k) *fields[k] = number(row[(*products_)[k]], product_columns[k + 1]);
    count(s.filters, layer);
    count(s.channels, layer);
    ignore(row, *products_);
  }

  void count(std::uint64_t factor, Layer& layer) const {
    if (__builtin_mul_overflow(layer.weights, factor, &layer.weights)) fail("more than 2^64 weights in one layer");
  }

  template <class Places>
  void ignore(const Row& row, const Places& used) {
    if (ignored_.size() < row.size()) ignored_.resize(row.size());
    for (std::size_t c = 1; c < row.size(); ++c)
      if (!row[c].empty() && c != images_ && std::find(used.begin(), used.end(), c) == used.end()) ignored_[c] = true;
  }

  std::uint64_t number(const std::string& text, const char* column) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value == 0)
      fail(std::string(column) + " is '" + text + "'; legal: a whole number from 1");
    return value;
  }

  std::string path_;
  std::istream& file_;
  std::size_t line_ = 0;
  char separator_ = ',';
  Row header_;
  std::optional<ProductPlaces> products_;
  ColumnPlaces places_{};              ///< without products
  std::optional<std::size_t> images_;  ///< place of `Batch Size`
  std::vector<bool> ignored_;          ///< by column: it has cells that are not used
};

}  // namespace

bool begins_layer_table(const std::string& begin) {
  const std::string line = begin.substr(0, begin.find('\n'));
  const Row row = table_cells(line, separator_of(line));
  const auto& titles = published_titles();
  return product_places(row) ||
         (place_of(row, titles[first_factor], nowhere) != nowhere && place_of(row, titles[last_factor], nowhere) != nowhere);
}

std::vector<Layer> read_layer_table(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw InputError(path + ": is a directory; legal: a layer table (CSV)");
  std::ifstream file(path);
  if (const std::string why = refusal_of_file(file, path); !why.empty()) throw InputError(path + ": " + why);
  return read_layer_table(file, path);
}

std::vector<Layer> read_layer_table(std::istream& input, const std::string& where, std::vector<std::string>* warnings) {
  Reader reader(input, where);
  std::vector<Layer> layers = reader.read();
  if (const std::string warning = reader.warning(); warnings != nullptr && !warning.empty()) warnings->push_back(warning);
  return layers;
}

}  // namespace tributary::workload
