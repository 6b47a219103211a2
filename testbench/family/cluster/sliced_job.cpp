#include "testbench/family/cluster/sliced_job.h"

#include <algorithm>
#include <numeric>

#include "modules/base/index.h"
#include "platforms/cluster/rail_work.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {

using collective::StageWork;

namespace {

std::uint64_t in_blocks(std::uint64_t bytes) { return blocks_of(bytes) * block_bytes; }

/// Queue of the operations before the exchange, and the first one of those after it.
constexpr std::uint32_t before_queue = 0, after_queue = 1;

}  // namespace

SlicedJob::SlicedJob(const JobSpec& job, Bytes message, const collective::StagedSchedule& schedule, const Names& names,
                     unsigned window)
    : StagedWork(job),
      servers_(at(schedule.shape.servers)),
      each_(at(schedule.shape.ranks_each)),
      lanes_(names.lanes),
      work_(collective::work_of({{}, schedule.collective, {}})),
      numbers_(servers_ * each_, 0) {
  collective::verify(schedule);
  cut(schedule, message);
  make_rails(names.between);
  tasks_.assign(numbers_.size(), std::vector<Tasks>(slices_.size()));
  for (std::size_t s = 0; s < slices_.size() && has_operations(); ++s) {
    if (work_ == StageWork::reduce_scatter) scatter_sums(s, names);
    if (work_ == StageWork::allgather) gather_parts(s, names);
    if (spreads()) scatter_from_root(s, names.allgather), gather_slice(s, names);
  }
  for (const JobStep::Part& part : step_.operations) step_.queues = std::max(step_.queues, part.queue + 1);
  for (std::size_t r = 0; r < numbers_.size(); ++r) step_.programs.push_back(program(r, window));
  if (has_operations()) {
    operations_.collective = step_.operations.front().collective;
    operations_.algorithm = step_.operations.front().algorithm;
    operations_.root = 0;
  }
  operations_.step = std::make_shared<const JobStep>(std::move(step_));
}

/// The last slice may be shorter.
void SlicedJob::cut(const collective::StagedSchedule& schedule, Bytes message) {
  const std::uint64_t ranks = numbers_.size(), gpus = spreads() ? each_ : ranks;
  const std::uint64_t bytes = in_blocks((std::min(schedule.chunk, message.value) + gpus - 1) / gpus);
  if (!spreads()) stride_ = parts_of(operations_, message).address(1);
  const std::uint64_t all = spreads() ? message.value : stride_, step = spreads() ? each_ * bytes : bytes;
  for (std::uint64_t first = 0; first < all; first += step) {
    const std::uint64_t left = all - first;
    slices_.push_back({first, std::min(bytes, spreads() ? in_blocks((left + each_ - 1) / each_) : left)});
  }
  buffer_bytes_ = spreads() ? slices_.back().first + each_ * slices_.back().bytes : ranks * stride_;
}

void SlicedJob::make_rails(const std::string& algorithm) {
  JobSpec rail = operations_;
  rail.algorithm = algorithm, rail.step = nullptr;
  rail.root = static_cast<int>(spreads() ? root_server() : 0);
  rail.part_stride = each_ * stride_;
  for (const Slice& slice : slices_) {
    const Bytes message{slice.bytes * (spreads() ? 1 : servers_)};
    if (rails_.count(slice.bytes) == 0) rails_.emplace(slice.bytes, RailCommands(rail, servers_, message));
    mailbox_of_slice_ = std::max(mailbox_of_slice_, rails_.at(slice.bytes).mailbox_bytes());
  }
}

// ---- operations

/// Returns an operation of all GPUs of a server. With a stride, `bytes` are those of a piece.
JobStep::Part SlicedJob::operation(const std::string& collective, const std::string& algorithm, std::size_t server,
                                   std::uint64_t first, std::uint64_t bytes) const {
  JobStep::Part part;
  part.collective = collective, part.algorithm = algorithm;
  part.first = first, part.bytes = part.buffer_bytes = bytes;
  part.members.resize(each_);
  std::iota(part.members.begin(), part.members.end(), static_cast<int>(server * each_));
  return part;
}

