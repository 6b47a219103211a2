#pragma once
/// Time of a kernel on a GPU from its operations and bytes (Williams et al., CACM 52(4), 2009), and its launch time.

#include <cstdint>
#include <string>

#include "modules/base/field_type.h"
#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary::training {

/// Operations per second; a multiplication with its addition counts as two. Text form: `120TFLOP/s`, `15.7TFLOP/s`.
struct FlopRate {
  double per_second = 0;

  friend bool operator<(FlopRate a, FlopRate b) { return a.per_second < b.per_second; }
  friend bool operator>(FlopRate a, FlopRate b) { return b < a; }
};

/// Parses a rate. Throws UnitError.
FlopRate parse_flop_rate(const std::string& text);
std::string to_string(FlopRate rate);

/// One accelerator. Defaults: a V100 with its tensor cores (NVIDIA, Tesla V100 datasheet; launch: Klenk et al., ISCA 2020,
/// VI-E).
struct RooflineParams {
  FlopRate peak{120e12};
  double efficiency = 1.0;
  Bandwidth memory_rate = 900_GBps;
  Time launch = 6_us;
};

/// Operations and bytes of a kernel.
struct KernelWork {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
};

/// Returns max(operations / (peak x efficiency), bytes / memory rate), to the nearest picosecond, without the launch.
/// Throws InputError beyond 1000 s.
Tick kernel_time(const KernelWork& work, const RooflineParams& params);
/// True if bytes, not operations, bound the kernel.
bool memory_bound(const KernelWork& work, const RooflineParams& params);
/// Returns the memory time of `bytes`, to the nearest picosecond. Throws InputError beyond 1000 s.
Tick memory_time(std::uint64_t bytes, Bandwidth rate);

}  // namespace tributary::training

namespace tributary {

template <>
struct FieldType<training::FlopRate> {
  static constexpr const char* unit = "FLOP/s";
  static constexpr bool ordered = true;
  static std::string legal() { return "a rate such as 120TFLOP/s, 15.7TFLOP/s"; }
  static training::FlopRate parse(const std::string& text) { return training::parse_flop_rate(text); }
  static std::string print(const training::FlopRate& x) { return training::to_string(x); }
  static ParameterValue value(const training::FlopRate& x) { return x.per_second; }
  static bool is_multiple(const training::FlopRate&, const training::FlopRate&) { return true; }
};

}  // namespace tributary
