#include "testbench/codegen/reading_copies.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "modules/base/index.h"

namespace tributary {
namespace {

using Kind = StreamCommand::Kind;

class ReadingCopies {
 public:
  ReadingCopies(std::vector<StreamProgram> programs, const std::vector<int>& endpoints, unsigned queues)
      : programs_(std::move(programs)),
        endpoints_(endpoints),
        queues_(queues),
        reads_(programs_.size()),
        senders_(programs_.size()) {
    for (std::size_t r = 0; r < endpoints.size(); ++r) rank_[endpoints[r]] = r;
  }

  std::vector<StreamProgram> made() {
    for (std::size_t r = 0; r < programs_.size(); ++r) find_moved(r);
    for (std::size_t r = 0; r < programs_.size(); ++r) take_copies(r);
    for (std::size_t r = 0; r < programs_.size(); ++r) place_streams(r), insert_reads(r);
    return std::move(programs_);
  }

 private:
  /// Reads of a receiver that end in a record of its own semaphore.
  struct Reads {
    std::uint32_t semaphore, value;
    std::vector<StreamCommand> commands;
  };
  /// Place in senders_ and semaphore of a receiver for the copies of one stream of a sender.
  struct Ahead {
    std::uint16_t stream;
    std::uint32_t semaphore, records = 0;
  };
  using Path = std::tuple<std::uint16_t, CopyPath, std::uint16_t>;              // stream, path, receiver
  using Semaphore = std::pair<std::uint16_t, std::uint32_t>;                    // GPU, number
  using Key = std::tuple<std::size_t, std::uint16_t, CopyPath, std::uint16_t>;  // sender, its stream, path, receiver

  /// Finds the semaphores of receivers whose records follow copies. All their records move, so that they stay in order.
  void find_moved(std::size_t sender) {
    std::set<Path> copies;
    for (const StreamCommand& c : programs_[sender].commands) {
      if (c.kind == Kind::copy) copies.insert({c.stream, c.path, c.peer});
      if (c.kind == Kind::record && copies.erase({c.stream, c.path, c.peer}) != 0) moved_.insert({c.peer, c.semaphore});
    }
  }

  void take_copies(std::size_t sender) {
    std::vector<StreamCommand> rest;
    std::map<Path, std::vector<StreamCommand>> copies;  // without a record yet
    for (const StreamCommand& c : programs_[sender].commands) {
      const Path key{c.stream, c.path, c.peer};
      if (c.kind == Kind::copy) {
        copies[key].push_back(c);
        continue;
      }
      rest.push_back(c);
      if (c.kind != Kind::record) continue;
      const std::uint32_t value = ++records_[{c.peer, c.semaphore}];
      if (moved_.count({c.peer, c.semaphore}) == 0) continue;
      rest.back().semaphore = move(sender, c, value, copies[key]);
      copies.erase(key);
    }
    for (const auto& [key, all] : copies) rest.insert(rest.end(), all.begin(), all.end());
    programs_[sender].commands = std::move(rest);
  }

  /// Makes the receiver read the copies, and returns the semaphore that the sender records in their place. `value`: of the
  /// former semaphore after this record.
  std::uint32_t move(std::size_t sender, const StreamCommand& record, std::uint32_t value,
                     const std::vector<StreamCommand>& copies) {
    const std::size_t receiver = rank_.at(record.peer);
    StreamProgram& program = programs_[receiver];
    const auto [place, fresh] = ahead_.try_emplace(Key{sender, record.stream, record.path, record.peer});
    Ahead& ahead = place->second;
    if (fresh) {
      ahead = {static_cast<std::uint16_t>(senders_[receiver].size()), program.semaphores++, 0};
      senders_[receiver].push_back({sender, record.path});
    }
    Reads reads{record.semaphore, value, {}};
    const auto add = [&](Kind kind, int peer, std::uint32_t semaphore, std::uint32_t wanted) -> StreamCommand& {
      StreamCommand& c = reads.commands.emplace_back();
      c.kind = kind, c.path = record.path, c.stream = ahead.stream, c.chunk = record.chunk;
      c.peer = static_cast<std::uint16_t>(peer), c.semaphore = semaphore, c.value = wanted;
      return c;
    };
    add(Kind::wait, endpoints_[sender], ahead.semaphore, ++ahead.records);
    for (const StreamCommand& copy : copies) {
      StreamCommand& c = add(Kind::copy, endpoints_[sender], 0, 0);
      c.reads = true;
      c.source = copy.source, c.destination = copy.destination, c.bytes = copy.bytes, c.chunk = copy.chunk;
    }
    add(Kind::record, endpoints_[receiver], record.semaphore, 0);
    reads_[receiver].push_back(std::move(reads));
    return ahead.semaphore;
  }

  /// Sets the streams of the reads: one for each stream of a sender, or for each sender and path if a GPU would have more
  /// streams than hardware queues.
  void place_streams(std::size_t receiver) {
    StreamProgram& program = programs_[receiver];
    const bool alone = program.streams + senders_[receiver].size() <= queues_;
    std::map<std::pair<std::size_t, CopyPath>, std::uint16_t> shared;
    std::vector<std::uint16_t> streams;
    for (const auto& sender : senders_[receiver]) {
      const auto [place, fresh] = shared.try_emplace(sender, static_cast<std::uint16_t>(program.streams));
      if (fresh || alone) place->second = static_cast<std::uint16_t>(program.streams++);
      streams.push_back(place->second);
    }
    for (Reads& reads : reads_[receiver])
      for (StreamCommand& c : reads.commands) c.stream = streams[c.stream];
  }

  /// Inserts the reads of a receiver, each before the first command that waits for it.
  void insert_reads(std::size_t receiver) {
    std::map<std::uint32_t, std::vector<Reads>> waiting;  // by semaphore, in the order of values
    for (Reads& reads : reads_[receiver]) waiting[reads.semaphore].push_back(std::move(reads));
    std::map<std::uint32_t, std::size_t> inserted;
    std::vector<StreamCommand> all;
    const auto insert = [&](std::uint32_t semaphore, std::uint32_t value) {
      const auto found = waiting.find(semaphore);
      if (found == waiting.end()) return;
      for (std::size_t& next = inserted[semaphore]; next < found->second.size() && found->second[next].value <= value;
           ++next)
        all.insert(all.end(), found->second[next].commands.begin(), found->second[next].commands.end());
    };
    for (const StreamCommand& c : programs_[receiver].commands) {
      if (c.kind == Kind::wait) insert(c.semaphore, c.value);
      all.push_back(c);
    }
    for (const auto& [semaphore, reads] : waiting) insert(semaphore, ~std::uint32_t{0});
    programs_[receiver].commands = std::move(all);
  }

  std::vector<StreamProgram> programs_;
  const std::vector<int>& endpoints_;
  unsigned queues_;
  std::vector<std::vector<Reads>> reads_;                               // by receiver
  std::vector<std::vector<std::pair<std::size_t, CopyPath>>> senders_;  // by receiver: of each stream that is read
  std::map<int, std::size_t> rank_;
  std::set<Semaphore> moved_;
  std::map<Semaphore, std::uint32_t> records_;
  std::map<Key, Ahead> ahead_;
};

}  // namespace

std::vector<StreamProgram> reading_copies(std::vector<StreamProgram> programs, const std::vector<int>& endpoints,
                                          unsigned queues) {
  return ReadingCopies(std::move(programs), endpoints, queues).made();
}

}  // namespace tributary
