#include "testbench/family/netreduce/accelerator_needs.h"

#include <algorithm>
#include <utility>

#include "modules/base/text_format.h"
#include "modules/netreduce/core/combinator.h"
#include "platforms/netreduce/netreduce_platform.h"
#include "platforms/netreduce/ring_manager.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/machine_plan.h"
#include "testbench/family/netreduce/step_plan.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

RingManager manager_of(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  const MessageFlowParams& flow = params.flow_control.messages;
  RingManager rings(machine, {flow.window, flow.message_packets, static_cast<unsigned>(params.nic.mtu.value)}, spec.seed);
  for (const JobSpec& job : spec.jobs) {
    const HostShape shape = host_shape(job, machine.gpus);
    for (int g = 0; g < shape.gpus && !job.step && netreduce_algorithm(job).accelerated; ++g)
      rings.add_ring(shape.hosts, job.type, job.op);
    if (!job.step) continue;
    for (const StepRing& ring : rings_of_step(job))
      rings.add_ring(host_shape(ring.job, machine.gpus).hosts, job.type, job.op);
  }
  return rings;
}

/// Reduces the memory of rings that share slots in time to that of the accelerator.
void share_memory(AcceleratorNeeds& needs, const std::vector<AggregationRing>& rings, const NetReducePlatformParams& params,
                  const AcceleratorMemory& queues) {
  if (rings.empty()) return;
  const AcceleratorMemory each = memory_of_message(rings, params.aggregation, params.accelerator.value);
  needs.least = queues.bytes() + each.bytes();
  const std::optional<Bytes>& all = params.accelerator.memory;
  needs.shares = params.admission == JobAdmission::share && all && needs.unshared > all->value;
  if (!needs.shares || needs.least > all->value) return;
  needs.memory = each * ((all->value - queues.bytes()) / each.bytes());
  needs.memory += queues;
}

std::vector<RingAdders> adders_of(const std::vector<AggregationRing>& rings, const AcceleratorParams& params) {
  std::vector<RingAdders> all;
  for (const AggregationRing& ring : rings) {
    const std::uint64_t lanes = params.beat.value / element_size(ring.type);
    const unsigned unit = Combinator::unit_of(params, static_cast<unsigned>(all.size()));
    all.push_back({unit, lanes * (ring.ranks() - std::min(1U, ring.ranks())), ring.type, ring.op});
  }
  return all;
}

AcceleratorNeeds needs_of(const std::vector<AggregationRing>& rings, const NetReducePlatformParams& params, unsigned ports) {
  AcceleratorNeeds needs;
  needs.rings = static_cast<unsigned>(rings.size());
  needs.memory = AcceleratorMemory::of_queues(params.accelerator, ports);
  for (const AggregationRing& ring : rings) {
    needs.memory += AcceleratorMemory::of(ring, params.aggregation, params.accelerator.value);
    const std::uint64_t members = ring.ranks();
    if (ring.role != TreeRole::root) needs.connections += members;
    if (ring.role == TreeRole::leaf) needs.translations += members + ring.receivers.size();
    if (ring.role == TreeRole::root) needs.translations += members * members;
    needs.across = needs.across || ring.role != TreeRole::alone;
  }
  needs.adders = adders_of(rings, params.accelerator);
  needs.unshared = needs.memory.bytes();
  share_memory(needs, rings, params, AcceleratorMemory::of_queues(params.accelerator, ports));
  return needs;
}

/// Throws SetupError if `need` exceeds the value of a parameter; `which`: things that are needed.
void require(std::uint64_t need, const std::optional<std::uint64_t>& has, const std::string& node, const std::string& which,
             const std::string& parameter, const std::string& remedies) {
  if (!has || need <= *has) return;
  throw SetupError("the rings of " + node + " need " + std::to_string(need) + " " + which + ", and " + parameter +
                   "; legal: at least that, " + remedies);
}

