#pragma once
/// ChunkModel: predicts the time of a message over weighted trees for a chunk size, as a pipeline of copies and kernels
/// (docs/systems/blink.md#codegen).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "testbench/collective/packing/packed_schedule.h"

namespace tributary::collective {

/// Times that a chunk costs in addition to its bytes [unit: s], and rates of GPUs.
struct ChunkCosts {
  double launch = 0;         ///< start of a copy, which holds its links and a copy engine
  double wait = 0;           ///< wait for a chunk or a sum
  double record = 0;         ///< signal after a copy
  double kernel_launch = 0;  ///< start of a kernel
  double byte_added = 0;     ///< time of a kernel for a byte of a sum of two arrays
  unsigned fan_in = 4;       ///< mailboxes that one kernel adds
  unsigned engines = 1;      ///< copy engines of a GPU
  /// Copies are reads by the receiver, after a record of the sender. Each holds its links and a copy engine for the time
  /// from its first request to the first data, too. Empty: the sender writes.
  std::optional<double> read_trip = {};
};

/// The links of copies from one rank to another.
struct ChunkWire {
  double byte = 0;      ///< time of a byte [unit: s]
  bool shared = false;  ///< the copies of a rank to all its peers use the same links, and so do all copies to a rank
};

/// The time of a message has two parts. The *load* is the time in which the busiest resource serves all chunks: the links of
/// a pair, the copy engines and the kernels of a GPU, or one stream of commands. The *fill* is the time of the first chunk
/// on its path up and down its tree, without the hop that counts as load. A stream waits for half of a copy in the part of
/// the time in which other trees use its links.
class ChunkModel {
 public:
  /// `request`: its chunk size is ignored. `wire`: links of copies of a tree of the request from one rank to another. Throws
  /// as packed_schedule() does.
  ChunkModel(TreeRequest request, const std::function<ChunkWire(int tree, int from, int to)>& wire, const ChunkCosts& costs);

  /// Returns the predicted time of the message with chunks of at most `chunk` bytes [unit: s].
  double seconds(std::uint64_t chunk) const;
  /// Returns the fastest of the preferred numbers 16 kB, 20 kB, 25 kB ... 64 MB (ten for each power of ten) that cut the
  /// message into at most 2 000 chunks; of equally fast ones the largest. Larger messages have chunks of their 2 000th part.
  std::uint64_t best() const;

 private:
  /// A copy of a chunk, or the sum at a root (from == to).
  struct Hop {
    int tree = 0, from = 0, to = 0;
    unsigned waits = 0, sums = 0;  ///< chunks that it needs, arrays that it adds to its own
    bool records = true;
  };
  struct Route {
    std::uint64_t bytes = 0;
    std::vector<Hop> hops;
    std::vector<std::vector<std::size_t>> paths;  ///< hops of the first chunk, from a leaf to the root or back
  };
  struct Cut {
    double chunks = 0, bytes = 0;  ///< number and mean size
  };
  struct Load;

  static Cut cut(std::uint64_t bytes, std::uint64_t chunk);
  void add_hops(const ChunkRoute& route, Route& made) const;
  double copy(const Hop& hop, double bytes) const;
  double kernels(const Hop& hop, double bytes) const;
  double command(const Hop& hop, double bytes) const;
  bool reads(const Hop& hop) const { return costs_.read_trip && hop.from != hop.to; }
  /// Returns the time of the second record and wait of a copy that reads; 0 for any other hop.
  double handover(const Hop& hop) const;
  Load load(std::uint64_t chunk) const;
  double fill(const Route& route, const Cut& pieces) const;

  ChunkCosts costs_;
  std::uint64_t message_;
  std::vector<Route> routes_;
  std::map<std::tuple<int, int, int>, ChunkWire> wires_;  ///< by tree, from, to
};

}  // namespace tributary::collective
