#include "testbench/workload/training/compute/time_table.h"

#include <sstream>

#include "modules/base/field_type.h"
#include "modules/base/host/wide.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/table_cells.h"
#include "testbench/workload/training/models/yaml_values.h"

namespace tributary::training {
namespace {

constexpr Tick picoseconds_per_ms = 1'000'000'000;
const char* const columns = "Layer name, Forward, Input gradient, Weight gradient[, Update]";

class Reader {
 public:
  Reader(const std::string& text, const std::string& where) : input_(text), where_(where) {}

  std::vector<TimeRow> read() {
    std::vector<TimeRow> rows;
    bool header_seen = false;
    for (std::string text; std::getline(input_, text);) {
      ++line_;
      if (!header_seen) separator_ = workload::separator_of(text);
      const auto row = workload::table_cells(text, separator_);
      if (row.empty()) continue;
      if (header_seen)
        rows.push_back(times(row));
      else
        check_header(row);
      header_seen = true;
    }
    if (rows.empty()) throw InputError(where_ + ": no layers; a row has the columns: " + columns);
    return rows;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(where_ + ":" + std::to_string(line_) + ": " + what);
  }

  void check_header(const std::vector<std::string>& row) {
    const bool right = (row.size() == 4 || (row.size() == 5 && row[4] == "Update")) && row[0] == "Layer name" &&
                       row[1] == "Forward" && row[2] == "Input gradient" && row[3] == "Weight gradient";
    if (!right) fail(std::string("no header; the first row must be: ") + columns);
    width_ = row.size();
  }

  TimeRow times(const std::vector<std::string>& row) const {
    if (row.size() != width_)
      fail(std::to_string(row.size()) + " cells; a layer needs " + std::to_string(width_) + ", as the header");
    TimeRow r{row[0], {milliseconds(row[1]), milliseconds(row[2]), milliseconds(row[3]), 0}};
    if (width_ == 5) r.times.update = milliseconds(row[4]);
    return r;
  }

  Tick milliseconds(const std::string& text) const {
    const std::string legal = " (legal: milliseconds, to the picosecond, up to 1000 s)";
    try {
      const Tick time = parse_time(text + "ms").value;
      if (time <= longest_pass) return time;
    } catch (const UnitError&) {  // reported below
    }
    fail("'" + one_line(text) + "' is not a time" + legal);
  }

  std::istringstream input_;
  const std::string& where_;
  std::size_t line_ = 0;
  std::size_t width_ = 0;
  char separator_ = ',';
};

}  // namespace

std::vector<PassTimes> spread_time(const Model& model, Tick iteration) {
  // Each pass lasts from one mark to the next, in thirds of all multiplications; rounding the marks preserves the sum.
  const Wide whole = Wide{3} * model.multiplications();
  if (whole == 0)
    throw InputError("model " + model.name + ": compute.time is spread by multiplications, but the model has none");
  Wide thirds = 0;
  const auto next = [&](const ModelLayer& layer) {
    const auto mark = [&] { return static_cast<Tick>(iteration * thirds / whole); };
    const Tick before = mark();
    thirds += layer.multiplications;
    return mark() - before;
  };
  std::vector<PassTimes> times;
  for (const ModelLayer& layer : model.layers) times.push_back({next(layer), next(layer), next(layer), 0});
  return times;
}

std::vector<TimeRow> parse_time_table(const std::string& text, const std::string& where) {
  return Reader(text, where).read();
}

std::vector<PassTimes> read_time_table(const std::string& path, const Model& model) {
  const auto rows = parse_time_table(read_text(path), path);
  if (rows.size() != model.layers.size())
    throw InputError(path + ": " + std::to_string(rows.size()) + " layers; model " + model.name + " has " +
                     std::to_string(model.layers.size()));
  std::vector<PassTimes> times;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name != model.layers[i].name)
      throw InputError(path + ": layer " + std::to_string(i + 1) + " is '" + one_line(rows[i].name) + "'; model " +
                       model.name + " has '" + one_line(model.layers[i].name) + "' there");
    times.push_back(rows[i].times);
  }
  return times;
}

}  // namespace tributary::training