/// Adds an operation, whose members carry it out with the next numbers.
void SlicedJob::add(JobStep::Part part, const std::function<void(std::size_t rank, DeviceTask task)>& to) {
  for (const int member : part.members) {
    DeviceTask task;
    task.kind = DeviceTask::Kind::operation;
    task.queue = part.queue, task.operation = numbers_[at(member)]++;
    to(at(member), std::move(task));
  }
  step_.operations.push_back(std::move(part));
}

/// Steps of a ring have latency, so several rings are in flight: those on the parts of all servers, of some slices.
std::uint32_t SlicedJob::ring_queue(std::size_t slice, std::size_t of_server) const {
  return after_queue + static_cast<std::uint32_t>(slice % lanes_ * servers_ + of_server);
}

void SlicedJob::scatter_sums(std::size_t slice, const Names& names) {
  const Slice& s = slices_[slice];
  for (std::size_t server = 0; server < servers_; ++server)
    for (std::size_t i = 0; i < servers_; ++i) {
      JobStep::Part part =
          operation("reduce_scatter", names.reduce_scatter, server, i * each_ * stride_ + s.first, each_ * s.bytes);
      part.part_stride = stride_, part.buffer_bytes = (each_ - 1) * stride_ + s.bytes;
      part.queue = names.pulls ? before_queue : ring_queue(slice, i);
      add(std::move(part), [&](std::size_t r, DeviceTask task) { tasks_[r][slice].before.push_back(std::move(task)); });
    }
}

/// The parts of the own server need no exchange, so they are gathered first.
void SlicedJob::gather_parts(std::size_t slice, const Names& names) {
  const Slice& s = slices_[slice];
  for (std::size_t server = 0; server < servers_; ++server)
    for (std::size_t k = 0; k < servers_; ++k) {
      const std::size_t i = (server + k) % servers_;
      if (names.pulls) {
        multicast_parts(slice, names.allgather, server, i);
        continue;
      }
      JobStep::Part part = operation("allgather", names.allgather, server, i * each_ * stride_ + s.first, each_ * s.bytes);
      part.part_stride = stride_, part.buffer_bytes = (each_ - 1) * stride_ + s.bytes;
      part.queue = ring_queue(slice, i);
      const Start start = i == server ? Start::at_once : Start::exchanged;
      add(std::move(part),
          [&](std::size_t r, DeviceTask task) { tasks_[r][slice].after.emplace_back(std::move(task), start); });
    }
}

/// The pieces that the GPUs of a server multicast are apart in memory, so each is an operation of its own. Each GPU has a
/// queue, because one that receives alone occupies its queue until the piece has arrived.
void SlicedJob::multicast_parts(std::size_t slice, const std::string& algorithm, std::size_t server, std::size_t of_server) {
  const Slice& s = slices_[slice];
  for (std::size_t g = 0; g < each_; ++g) {
    JobStep::Part part = operation("broadcast", algorithm, server, (of_server * each_ + g) * stride_ + s.first, s.bytes);
    part.root = static_cast<int>(g);
    part.queue = after_queue + static_cast<std::uint32_t>(g);
    add(std::move(part), [&](std::size_t r, DeviceTask task) {
      const bool waits = place_of(r) == g && of_server != server;
      tasks_[r][slice].after.emplace_back(std::move(task), waits ? Start::exchanged : Start::at_once);
    });
  }
}

