#include "testbench/collective/staged/exchanges.h"

#include <algorithm>

#include "testbench/collective/algorithm/direct.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {
namespace {

/// The program of one rank of an all-to-all. Slots of messages in a server are distances of servers, those of messages
/// between servers are places of origin.
class AlltoallProgram {
 public:
  AlltoallProgram(int servers, int each, int server, int place)
      : servers_(servers), each_(each), server_(server), place_(place) {}

  std::vector<Operation> make() {
    for (int d = 1; d < servers_; ++d) program_.send(rank(d, place_), chunk(rank(0, place_), rank(d, place_)), place_, {});
    send_in_server();
    relay();
    receive();
    return program_.finish();
  }

 private:
  /// Returns the rank of a place, `distance` servers after the own one.
  int rank(int distance, int place) const { return (server_ + distance) % servers_ * each_ + place; }
  int chunk(int from, int to) const { return from * servers_ * each_ + to; }

  /// Data for other servers leave first, because they have the longer path.
  void send_in_server() {
    int last = ProgramBuilder::nothing;
    for (int i = 1; i <= servers_; ++i)
      for (int k = 1; k < each_; ++k) {
        const int to = (place_ + k) % each_, distance = i % servers_;
        last = program_.send(rank(0, to), chunk(rank(0, place_), rank(distance, to)), distance, {last});
      }
  }
  void relay() {
    for (int d = 1; d < servers_; ++d)
      for (int k = 1; k < each_; ++k) {
        const int from = (place_ + each_ - k) % each_, c = chunk(rank(0, from), rank(d, place_));
        const int taken = program_.take(OperationKind::copy, rank(0, from), c, d, {});
        program_.send(rank(d, place_), c, from, {taken});
      }
  }
  void receive() {
    for (int k = 1; k < each_; ++k) {
      const int from = rank(0, (place_ + each_ - k) % each_);
      program_.take(OperationKind::copy, from, chunk(from, rank(0, place_)), 0, {});
    }
    for (int d = 1; d < servers_; ++d)
      for (int from = 0; from < each_; ++from)
        program_.take(OperationKind::copy, rank(d, place_), chunk(rank(d, from), rank(0, place_)), from, {});
  }

  int servers_, each_, server_, place_;
  ProgramBuilder program_;
};

void check(int servers, int each) {
  if (servers < 1 || each < 1)
    throw ScheduleError("direct: " + std::to_string(servers) + " servers with " + std::to_string(each) +
                        " ranks; at least one rank");
}

}  // namespace

Schedule alltoall_by_rails(int servers, int each) {
  check(servers, each);
  const int ranks = servers * each;
  Schedule schedule{"direct", ranks, ranks * ranks, std::max(servers, each), {}};
  for (int r = 0; r < ranks; ++r) {
    schedule.programs.push_back(AlltoallProgram(servers, each, r / each, r % each).make());
    for (int to = 0; to < ranks; ++to) schedule.goals.push_back({r, to});
  }
  return schedule;
}

Schedule sendrecv_by_rails(int servers, int each, int chunks) {
  check(servers, each);
  if (servers == 1 || each == 1) return pipelined(direct_sendrecv(servers * each), chunks);
  const int ranks = servers * each;
  Schedule schedule{"direct", ranks, ranks * chunks, 2 * chunks, {}};
  for (int r = 0; r < ranks; ++r) {
    const int place = r % each, first = r - place, last = first + each - 1, before = (first + ranks - 1) % ranks;
    const bool relayed = place + 1 == each;
    ProgramBuilder program;
    int sent = ProgramBuilder::nothing;
    for (int k = 0; k < chunks; ++k) {
      sent = program.send(relayed ? first : r + 1, r * chunks + k, relayed ? chunks + k : k, {sent});
      if (place == 0) {
        const int taken = program.take(OperationKind::copy, last, last * chunks + k, chunks + k, {});
        program.send((first + each) % ranks, last * chunks + k, k, {taken});
      }
      const int from = place == 0 ? before - each + 1 : r - 1, origin = place == 0 ? before : r - 1;
      program.take(OperationKind::copy, from, origin * chunks + k, k, {});
      schedule.goals.push_back({r, (r + 1) % ranks});
    }
    schedule.programs.push_back(program.finish());
  }
  return schedule;
}

}  // namespace tributary::collective