template <class T>
std::optional<std::uint64_t> count_of(const std::optional<T>& value) {
  return value ? std::optional<std::uint64_t>(*value) : std::nullopt;
}

}  // namespace

unsigned rings_of(const RunSpec& spec, const topology::Racks& machine) {
  unsigned rings = 0;
  for (const JobSpec& job : spec.jobs)
    if (job.step)
      rings += static_cast<unsigned>(rings_of_step(job).size());
    else if (netreduce_algorithm(job).accelerated)
      rings += static_cast<unsigned>(host_shape(job, machine.gpus).gpus);
  return rings;
}

std::vector<AcceleratorNeeds> accelerator_needs(const RunSpec& spec, const NetReducePlatformParams& params,
                                                const topology::Racks& machine) {
  std::vector<AcceleratorNeeds> all;
  if (machine.accelerators() == 0) return all;
  const RingManager rings = manager_of(spec, params, machine);
  const auto add = [&](int accelerator, int at, const std::vector<AggregationRing>& of_node, const auto& rules) {
    const topology::Node& node = machine.graph.node(accelerator);
    AcceleratorNeeds needs = needs_of(of_node, params, static_cast<unsigned>(node.ports));
    needs.accelerator = node.name;
    needs.switch_name = machine.graph.node(at).name;
    needs.rules = rules(needs.shares);
    all.push_back(std::move(needs));
  };
  for (int r = 0; r < machine.racks; ++r)
    add(machine.leaf_accelerator(r), machine.leaf(r), rings.rings_of_leaf(r),
        [&](bool shares) { return rings.detours(r, params.access == AccessMatch::queue_pairs, shares).size(); });
  for (int s = 0; s < machine.spines; ++s)
    add(machine.spine_accelerator(s), machine.spine(s), rings.rings_of_spine(s),
        [&](bool) { return rings.empty() ? 0 : static_cast<std::size_t>(machine.racks); });
  return all;
}

void check_accelerator_needs(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  const AcceleratorParams& a = params.accelerator;
  const std::string fewer = "fewer hosts, less of netreduce.flow_control.window or .message_packets";
  const std::string memory = a.value == SlotValue::stored ? fewer + ", or netreduce.accelerator.value=recomputed" : fewer;
  const auto set = [](const char* name, const auto& value) {
    return "netreduce." + std::string(name) + "=" + (value ? to_string(*value) : "");
  };
  const auto number = [](const char* name, const std::optional<std::uint32_t>& value) {
    return "netreduce." + std::string(name) + "=" + std::to_string(value.value_or(0));
  };
  const std::optional<std::uint64_t> bytes = a.memory ? std::optional(a.memory->value) : std::nullopt;
  for (const AcceleratorNeeds& n : accelerator_needs(spec, params, machine)) {
    if (n.shares && n.across)
      throw SetupError("netreduce.admission=share: the rings of " + n.accelerator + " need " + std::to_string(n.unshared) +
                       " B at once, and rings of several racks share no slots; legal: ranks in one rack, or " +
                       "netreduce.accelerator.memory of at least that");
    require(n.shares ? n.least : n.unshared, bytes, n.accelerator, "B", set("accelerator.memory", a.memory), memory);
    require(n.connections, count_of(a.clt.entries), n.accelerator, "connections",
            number("accelerator.clt.entries", a.clt.entries), "fewer hosts or rings");
    require(n.translations, count_of(a.ctt.entries), n.accelerator, "translations",
            number("accelerator.ctt.entries", a.ctt.entries), "fewer hosts or rings");
    require(n.rules, params.ethernet_switch.access_rules, n.switch_name, "rules of the access list",
            number("switch.access_rules", params.ethernet_switch.access_rules), "fewer hosts");
  }
}

