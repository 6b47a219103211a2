#include "testbench/run/run_processes.h"

#include <algorithm>
#include <exception>
#include <new>

#include "platforms/platform.h"
#include "testbench/run/errors.h"
#include "testbench/run/family.h"
#include "testbench/run/one_lane.h"

namespace tributary {
namespace {

template <class T>
std::vector<T> gathered(ProcessGroup& group, const T& own) {
  ByteRow row;
  ByteWriter(row).put(own);
  std::vector<T> all;
  for (const ByteRow& of_process : group.gather(row)) all.push_back(ByteReader(of_process).get<T>());
  return all;
}

}  // namespace

void RunProcesses::divide(Platform& platform, CompletionRelay& relay) {
  if (!group_) return;
  if (platform.lanes() == 1) throw SetupError("the machine is too small to be divided among processes");
  platform.distribute(*group_, relay);
  for (unsigned e = 0; e < platform.endpoints(); ++e) owned_.push_back(platform.owns(e));
}

std::uint64_t RunProcesses::sum(std::uint64_t own) const {
  if (!group_) return own;
  std::uint64_t all = 0;
  for (const std::uint64_t value : gathered(*group_, own)) all += value;
  return all;
}

std::uint64_t RunProcesses::most(std::uint64_t own) const {
  if (!group_) return own;
  std::uint64_t value = ~own;
  group_->least(&value, 1);
  return ~value;
}

std::vector<std::string> RunProcesses::lines(std::vector<std::pair<std::uint64_t, std::string>> own) const {
  if (group_) {
    ByteRow row;
    ByteWriter to(row);
    for (const auto& [number, line] : own) to.put(number), to.put(line);
    own.clear();
    for (const ByteRow& of_process : group_->gather(row))
      for (ByteReader from(of_process); !from.at_end();) {
        const auto number = from.get<std::uint64_t>();
        own.emplace_back(number, from.text());
      }
    std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  std::vector<std::string> all;
  for (auto& numbered : own) all.push_back(std::move(numbered.second));
  return all;
}

KernelUse RunProcesses::sum(const KernelUse& own) const {
  if (!group_) return own;
  KernelUse all = own;
  all.events = sum(own.events);
  all.peak_rss_bytes = sum(own.peak_rss_bytes);
  all.cpu_s = 0;
  for (const double cpu_s : gathered(*group_, own.cpu_s)) all.cpu_s += cpu_s;
  return all;
}

void in_all_processes(ProcessGroup* group, const std::function<void()>& call) {
  if (group == nullptr) return call();
  ByteRow error;
  try {
    call();
  } catch (const std::bad_alloc&) {
    ByteWriter(error).put(std::string("out of memory"));
  } catch (const std::exception& e) {
    ByteWriter(error).put(std::string(e.what()));
  }
  for (const ByteRow& of_process : group->gather(error)) {
    if (of_process.empty()) continue;
    group->set_joined(false);
    throw SetupError(ByteReader(of_process).text());
  }
}

std::string one_process_because(const RunSpec& spec) {
  if (const std::string why = one_lane_because(spec); !why.empty()) return why;
  if (!family_of(spec.platform).has_processes()) return spec.platform.name() + " has no transport between processes yet";
  if (!spec.blocks.names().empty()) return "blocks of plug-ins have no transport between processes";
  if (spec.lane_times) return "--lane-times measures the lanes of one process";
  return "";
}

}  // namespace tributary
