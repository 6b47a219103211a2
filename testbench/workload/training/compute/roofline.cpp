#include "testbench/workload/training/compute/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/times.h"

namespace tributary::training {
namespace {

constexpr double picoseconds_per_second = 1e12;
constexpr std::array<std::pair<const char*, double>, 4> flop_units{
    {{"PFLOP/s", 1e15}, {"TFLOP/s", 1e12}, {"GFLOP/s", 1e9}, {"MFLOP/s", 1e6}}};

double seconds_of_operations(const KernelWork& w, const RooflineParams& p) {
  return static_cast<double>(w.operations) / (p.peak.per_second * p.efficiency);
}

double seconds_of_bytes(std::uint64_t bytes, Bandwidth rate) {
  return static_cast<double>(bytes) / static_cast<double>(rate.value);
}

Tick ticks(double seconds) {
  const double ps = seconds * picoseconds_per_second;
  if (!(ps <= static_cast<double>(longest_pass))) throw InputError("a pass of more than 1000 s (legal: up to 1000 s)");
  return static_cast<Tick>(std::llround(ps));
}

}  // namespace

FlopRate parse_flop_rate(const std::string& text) {
  for (const auto& [name, factor] : flop_units) {
    const std::string unit = name;
    if (text.size() <= unit.size() || text.compare(text.size() - unit.size(), unit.size(), unit) != 0) continue;
    const double number = parse_real(text.substr(0, text.size() - unit.size()));
    if (!(number > 0)) throw UnitError("'" + text + "' is not a rate above 0");
    return {number * factor};
  }
  throw UnitError("'" + text + "' has no unit of operations per second (units: MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s)");
}

std::string to_string(FlopRate rate) {
  for (const auto& [name, factor] : flop_units)
    if (rate.per_second >= factor &&
        parse_flop_rate(print_real(rate.per_second / factor) + name).per_second == rate.per_second)
      return print_real(rate.per_second / factor) + name;
  return print_real(rate.per_second / 1e6) + "MFLOP/s";
}

Tick kernel_time(const KernelWork& work, const RooflineParams& params) {
  return ticks(std::max(seconds_of_operations(work, params), seconds_of_bytes(work.bytes, params.memory_rate)));
}

bool memory_bound(const KernelWork& work, const RooflineParams& params) {
  return seconds_of_bytes(work.bytes, params.memory_rate) > seconds_of_operations(work, params);
}

Tick memory_time(std::uint64_t bytes, Bandwidth rate) { return ticks(seconds_of_bytes(bytes, rate)); }

}  // namespace tributary::training
