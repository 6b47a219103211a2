#include "testbench/codegen/schedule_streams.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "modules/base/index.h"
#include "testbench/codegen/stream_proof.h"
#include "testbench/codegen/stream_writer.h"
#include "testbench/workload/chunk_commands.h"

namespace tributary {
namespace {

enum StreamUse { sends, sums, last_waits };  // of streams
enum Signal { arrives, has_ended };          // of semaphores

/// A command of the schedule by its rank and its number there.
using Place = std::pair<int, std::size_t>;

/// What a semaphore has counted once something has happened.
struct Count {
  std::uint32_t semaphore = 0, value = 0;
};

class ScheduleStreams {
 public:
  ScheduleStreams(const JobSpec& job, const ChunkCommands& commands, const PathBetween& path, bool own_kernel_streams)
      : path_(path) {
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      commands_.push_back(commands.of_rank(static_cast<int>(r)));
      writers_.emplace_back(static_cast<std::uint16_t>(job.ranks[r]));
      streams_.emplace_back(commands_.back().size());
      ended_.emplace_back(commands_.back().size());
      told_.emplace_back(commands_.back().size(), false);
      awaited_.emplace_back();
    }
    find_senders();
    choose_streams(own_kernel_streams);
    find_told();
    for (const Place& place : order_of_issue()) write(place);
    for (std::size_t r = 0; r < writers_.size(); ++r) await_the_rest(writers_[r]);
  }

  std::vector<StreamProgram> programs(const JobSpec& job) {
    std::vector<StreamProgram> programs;
    for (StreamWriter& writer : writers_) programs.push_back(writer.finish(job.type, job.op));
    return programs;
  }

 private:
  const ChunkCommand& command(const Place& p) const { return commands_[at(p.first)][p.second]; }
  /// Nothing of the own rank happens: what it receives is there when it has arrived.
  static bool only_arrives(const ChunkCommand& c) { return c.receives && !c.reduce; }

  void find_senders() {
    for (std::size_t r = 0; r < commands_.size(); ++r)
      for (std::size_t i = 0; i < commands_[r].size(); ++i)
        if (const auto& to = commands_[r][i].send) sender_[{to->rank, to->command}] = {static_cast<int>(r), i};
  }

  void choose_streams(bool own_kernel_streams) {
    for (std::size_t r = 0; r < commands_.size(); ++r) {
      std::vector<std::optional<StreamKey>> onward(commands_[r].size());
      for (std::size_t i = 0; i < commands_[r].size(); ++i) {
        const ChunkCommand& c = commands_[r][i];
        if (!c.send) continue;
        const int peer = c.send->rank;
        streams_[r][i] = {sends, peer, 0, static_cast<int>(path_(static_cast<int>(r), peer))};
        for (const std::uint32_t before : c.after)
          if (commands_[r][before].chunk == c.chunk && !onward[before]) onward[before] = streams_[r][i];
      }
      for (std::size_t i = 0; i < commands_[r].size(); ++i)
        if (commands_[r][i].reduce)
          streams_[r][i] = onward[i] && !own_kernel_streams ? *onward[i] : StreamKey{sums, commands_[r][i].peer, 0, 0};
    }
  }

  /// Ends of commands that other streams of their rank wait for.
  void find_told() {
    for (std::size_t r = 0; r < commands_.size(); ++r)
      for (std::size_t i = 0; i < commands_[r].size(); ++i)
        if (!only_arrives(commands_[r][i]))
          for (const std::size_t before : ends_before({static_cast<int>(r), i}))
            if (!only_arrives(commands_[r][before]) && streams_[r][before] != streams_[r][i]) told_[r][before] = true;
  }

