#include "testbench/family/netreduce/faults.h"

#include <algorithm>
#include <string>

#include "modules/base/nearest.h"
#include "modules/ethernet/core/fault_script.h"
#include "modules/netreduce/core/chunker.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/machine_plan.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

using Match = FaultRule::Match;

[[noreturn]] void refuse(const FaultRule& rule, const std::string& why, const std::string& legal) {
  throw SetupError("fault " + to_string(rule) + ": " + why + "; legal: " + legal);
}

bool on_ring(const JobSpec& job) { return netreduce_algorithm(job).accelerated; }

/// Returns the largest number of messages of one ring.
std::uint64_t messages_of(const JobSpec& job, const NetReducePlatformParams& params, int gpus) {
  const HostShape shape = host_shape(job, gpus);
  std::uint64_t most = 0;
  for (const WorkItem& item : job.items)
    most = std::max<std::uint64_t>(
        most, Chunker(collective::chunk_range(0, shape.gpus, item.size.value).bytes,
                      params.flow_control.messages.message_packets, static_cast<unsigned>(params.nic.mtu.value))
                  .messages());
  return most;
}

/// Checks that a ring has the rank, the message, and the packet of the rule.
void check_message(const FaultRule& rule, const RunSpec& spec, const NetReducePlatformParams& params, int gpus) {
  const std::uint64_t length = params.flow_control.messages.message_packets;
  std::uint64_t messages = 0;
  for (const JobSpec& job : spec.jobs)
    if (on_ring(job) && rule.rank < host_shape(job, gpus).hosts.size())
      messages = std::max(messages, messages_of(job, params, gpus));
  if (messages == 0) refuse(rule, "that rank sends no messages of a ring", "ranks of jobs by netreduce");
  if (rule.message >= messages)
    refuse(rule, "no job has message " + std::to_string(rule.message), "0 to " + std::to_string(messages - 1));
  if (rule.number >= length)
    refuse(rule, "a message has " + std::to_string(length) + " packets", "0 to " + std::to_string(length - 1));
}

/// Checks that an accelerator sends notifications of the rank: they go to the rack of its successor.
void check_notification(const FaultRule& rule, const RunSpec& spec, const topology::Racks& machine) {
  for (const JobSpec& job : spec.jobs) {
    const std::vector<int> hosts = host_shape(job, machine.gpus).hosts;
    if (!on_ring(job) || rule.rank >= hosts.size()) continue;
    const int from = hosts[rule.rank], to = hosts[(rule.rank + std::size_t{1}) % hosts.size()];
    if (machine.rack_of(from) != machine.rack_of(to)) return;
  }
  refuse(rule, "no accelerator sends notifications of that rank", "ranks by netreduce whose successor is in another rack");
}

void check(const FaultRule& rule, const RunSpec& spec, const NetReducePlatformParams& params,
           const topology::Racks& machine) {
  if (rule.match == Match::place || rule.match == Match::down) {
    const std::vector<std::string> names = link_names(machine.graph);
    if (std::find(names.begin(), names.end(), rule.link) == names.end())
      throw SetupError("fault " + to_string(rule) + ": " + unknown_name("link", rule.link, names, false));
    return;
  }
  std::size_t ranks = 0;
  for (const JobSpec& job : spec.jobs) ranks = std::max(ranks, host_shape(job, machine.gpus).hosts.size());
  if (rule.rank >= ranks)
    refuse(rule, "no rank " + std::to_string(rule.rank), "ranks 0 to " + std::to_string(ranks == 0 ? 0 : ranks - 1));
  if (rule.match == Match::gradient || rule.match == Match::result) check_message(rule, spec, params, machine.gpus);
  if (rule.match == Match::notification) check_notification(rule, spec, machine);
  if (rule.match == Match::cnp && (!params.nic.dcqcn.on || !params.ethernet_switch.ecn.on))
    refuse(rule, "there are no CNPs", "with netreduce.nic.dcqcn.on=true and netreduce.switch.ecn.on=true");
}

}  // namespace

void check_faults(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  for (const std::string& rule : spec.frame_faults) check(parse_fault_rule(rule), spec, params, machine);
}

}  // namespace tributary