/// The root sends a part of the slice to each other GPU of its server.
void SlicedJob::scatter_from_root(std::size_t slice, const std::string& algorithm) {
  const Slice& s = slices_[slice];
  const auto root = static_cast<std::size_t>(operations_.root);
  for (std::size_t g = 0; g < each_; ++g) {
    const std::size_t to = root_server() * each_ + g;
    if (to == root) continue;
    JobStep::Part part = operation("broadcast", algorithm, root_server(), s.first + g * s.bytes, s.bytes);
    part.members = {operations_.root, static_cast<int>(to)};
    part.queue = before_queue;
    add(std::move(part), [&](std::size_t r, DeviceTask task) { tasks_[r][slice].before.push_back(std::move(task)); });
  }
}

/// In the server of the root, all parts are there without the exchange.
void SlicedJob::gather_slice(std::size_t slice, const Names& names) {
  const Slice& s = slices_[slice];
  for (std::size_t server = 0; server < servers_; ++server) {
    JobStep::Part part = operation("allgather", names.allgather, server, s.first, each_ * s.bytes);
    part.queue = names.pulls ? after_queue : ring_queue(slice, 0);
    const Start start = server == root_server() ? Start::scattered : Start::exchanged;
    add(std::move(part),
        [&](std::size_t r, DeviceTask task) { tasks_[r][slice].after.emplace_back(std::move(task), start); });
  }
}

/// All slices have equally many tasks: the operations before the exchange, the exchange, and the operations after it.
TaskProgram SlicedJob::program(std::size_t rank, unsigned window) const {
  const bool is_root = spreads() && rank == static_cast<std::size_t>(operations_.root);
  TaskProgram program;
  program.pipelined = true;
  const auto each = static_cast<std::uint32_t>(tasks_[rank].front().before.size() + 1 + tasks_[rank].front().after.size());
  for (std::uint32_t s = 0; s < slices_.size(); ++s) {
    const Tasks& tasks = tasks_[rank][s];
    const auto before = static_cast<std::uint32_t>(tasks.before.size());
    const std::uint32_t first = s * each, exchange = first + before;
    DeviceTask rail;
    rail.kind = DeviceTask::Kind::network, rail.operation = s;
    rail.waits = (is_root ? 0 : before) + (s >= window ? 1 : 0);
    if (s + window < slices_.size()) rail.next.push_back(exchange + window * each);
    program.tasks.insert(program.tasks.end(), tasks.before.begin(), tasks.before.end());
    for (std::uint32_t b = 0; b < before && !is_root; ++b) program.tasks[first + b].next.push_back(exchange);
    std::vector<DeviceTask> after;
    for (const auto& [task, start] : tasks.after) {
      const std::uint32_t number = exchange + 1 + static_cast<std::uint32_t>(after.size());
      after.push_back(task);
      if (start == Start::exchanged) after.back().waits = 1, rail.next.push_back(number);
      if (start != Start::scattered || is_root) continue;
      after.back().waits = before;
      for (std::uint32_t b = 0; b < before; ++b) program.tasks[first + b].next.push_back(number);
    }
    program.tasks.push_back(std::move(rail));
    program.tasks.insert(program.tasks.end(), after.begin(), after.end());
  }
  return program;
}

// ---- exchanges

void SlicedJob::add_rails(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const Pair& pair) const {
  for (std::size_t r = 0; r < programs.size(); ++r) {
    std::map<std::uint16_t, unsigned> pairs;
    for (const std::size_t to : rails_.begin()->second.receivers(server_of(r)))
      pairs[static_cast<std::uint16_t>(to)] = pair(r, to * each_ + place_of(r));
    for (std::size_t s = 0; s < slices_.size(); ++s) {
      auto work = std::make_shared<RailWork>();
      work->kind = RailWork::Kind::commands;
      work->commands =
          rails_.at(slices_[s].bytes)
              .of(server_of(r), exchanged(r, slices_[s]), mailboxes + s * mailbox_of_slice_, static_cast<std::uint16_t>(s));
      work->commands.pairs = pairs;
      programs[r].network.push_back(std::move(work));
    }
  }
}

}  // namespace tributary
