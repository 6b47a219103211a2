#include "testbench/family/netreduce/lowering.h"

#include <algorithm>

#include "modules/protocol/roce.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/acknowledged_sends.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/run/errors.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/endpoint_command.h"
#include "testbench/workload/job_group.h"

namespace tributary {
namespace {

std::uint64_t largest_chunk(const collective::Schedule& schedule, Bytes message) {
  std::uint64_t largest = 0;
  for (int c = 0; c < schedule.chunks; ++c) largest = std::max(largest, schedule.chunk_range(c, message.value).bytes);
  return largest;
}

/// Returns the number of slices of each chunk, so that no slice is larger than `slice`.
int slices(const collective::Schedule& schedule, Bytes message, Bytes slice) {
  return static_cast<int>(std::max<std::uint64_t>(1, (largest_chunk(schedule, message) + slice.value - 1) / slice.value));
}

}  // namespace

NetReduceLayout NetReduceLayout::of(Bytes message, const NetReducePlatformParams& params, std::uint64_t operand_bytes) {
  const HostFlowParams& flow = params.flow_control;
  const std::uint64_t tensor = whole_pages(message.value);
  const std::uint64_t buffers = message_buffers(flow.messages, static_cast<unsigned>(params.nic.mtu.value));
  NetReduceLayout layout;
  const bool beside = flow.buffers == HostBuffers::out_of_place;
  layout.result = beside ? whole_pages(operand_bytes) : 0;
  layout.receive_buffers = whole_pages(operand_bytes) + (beside ? tensor : 0);
  layout.staging = layout.receive_buffers + whole_pages(buffers);
  layout.bytes = layout.staging + (flow.buffers == HostBuffers::staged ? whole_pages(buffers) : 0);
  return layout;
}

NetReduceLayout NetReduceLayout::of_packets(std::uint64_t operand_bytes, std::uint64_t result_bytes, bool apart,
                                            const NetReducePlatformParams& params) {
  const HostFlowParams& flow = params.flow_control;
  const std::uint64_t buffers = message_buffers(flow.messages, static_cast<unsigned>(params.nic.mtu.value));
  NetReduceLayout layout;
  layout.result = apart ? whole_pages(operand_bytes) : 0;
  layout.receive_buffers = layout.staging = layout.result + whole_pages(std::max(operand_bytes, result_bytes));
  layout.bytes = layout.staging + (flow.buffers == HostBuffers::staged ? whole_pages(buffers) : 0);
  return layout;
}

std::uint64_t write_wire_bytes(std::uint64_t bytes, unsigned mtu) {
  const auto last = static_cast<unsigned>(bytes % mtu == 0 ? mtu : bytes % mtu);
  const std::uint64_t packets = (bytes + mtu - 1) / mtu;
  if (packets == 1) return EthernetFrame::wire_bytes(FrameKind::write_only_immediate, last);
  return EthernetFrame::wire_bytes(FrameKind::write_first, mtu) +
         (packets - 2) * EthernetFrame::wire_bytes(FrameKind::write_middle, mtu) +
         EthernetFrame::wire_bytes(FrameKind::write_last_immediate, last);
}

namespace {

collective::Schedule schedule_of(const JobSpec& job, Bytes message, int gpus) {
  const auto ranks = static_cast<int>(group_of(job).size());
  if (msccl::names_file(job.algorithm)) return msccl::schedule_of(job, group_of(job).size());
  if (const auto build = netreduce_algorithm(job).among_machines) return build(ranks / gpus, gpus);
  return collective::software_schedule(job.collective, job.algorithm, ranks, root_of_group(job), message.value);
}

}  // namespace

void check_chunks(const collective::Schedule& schedule, Bytes message) {
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  const std::uint64_t bytes = largest_chunk(schedule, message);
  if (bytes > most)
    throw SetupError("a chunk of " + to_string(Bytes{bytes}) + " is too large; legal: at most " + to_string(Bytes{most}) +
                     ", the longest message of RoCE (a smaller --size, or more ranks)");
}

ChunkCommands software_commands(const JobSpec& job, Bytes message, int gpus, Bytes slice) {
  collective::Schedule schedule = schedule_of(job, message, gpus);
  const bool of_file = msccl::names_file(job.algorithm);  // a file is proved when it is read, and so are its loops
  if (collective_of(job.collective).chunking == collective::Chunking::even) {
    const int count = slices(schedule, message, slice);
    schedule = of_file ? collective::looped(schedule, count) : collective::pipelined(schedule, count);
  }
  check_chunks(schedule, message);
  if (!of_file) collective::verify_any(schedule);
  return ChunkCommands(job, message, proved_for(schedule, job, message));
}

std::vector<HostCommands> host_commands(const JobSpec& job, const ChunkCommands& commands) {
  const std::vector<int> hosts = gpus_of(job, group_of(job));
  std::vector<std::vector<bool>> acknowledged = collective::acknowledged_sends(commands.program());
  std::vector<HostCommands> programs;
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    HostCommands& program = programs.emplace_back();
    for (const ChunkCommand& c : commands.of_rank(static_cast<int>(r)))
      program.commands.push_back(endpoint_command<NicCommand>(c, hosts));
    program.type = job.type;
    program.op = job.op;
    program.acknowledged = std::move(acknowledged[r]);
  }
  return programs;
}

}  // namespace tributary