void admit_jobs(RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  if (params.admission != JobAdmission::fallback) return;
  RunSpec admitted = spec;
  admitted.jobs.clear();
  for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
    JobSpec& job = spec.jobs[j];
    const char* const fallback = job.step ? nullptr : netreduce_algorithm(job).fallback;
    if (fallback == nullptr) continue;
    admitted.jobs.push_back(job);
    try {
      check_accelerator_needs(admitted, params, machine);
    } catch (const SetupError& error) {
      admitted.jobs.pop_back();
      const std::string reason = error.what();
      spec.notes.push_back((spec.jobs.size() > 1 ? "job " + std::to_string(j) : "the job") + " falls back from " +
                           job.algorithm + " to " + fallback + ": " + reason.substr(0, reason.find(';')));
      job.asked_algorithm = job.algorithm;
      job.algorithm = fallback;
    }
  }
}

void check_accelerator_buffers(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  if (machine.accelerators() == 0) return;
  const unsigned frame = NetReducePlatform::largest_frame(params, spec.background_load > 0);
  const auto check = [](const char* name, const std::optional<Bytes>& bytes, std::uint64_t least, const char* why) {
    if (bytes && bytes->value < least)
      throw SetupError("netreduce.accelerator." + std::string(name) + "=" + to_string(*bytes) +
                       " is too small; legal: at least " + std::to_string(least) + "B, " + why);
  };
  const AcceleratorParams& a = params.accelerator;
  check("output_queue", a.output_queue, frame, "the largest frame");
  if (params.ethernet_switch.pfc.on)
    check("input_fifo", a.input_fifo, frame + NetReducePlatform::accelerator_headroom(params, frame),
          "the largest frame, and those that still arrive after a pause");
  else
    check("input_fifo", a.input_fifo, frame, "the largest frame");
}

// ---- cost

std::uint64_t block_rams(std::uint64_t bytes) { return (bytes + 4607) / 4608; }

CostReport accelerator_cost(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  const std::vector<AcceleratorNeeds> all = accelerator_needs(spec, params, machine);
  CostReport report;
  const auto most = std::max_element(all.begin(), all.end(), [](const AcceleratorNeeds& a, const AcceleratorNeeds& b) {
    return a.memory.bytes() < b.memory.bytes();
  });
  if (most == all.end() || most->rings == 0) {
    report.text = "# no accelerator has a ring\n";
    return report;
  }
  const AcceleratorMemory& m = most->memory;
  const std::uint64_t rams = block_rams(m.bytes());
  const double share = static_cast<double>(rams) / static_cast<double>(prototype_block_rams);
  report.values = {{"rings_per_accelerator", std::uint64_t{most->rings}},
                   {"payload_bytes", m.payload},
                   {"header_bytes", m.headers},
                   {"state_bytes", m.state},
                   {"sum_bytes", m.value},
                   {"queue_bytes", m.queues},
                   {"accelerator_bytes", m.bytes()},
                   {"block_rams", rams},
                   {"share_of_prototype", share},
                   {"connections", most->connections},
                   {"translations", most->translations},
                   {"access_rules", most->rules}};
  const auto bytes = [](std::uint64_t n) { return std::to_string(n) + " B"; };
  report.text = "# memory of " + most->accelerator + ": " + bytes(m.bytes()) + " for " + std::to_string(most->rings) +
                (most->rings == 1 ? " ring" : " rings") + " (payloads " + bytes(m.payload) + ", headers " +
                bytes(m.headers) + ", state " + bytes(m.state) + ", sums " + bytes(m.value) + ", queues " + bytes(m.queues) +
                ")\n" + "# block RAMs of 36 Kb: " + std::to_string(rams) + ", " + fixed(100 * share, 1) + " % of the " +
                std::to_string(prototype_block_rams) + " of the prototype's FPGA\n" +
                "# tables: " + std::to_string(most->connections) + " connections, " + std::to_string(most->translations) +
                " translations; " + std::to_string(most->rules) + " rules of " + most->switch_name + "\n";
  return report;
}

}  // namespace tributary
