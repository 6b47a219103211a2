#pragma once
/// StagedSchedule: a collective of GPUs in several servers as stages inside the servers and between them, and its proof.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/collective/staged/group_shape.h"

namespace tributary::collective {

/// A step of every chunk. GPUs of equal place of all servers form a rail; stages between servers run on each rail alone.
/// Rank g of q in a server carries 1/q of a chunk: m parts of m q, which are the parts i q + g of all i if `strided`, and
/// the parts g m to g m + m - 1 otherwise.
struct Stage {
  enum class Where : std::uint8_t { inside, between, all } where = Where::inside;  ///< all: flat, among all ranks
  std::string collective;  ///< name of the collective among the GPUs of a server or a rail
  std::string algorithm;   ///< inside: pull, ring, direct; between: ring, tree, netreduce, direct
  int stream = 0;          ///< commands of one stream are carried out in order; each stage of a schedule has its own
  bool strided = false;
  bool overwrites = false;  ///< writes its result over what it has read, in place of into the buffer of results
};

struct StagedSchedule {
  std::string collective, algorithm;
  GroupShape shape;
  int root = 0;
  std::vector<Stage> stages;
  std::uint64_t chunk = 0;  ///< bytes of the message that pass the stages as a unit
};

/// Rules within the servers and between them.
enum class InsideAlgorithm : std::uint8_t { pull, ring, direct };  ///< pull: switches add and multicast
enum class BetweenAlgorithm : std::uint8_t { ring, tree, netreduce, direct };

/// An algorithm for servers, INSIDE_BETWEEN.
struct StagedAlgorithm {
  std::string collective, name, about;
  InsideAlgorithm inside;
  BetweenAlgorithm between;
  bool flat = false;  ///< all ranks form one ring, server by server
};
/// Returns all algorithms; the first of a collective is its default.
const std::vector<StagedAlgorithm>& staged_algorithms();
/// Throws ScheduleError, one line with the algorithms of the collective.
const StagedAlgorithm& staged_algorithm(const std::string& collective, const std::string& name);

/// Returns one line with the collectives that have algorithms.
std::string unknown_collective(const std::string& name);

/// Work of a stage; the name of its collective has the rule.
enum class StageWork : std::uint8_t { allreduce, reduce_scatter, allgather, broadcast, scatter, alltoall, sendrecv };
/// Throws ScheduleError on an unknown name.
StageWork work_of(const Stage& stage);

/// Returns the stages of a collective. A group in one server runs INSIDE alone, a group with one rank in each server BETWEEN
/// alone, and a flat algorithm has one stage between all ranks. `chunk` is a 64th of `bytes`, at least 256 KiB, at most 4
/// MiB, and so large that a step of a ring and a message of a direct exchange between servers move 32 KiB. Throws
/// ScheduleError (one line) on an unknown algorithm and a root that does not exist.
StagedSchedule staged(const std::string& collective, const std::string& algorithm, const GroupShape& shape,
                      std::uint64_t bytes, int root);

/// Proves that at the end each rank holds each of its parts with the operand of every rank that the collective names exactly
/// once, that no stage writes where an earlier stage reads, and that each stage has a stream. Schedules within a stage have
/// their own proofs. Throws ScheduleError, one line with rank and part. Groups of more than 128 ranks are proved for four
/// servers.
void verify(const StagedSchedule& schedule);
/// Returns true if verify() proves the schedule with fewer servers than it has.
bool proved_for_fewer_servers(const GroupShape& shape);

}  // namespace tributary::collective