  /// Commands of its rank that a command waits for; those before a message that only arrives, too.
  std::vector<std::size_t> ends_before(const Place& place) const {
    std::vector<std::size_t> found;
    std::vector<std::size_t> open(command(place).after.begin(), command(place).after.end());
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (std::find(found.begin(), found.end(), next) != found.end()) continue;
      found.push_back(next);
      const ChunkCommand& c = command({place.first, next});
      if (only_arrives(c)) open.insert(open.end(), c.after.begin(), c.after.end());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  /// By the longest chain of commands before each, of as long ones by rank and number. The schedule has no cycle.
  std::vector<Place> order_of_issue() const {
    std::map<Place, std::vector<Place>> behind;
    std::map<Place, int> waits, level;
    for (std::size_t r = 0; r < commands_.size(); ++r)
      for (std::size_t i = 0; i < commands_[r].size(); ++i) {
        const Place here{static_cast<int>(r), i};
        waits[here], level[here];
        const auto follow = [&](const Place& before) { behind[before].push_back(here), ++waits[here]; };
        for (const std::uint32_t before : command(here).after) follow({here.first, before});
        if (const auto sender = sender_.find(here); sender != sender_.end()) follow(sender->second);
      }
    std::vector<Place> order;
    for (const auto& [place, count] : waits)
      if (count == 0) order.push_back(place);
    for (std::size_t done = 0; done < order.size(); ++done)
      for (const Place& next : behind[order[done]]) {
        level[next] = std::max(level[next], level[order[done]] + 1);
        if (--waits[next] == 0) order.push_back(next);
      }
    std::sort(order.begin(), order.end(),
              [&](const Place& a, const Place& b) { return std::pair(level[a], a) < std::pair(level[b], b); });
    return order;
  }

  void write(const Place& place) {
    const ChunkCommand& c = command(place);
    const std::size_t r = at(place.first);
    StreamWriter& writer = writers_[r];
    if (only_arrives(c)) return;
    writer.at_chunk(static_cast<std::uint32_t>(c.chunk));
    const std::uint16_t stream = writer.stream(streams_[r][place.second]);
    for (const std::size_t before : ends_before(place)) {
      const bool arrival = only_arrives(commands_[r][before]);
      if (arrival)
        await(place.first, stream, arrived_.at({place.first, before}));
      else if (streams_[r][before] != streams_[r][place.second])
        await(place.first, stream, ended_[r][before]);
    }
    if (c.reduce) {
      await(place.first, stream, arrived_.at(place));
      writer.add(stream, c.address, c.bytes, {c.from}, 1);
    }
    if (c.send) send(place, stream);
    if (told_[r][place.second]) {
      const std::uint32_t semaphore = writer.semaphore({has_ended, stream, 0, 0});
      ended_[r][place.second] = {semaphore, writer.record(stream, CopyPath::nvlink, writer, semaphore)};
    }
  }

  void send(const Place& place, std::uint16_t stream) {
    const ChunkCommand& c = command(place);
    const ChunkCommand::Target& to = *c.send;
    const CopyPath way = path_(place.first, to.rank);
    StreamWriter& receiver = writers_[at(to.rank)];
    const std::uint32_t semaphore = receiver.semaphore({arrives, place.first, stream, 0});
    writers_[at(place.first)].copy(stream, way, receiver.self(), c.address, to.address, c.bytes);
    arrived_[{to.rank, to.command}] = {semaphore, writers_[at(place.first)].record(stream, way, receiver, semaphore)};
  }

  /// A stream that has waited for as much waits no more.
  void await(int rank, std::uint16_t stream, const Count& count) {
    std::uint32_t& most = awaited_[at(rank)][{stream, count.semaphore}];
    if (most >= count.value) return;
    most = count.value;
    writers_[at(rank)].wait(stream, count.semaphore, count.value);
  }

  /// Of what comes last and no command needs.
  void await_the_rest(StreamWriter& writer) const {
    writer.at_chunk(StreamCommand::no_chunk);
    const auto semaphores = writer.semaphores();
    for (const auto& [key, semaphore] : semaphores)
      if (std::get<0>(key) == arrives && writer.unawaited(semaphore))
        writer.wait(writer.stream({last_waits, std::get<1>(key), std::get<2>(key), 0}), semaphore);
  }

  const PathBetween& path_;
  std::vector<std::vector<ChunkCommand>> commands_;                                        ///< [rank]
  std::vector<StreamWriter> writers_;                                                      ///< [rank]
  std::map<Place, Place> sender_;                                                          ///< of what a command receives
  std::vector<std::vector<StreamKey>> streams_;                                            ///< [rank][command]
  std::vector<std::vector<bool>> told_;                                                    ///< [rank][command]
  std::vector<std::vector<Count>> ended_;                                                  ///< [rank][command], if told
  std::map<Place, Count> arrived_;                                                         ///< what a command receives
  std::vector<std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t>> awaited_;  ///< [rank] stream, semaphore
};

}  // namespace

StreamPlan schedule_streams(const JobSpec& job, Bytes message, SizedSchedule sized, const PathBetween& path,
                            const StreamOptions& options) {
  const ChunkCommands commands(job, message, std::move(sized));
  StreamPlan made;
  made.programs = ScheduleStreams(job, commands, path, options.own_kernel_streams).programs(job);
  made.memory.assign(job.ranks.size(), commands.memory_bytes());
  prove_streams(job, message, made.programs, made.memory, options.queues);
  return made;
}

}  // namespace tributary
