#include "testbench/interchange/msccl/export.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "modules/base/index.h"
#include "testbench/interchange/msccl/chunk_homes.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/interchange/msccl/transfer_order.h"
#include "testbench/interchange/msccl/writer.h"
#include "testbench/workload/input_error.h"

namespace tributary::msccl {
namespace {

using collective::Schedule;
using collective::ScheduleError;

struct Ends {
  int send = -1, receive = -1, channel = 0;
};
bool operator<(const Ends& a, const Ends& b) {
  return std::tie(a.send, a.receive, a.channel) < std::tie(b.send, b.receive, b.channel);
}

/// The thread blocks of one GPU. Steps are added in an order of execution.
class GpuWriter {
 public:
  explicit GpuWriter(Gpu& gpu) : gpu_(gpu) {}

  /// All thread blocks must be known before steps are written, because their numbers depend on their peers.
  void add_block(const Ends& ends) { blocks_.emplace(ends, 0); }
  void number_blocks() {
    for (auto& [ends, number] : blocks_) {
      number = static_cast<int>(gpu_.blocks.size());
      gpu_.blocks.push_back({ends.send, ends.receive, ends.channel, {}, 0});
    }
    awaited_.resize(gpu_.blocks.size());
  }

  struct Written {
    int block = 0, step = 0;
  };
  /// Drops dependencies on the same thread block, and on steps for which an earlier step has waited. Each dependency but the
  /// last requires a `nop`.
  Written write(const Ends& ends, Step step, const std::vector<Written>& after) {
    const int block = blocks_.at(ends);
    std::vector<Step>& steps = gpu_.blocks[at(block)].steps;
    std::map<int, int>& awaited = awaited_[at(block)];
    std::map<int, int> latest;
    for (const Written& w : after)
      if (const auto known = awaited.find(w.block); w.block != block && (known == awaited.end() || known->second < w.step))
        latest[w.block] = std::max(latest[w.block], w.step);
    std::size_t left = latest.size();
    for (const auto& [other, number] : latest) {
      awaited[other] = number;
      step.depends_tb = other, step.depends_step = number;
      if (--left == 0) break;
      Step nop;
      nop.destination.buffer = Buffer::output;
      nop.depends_tb = other, nop.depends_step = number;
      steps.push_back(nop);
    }
    steps.push_back(step);
    return {block, static_cast<int>(steps.size()) - 1};
  }

 private:
  Gpu& gpu_;
  std::map<Ends, int> blocks_;
  std::vector<std::map<int, int>> awaited_;  ///< [block] for each other block, the last step waited for
};

Ends ends_of(const Transfer& t) { return t.sends ? Ends{t.peer, -1, t.channel} : Ends{-1, t.peer, t.channel}; }

Step step_of(const Transfer& t, const Place& place) {
  Step step;
  step.type = t.sends ? StepType::send : t.reduces ? StepType::receive_reduce_copy : StepType::receive;
  step.source = step.destination = place;
  step.count = 1;
  return step;
}

Algorithm written(const Schedule& schedule, const CollectiveRule& rule) {
  ChunkHomes homes(schedule, rule);
  Algorithm a = homes.frame();
  const std::vector<Transfer> transfers = transfers_of(schedule);
  std::vector<GpuWriter> writers;
  for (Gpu& gpu : a.gpus) writers.emplace_back(gpu);
  for (const Transfer& t : transfers) {
    a.channels = std::max(a.channels, t.channel + 1);
    writers[at(t.rank)].add_block(ends_of(t));
  }
  for (int r = 0; r < schedule.ranks; ++r) {
    const std::vector<Step> copies = homes.copies(r);
    if (!copies.empty()) writers[at(r)].add_block({});
    writers[at(r)].number_blocks();
    for (const Step& copy : copies) writers[at(r)].write({}, copy, {});
  }
  std::vector<GpuWriter::Written> places(transfers.size());
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& t = transfers[i];
    std::vector<GpuWriter::Written> after;
    for (const std::size_t other : t.after) after.push_back(places[other]);
    const Place place = t.signals ? homes.unused(t.rank) : homes.of(t.rank, t.chunk);
    places[i] = writers[at(t.rank)].write(ends_of(t), step_of(t, place), after);
  }
  homes.count_scratch(a);
  return a;
}

}  // namespace

Algorithm export_schedule(const Schedule& schedule, const std::string& collective) {
  const CollectiveRule* const rule = rule_of_collective(collective);
  if (rule == nullptr) throw ScheduleError("MSCCL has no collective " + collective);
  Algorithm algorithm = written(schedule, *rule);
  try {
    // Importing orders the messages of a thread block, which may require further channels.
    for (int round = 0; round < 8; ++round) {
      Algorithm again = written(import_schedule(algorithm, schedule.algorithm).schedule, *rule);
      if (xml_of(again) == xml_of(algorithm)) return algorithm;
      algorithm = std::move(again);
    }
  } catch (const InputError& error) {
    throw ScheduleError(error.what());
  }
  throw ScheduleError(schedule.algorithm + ": the exported file changes when it is imported and exported again");
}

}  // namespace tributary::msccl
