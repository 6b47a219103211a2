#include "testbench/test/harness/stream_executor.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "testbench/workload/buffers.h"

namespace tributary {
namespace {

using Kind = StreamCommand::Kind;

workload::DataSpec data_of(const JobSpec& job) {
  workload::DataSpec data;
  data.type = job.type;
  data.op = job.op;
  return data;
}

}  // namespace

StreamExecutor::StreamExecutor(const JobSpec& job, Bytes message, const std::vector<StreamProgram>& programs,
                               const std::vector<std::uint64_t>& memory, unsigned queues, unsigned seed)
    : job_(job), message_(message), programs_(programs), random_(seed) {
  for (std::size_t r = 0; r < programs.size(); ++r) {
    rank_[job.ranks[r]] = static_cast<int>(r);
    Rank rank{std::vector<std::byte>(memory[r], std::byte{0x5A}), std::vector<std::uint32_t>(programs[r].semaphores, 0),
              std::vector<Queue>(queues), programs[r].commands.size()};
    for (std::size_t i = 0; i < programs[r].commands.size(); ++i)
      rank.queues[programs[r].commands[i].stream % queues].commands.push_back(static_cast<std::uint32_t>(i));
    ranks_.push_back(std::move(rank));
  }
  fill_buffers(job, message, data_of(job), [&](int r) { return ranks_[static_cast<std::size_t>(r)].memory.data(); });
}

std::byte* StreamExecutor::place(Rank& rank, std::uint64_t address, std::uint64_t bytes) {
  if (address + bytes > rank.memory.size()) throw std::out_of_range("beyond the memory");
  return rank.memory.data() + address;
}

bool StreamExecutor::can_run(const Rank& rank, const Queue& queue, const StreamProgram& program) const {
  if (queue.head == queue.commands.size()) return false;
  const StreamCommand& c = program.commands[queue.commands[queue.head]];
  return c.kind != Kind::wait || rank.semaphores.at(c.semaphore) >= c.value;
}

void StreamExecutor::run(std::size_t r, const StreamCommand& c) {
  Rank& rank = ranks_[r];
  if (c.kind == Kind::kernel)
    for (unsigned i = 0; i < c.input_count; ++i)
      apply(job_.op, job_.type, place(rank, c.destination, c.bytes), place(rank, c.inputs[i], c.bytes), c.bytes);
  if (c.kind != Kind::copy && c.kind != Kind::record) return;
  const int peer = rank_.at(c.peer);
  if (c.kind == Kind::record && peer == static_cast<int>(r)) {
    ++rank.semaphores.at(c.semaphore);
    return;
  }
  Letter letter;
  letter.destination = c.destination, letter.semaphore = c.semaphore;
  if (c.kind == Kind::copy) letter.data.assign(place(rank, c.source, c.bytes), place(rank, c.source, c.bytes) + c.bytes);
  in_flight_[{static_cast<int>(r), c.stream, peer, static_cast<int>(c.path)}].push_back(std::move(letter));
}

std::string StreamExecutor::deliver(int to, std::vector<Letter>& letters) {
  Rank& rank = ranks_[static_cast<std::size_t>(to)];
  if (rank.left == 0) return "something arrives late";
  const Letter& letter = letters.front();
  if (letter.data.empty())
    ++rank.semaphores.at(letter.semaphore);
  else
    std::memcpy(place(rank, letter.destination, letter.data.size()), letter.data.data(), letter.data.size());
  letters.erase(letters.begin());
  return {};
}

std::string StreamExecutor::run() {
  for (;;) {
    std::vector<std::pair<std::size_t, Queue*>> queues;
    std::vector<std::pair<int, std::vector<Letter>*>> routes;
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      for (Queue& queue : ranks_[r].queues)
        if (can_run(ranks_[r], queue, programs_[r])) queues.emplace_back(r, &queue);
    for (auto& [route, letters] : in_flight_)
      if (!letters.empty()) routes.emplace_back(route[2], &letters);
    if (queues.empty() && routes.empty()) break;
    // A third of the turns deliver an arrival; the others select uniformly among commands and arrivals.
    const std::size_t turn = random_() % 3 == 0 ? queues.size() : random_() % (queues.size() + routes.size());
    if (turn < queues.size() || routes.empty()) {
      auto& [r, queue] = queues[turn < queues.size() ? turn : random_() % queues.size()];
      run(r, programs_[r].commands[queue->commands[queue->head++]]);
      --ranks_[r].left;
    } else {
      auto& [to, letters] = routes[random_() % routes.size()];
      if (std::string late = deliver(to, *letters); !late.empty()) return late;
    }
  }
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    if (ranks_[r].left > 0) return "rank " + std::to_string(r) + " never ends";
  const auto memory = [&](int r) { return ranks_[static_cast<std::size_t>(r)].memory.data(); };
  const auto ranges = collective_of(job_.collective).result(job_, message_);
  const std::uint64_t wrong = count_wrong(ranges, data_of(job_), memory);
  return wrong == 0 ? "" : std::to_string(wrong) + " elements are wrong";
}

}  // namespace tributary
