#include "testbench/workload/training/read/kineto_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/plain_name.h"
#include "testbench/workload/training/read/recorded_compute.h"

namespace tributary::training {
namespace {

using Json = nlohmann::json;

constexpr const char* collective_key = "Collective name";
constexpr const char* id_key = "External id";
constexpr double longest = 1e12;  ///< us
constexpr double forever = std::numeric_limits<double>::infinity();

std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string id_of(const Json& values) {
  const auto found = values.find(id_key);
  return found == values.end() ? "" : found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_nccl(const std::string& kernel) {
  return kernel.find("ncclDevKernel") != std::string::npos || kernel.find("ncclKernel") != std::string::npos;
}

}  // namespace

std::string KinetoEvents::micros(double time) {
  std::array<char, 400> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3f", time);
  std::string digits(text.data(), static_cast<std::size_t>(std::max(0, length)));
  digits.erase(digits.find_last_not_of('0') + 1);
  if (!digits.empty() && digits.back() == '.') digits.pop_back();
  return digits;
}

bool KinetoEvents::take(const Json& event) {
  const auto start = event.find("ts"), duration = event.find("dur");
  if (start == event.end() || !start->is_number()) return false;
  const double length = duration != event.end() && duration->is_number() ? duration->get<double>() : 0;
  const Timed time{start->get<double>(), length};
  const std::string category = text(event, "cat"), name = text(event, "name");
  const auto args = event.find("args");
  const Json values = args != event.end() && args->is_object() ? *args : Json::object();
  const bool kernel = category == "kernel", named = values.contains(collective_key);
  if (named || (kernel && is_nccl(name)))
    (kernel ? kernels_ : operators_).push_back({time, values, plain_name(name, 60)});
  else if (kernel)
    computing_.push_back(time);
  else
    take_step(event, time);
  return true;
}

void KinetoEvents::take_step(const Json& event, const Timed& time) {
  const std::string name = text(event, "name"), begin = "ProfilerStep#";
  if (name.compare(0, begin.size(), begin) != 0) return;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + begin.size(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return;
  (text(event, "cat") == "gpu_user_annotation" ? steps_ : steps_on_host_)[number] = time;
}

/// Returns the time of the step: on the device if the trace has it.
KinetoEvents::Timed KinetoEvents::window() const {
  if (!step_) return {-forever, forever};
  const auto& steps = steps_.empty() ? steps_on_host_ : steps_;
  if (steps.empty())
    throw InputError(path_ + ": no steps (ProfilerStep#N), but graph.step is " + std::to_string(*step_) +
                     " (legal: graph.step=auto)");
  if (const auto found = steps.find(*step_); found != steps.end()) return found->second;
  throw InputError(path_ + ": no step " + std::to_string(*step_) + " (legal: " + std::to_string(steps.begin()->first) +
                   " to " + std::to_string(steps.rbegin()->first) + ")");
}

/// Returns the arguments of a kernel, or those of the operator that has launched it: older profilers record no others.
const Json& KinetoEvents::values_of(const Kernel& kernel) const {
  if (kernel.values.contains(collective_key)) return kernel.values;
  const auto found = operator_of_.find(id_of(kernel.values));
  if (found == operator_of_.end())
    throw InputError(path_ + ": event at " + micros(kernel.start) + " us: kernel '" + kernel.name + "' has no '" +
                     collective_key + "', and no operator with its '" + id_key +
                     "' has one (legal: traces that record the " + "arguments of collectives)");
  return operators_[found->second].values;
}

RecordedSpan KinetoEvents::span_of(const Timed& time) const {
  const double begin = time.start - origin_, end = begin + std::max(0.0, time.duration);
  if (!(end <= longest))
    throw InputError(path_ + ": event at " + micros(time.start) + " us: more than 10^12 us after the first (legal: less)");
  return {static_cast<Tick>(std::llround(begin * 1e6)), static_cast<Tick>(std::llround(end * 1e6))};
}

void KinetoEvents::finish() {
  for (std::size_t i = 0; i < operators_.size(); ++i)
    if (const std::string id = id_of(operators_[i].values); !id.empty()) operator_of_[id] = i;
  const Timed only = window();
  const auto outside = [&](const Timed& t) { return !(t.start >= only.start && t.start - only.start < only.duration); };
  const bool whole = !step_;
  const bool devices = !kernels_.empty();
  std::vector<Kernel>& chosen = devices ? kernels_ : operators_;
  if (!whole) {
    chosen.erase(std::remove_if(chosen.begin(), chosen.end(), outside), chosen.end());
    computing_.erase(std::remove_if(computing_.begin(), computing_.end(), outside), computing_.end());
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const Kernel& a, const Kernel& b) { return a.start < b.start; });
  origin_ = chosen.empty() ? 0 : chosen.front().start;
  for (const Timed& time : computing_) origin_ = std::min(origin_, time.start);
  for (const Kernel& kernel : chosen) {
    Collective collective{kernel.start, {}, devices ? values_of(kernel) : kernel.values};
    if (devices && kernel.values.contains("stream")) collective.values["stream"] = kernel.values["stream"];
    if (devices) collective.span = span_of(kernel);
    collectives_.push_back(std::move(collective));
  }
  if (!devices) return;
  for (const Timed& time : computing_) compute_.push_back(span_of(time));
  compute_ = united(std::move(compute_));
}

}  // namespace tributary::training
