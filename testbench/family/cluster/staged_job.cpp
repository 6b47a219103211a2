#include "testbench/family/cluster/staged_job.h"

#include <algorithm>
#include <numeric>

#include "modules/base/index.h"
#include "platforms/cluster/rail_work.h"

namespace tributary {
namespace {

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Returns an operation of a server on a chunk.
JobStep::Part operation(const std::string& collective, const std::string& algorithm, std::uint64_t first,
                        std::uint64_t bytes, std::vector<int> members) {
  JobStep::Part part;
  part.first = first, part.bytes = part.buffer_bytes = bytes;
  part.collective = collective, part.algorithm = algorithm;
  part.members = std::move(members);
  return part;
}

const collective::Stage& stage_between(const collective::StagedSchedule& schedule) {
  return *std::find_if(schedule.stages.begin(), schedule.stages.end(),
                       [](const collective::Stage& s) { return s.where == collective::Stage::Where::between; });
}

/// Returns the job of a software schedule on a rail.
JobSpec rail_job(JobSpec job, const std::string& collective, const std::string& algorithm) {
  job.collective = collective, job.algorithm = algorithm;
  job.root = 0, job.step = nullptr;
  return job;
}

}  // namespace

std::uint64_t StagedJob::part_bytes(const collective::StagedSchedule& schedule, Bytes message) {
  const auto each = static_cast<std::uint64_t>(schedule.shape.ranks_each);
  return round_up(std::min(schedule.chunk, message.value), each * block_bytes) / each;
}

StagedJob::StagedJob(const JobSpec& job, Bytes message, const collective::StagedSchedule& schedule, const Names& names,
                     const Messages& messages, unsigned window)
    : StagedWork(job),
      servers_(at(schedule.shape.servers)),
      each_(at(schedule.shape.ranks_each)),
      accelerated_(names.between.empty()),
      messages_(messages) {
  collective::verify(schedule);
  chunk_bytes_ = each_ * part_bytes(schedule, message);
  chunks_ = (message.value + chunk_bytes_ - 1) / chunk_bytes_;
  if (!accelerated_)
    rail_.emplace(rail_job(job, stage_between(schedule).collective, names.between), servers_, Bytes{part_bytes()});
  add_operations(names);
  add_tasks(window, names.lanes);
}

/// All reduce-scatters come first, so that they have the numbers of their chunks.
void StagedJob::add_operations(const Names& names) {
  auto step = std::make_shared<JobStep>();
  step->queues = 2 * names.lanes;
  for (const bool gathers : {false, true})
    for (std::size_t s = 0; s < servers_ && has_operations(); ++s) {
      std::vector<int> members(each_);
      std::iota(members.begin(), members.end(), static_cast<int>(s * each_));
      for (std::uint64_t c = 0; c < chunks_; ++c) {
        step->operations.push_back(
            gathers ? operation("allgather", names.allgather, c * chunk_bytes_, chunk_bytes_, members)
                    : operation("reduce_scatter", names.reduce_scatter, c * chunk_bytes_, chunk_bytes_, members));
        step->operations.back().queue = static_cast<std::uint32_t>(c % names.lanes + (gathers ? names.lanes : 0));
      }
    }
  if (has_operations()) {
    operations_.collective = step->operations.front().collective;
    operations_.algorithm = step->operations.front().algorithm;
  }
  operations_.step = std::move(step);
}

/// Tasks 3 c, 3 c + 1 and 3 c + 2 are those of chunk c; without operations, task c is.
void StagedJob::add_tasks(unsigned window, unsigned lanes) {
  using Kind = DeviceTask::Kind;
  const std::uint32_t tasks_of_chunk = has_operations() ? 3 : 1, own = has_operations() ? 1 : 0;
  TaskProgram program;
  program.pipelined = true;
  const auto chunks = static_cast<std::uint32_t>(chunks_);
  for (std::uint32_t c = 0; c < chunks; ++c) {
    const std::uint32_t first = c * tasks_of_chunk;
    DeviceTask scatter, rail, gather;
    scatter.kind = gather.kind = Kind::operation, rail.kind = Kind::network;
    scatter.queue = c % lanes, gather.queue = lanes + c % lanes;
    scatter.operation = rail.operation = c, gather.operation = chunks + c;
    scatter.next = {first + 1};
    if (has_operations()) rail.next = {first + 2}, rail.waits = gather.waits = 1;
    if (c + window < chunks) rail.next.push_back((c + window) * tasks_of_chunk + own);
    if (c >= window) ++rail.waits;
    if (has_operations()) program.tasks.push_back(std::move(scatter));
    program.tasks.push_back(std::move(rail));
    if (has_operations()) program.tasks.push_back(std::move(gather));
  }
  auto step = std::make_shared<JobStep>(*operations_.step);
  step->programs.assign(servers_ * each_, program);
  operations_.step = std::move(step);
}

void StagedJob::add_rails(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const Pair& pair) const {
  for (std::size_t r = 0; r < programs.size(); ++r) {
    std::map<std::uint16_t, unsigned> pairs;
    for (const std::size_t to : rail_->receivers(r / each_))
      pairs[static_cast<std::uint16_t>(to)] = pair(r, to * each_ + r % each_);
    for (std::uint64_t c = 0; c < chunks_; ++c) {
      auto work = std::make_shared<RailWork>();
      work->kind = RailWork::Kind::commands;
      work->commands =
          rail_->of(r / each_, part_of(r, c), mailboxes + c * rail_->mailbox_bytes(), static_cast<std::uint16_t>(c));
      work->commands.pairs = pairs;
      programs[r].network.push_back(std::move(work));
    }
  }
}

// ---- rings through accelerators

std::uint64_t StagedJob::mailbox_bytes() const {
  const MessageFlowParams flow{messages_.window, messages_.packets};
  return accelerated_ ? 2 * round_up(message_buffers(flow, messages_.mtu), block_bytes) : chunks_ * rail_->mailbox_bytes();
}

void StagedJob::add_rings(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const std::vector<Ring>& rings) const {
  const std::uint32_t messages = Chunker(part_bytes(), messages_.packets, messages_.mtu).messages();
  for (std::size_t r = 0; r < programs.size(); ++r)
    for (std::uint64_t c = 0; c < chunks_; ++c) {
      auto work = std::make_shared<RailWork>();
      work->kind = RailWork::Kind::ring;
      RingPlan& plan = work->ring;
      plan.ring = rings[r % each_].number, plan.rank = static_cast<std::uint16_t>(r / each_);
      plan.send_pair = rings[r % each_].send[r / each_], plan.receive_pair = rings[r % each_].receive[r / each_];
      plan.first_message = static_cast<std::uint32_t>(c) * messages;
      plan.operand = plan.result = part_of(r, c), plan.bytes = part_bytes();
      plan.receive_buffers = plan.remote_buffers = mailboxes;
      plan.staging = mailboxes + mailbox_bytes() / 2;
      plan.ack_interval = messages_.ack_interval;
      programs[r].network.push_back(std::move(work));
    }
}

}  // namespace tributary
