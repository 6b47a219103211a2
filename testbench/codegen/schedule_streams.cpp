#include "testbench/codegen/schedule_streams.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "modules/base/index.h"
#include "testbench/codegen/stream_proof.h"
#include "testbench/codegen/stream_writer.h"
#include "testbench/workload/chunk_commands.h"

namespace tributary {
namespace {

enum StreamUse { sends, sums, last_waits };  // first field of the key of a stream
enum Signal { arrives, has_ended };          // first field of the key of a semaphore

/// A command of the schedule: its rank, and its number at that rank.
using Place = std::pair<int, std::size_t>;

/// The value that a semaphore reaches when an event has happened.
struct Count {
  static constexpr int other_rank = -1;
  std::uint32_t semaphore = 0, value = 0;
  int stream = other_rank;  ///< local stream that records it, or other_rank
};
using Counts = std::map<std::uint32_t, Count>;  ///< by semaphore

class ScheduleStreams {
 public:
  ScheduleStreams(const JobSpec& job, const ChunkCommands& commands, const PathBetween& path, bool own_kernel_streams)
      : path_(path) {
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      commands_.push_back(commands.of_rank(static_cast<int>(r)));
      writers_.emplace_back(static_cast<std::uint16_t>(job.ranks[r]));
      streams_.emplace_back(commands_.back().size());
      told_.emplace_back(commands_.back().size(), false);
      awaited_.emplace_back();
    }
    find_senders();
    choose_streams(own_kernel_streams);
    const std::vector<Place> order = order_of_issue();
    find_told(order);
    for (const Place& place : order) write(place);
    for (std::size_t r = 0; r < writers_.size(); ++r) await_the_rest(writers_[r]);
  }

  std::vector<StreamProgram> programs(const JobSpec& job) {
    std::vector<StreamProgram> programs;
    for (StreamWriter& writer : writers_) programs.push_back(writer.finish(job.type, job.op));
    return programs;
  }

 private:
  const ChunkCommand& command(const Place& p) const { return commands_[at(p.first)][p.second]; }
  /// True if the command needs no work at its rank: the message is complete when it has arrived.
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

  /// Finds the commands whose ends other streams of their rank wait for. If a message only arrives, its predecessors are
  /// awaited by the commands that wait for the message.
  void find_told(const std::vector<Place>& order) {
    std::map<Place, std::set<StreamKey>> behind;  // streams that wait for an arrival
    for (auto place = order.rbegin(); place != order.rend(); ++place) {
      const std::vector<StreamKey>& stream = streams_[at(place->first)];
      const std::set<StreamKey> waiters =
          only_arrives(command(*place)) ? behind[*place] : std::set<StreamKey>{stream[place->second]};
      for (const std::uint32_t number : command(*place).after) {
        const Place before{place->first, number};
        if (only_arrives(command(before)))
          behind[before].insert(waiters.begin(), waiters.end());
        else if (waiters.size() > waiters.count(stream[number]))
          told_[at(before.first)][number] = true;
      }
    }
  }

  /// Sorts the commands by the length of the longest chain of commands before each, then by rank and number. The schedule
  /// has no cycle.
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
    if (only_arrives(c)) {
      Counts all = before(place);
      add(all, arrived_.at(place));
      awaits_[place] = std::move(all);
      return;
    }
    writer.at_chunk(static_cast<std::uint32_t>(c.chunk));
    const std::uint16_t stream = writer.stream(streams_[r][place.second]);
    for (const auto& [semaphore, count] : before(place))
      if (count.stream != stream) await(place.first, stream, count);
    if (c.reduce) {
      await(place.first, stream, arrived_.at(place));
      writer.add(stream, c.address, c.bytes, {c.from}, 1);
    }
    if (c.send) send(place, stream);
    if (told_[r][place.second]) {
      const std::uint32_t semaphore = writer.semaphore({has_ended, stream, 0, 0});
      add(awaits_[place], {semaphore, writer.record(stream, CopyPath::nvlink, writer, semaphore), stream});
    }
  }

  /// Returns the counts of the commands before it, and of the messages that have arrived for them.
  Counts before(const Place& place) const {
    Counts all;
    for (const std::uint32_t number : command(place).after)
      if (const auto told = awaits_.find({place.first, number}); told != awaits_.end())
        for (const auto& [semaphore, count] : told->second) add(all, count);
    return all;
  }
  /// Keeps the greatest value of each semaphore, which implies all smaller ones.
  static void add(Counts& all, const Count& count) {
    Count& known = all.try_emplace(count.semaphore, count).first->second;
    known.value = std::max(known.value, count.value);
  }

  void send(const Place& place, std::uint16_t stream) {
    const ChunkCommand& c = command(place);
    const ChunkCommand::Target& to = *c.send;
    const CopyPath route = path_(place.first, to.rank);
    StreamWriter& receiver = writers_[at(to.rank)];
    const std::uint32_t semaphore = receiver.semaphore({arrives, place.first, stream, 0});
    writers_[at(place.first)].copy(stream, route, receiver.self(), c.address, to.address, c.bytes);
    arrived_[{to.rank, to.command}] = {semaphore, writers_[at(place.first)].record(stream, route, receiver, semaphore),
                                       Count::other_rank};
  }

  /// Adds a wait unless the stream has already waited for this value or a greater one.
  void await(int rank, std::uint16_t stream, const Count& count) {
    std::uint32_t& most = awaited_[at(rank)][{stream, count.semaphore}];
    if (most >= count.value) return;
    most = count.value;
    writers_[at(rank)].wait(stream, count.semaphore, count.value);
  }

  /// Waits for the last arrivals that no command needs.
  void await_the_rest(StreamWriter& writer) const {
    writer.at_chunk(StreamCommand::no_chunk);
    const auto semaphores = writer.semaphores();
    for (const auto& [key, semaphore] : semaphores)
      if (std::get<0>(key) == arrives && writer.unawaited(semaphore))
        writer.wait(writer.stream({last_waits, std::get<1>(key), std::get<2>(key), 0}), semaphore);
  }

  const PathBetween& path_;
  std::vector<std::vector<ChunkCommand>> commands_;  ///< [rank]
  std::vector<StreamWriter> writers_;                ///< [rank]
  std::map<Place, Place> sender_;                    ///< sender of the message that a command receives
  std::vector<std::vector<StreamKey>> streams_;      ///< [rank][command]
  std::vector<std::vector<bool>> told_;              ///< [rank][command]
  std::map<Place, Counts> awaits_;                   ///< counts for which a command's followers wait
  std::map<Place, Count> arrived_;                   ///< count of the message that a command receives
  std::vector<std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t>> awaited_;  ///< [rank] by (stream, semaphore)
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
