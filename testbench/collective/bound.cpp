#include "testbench/collective/bound.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace tributary::collective {
namespace {

constexpr std::uint64_t flit = 16, block = 128;

/// What a message costs on the wire, and who takes part.
struct Traffic {
  explicit Traffic(const BoundInput& in);

  double data = 0;      ///< the message as packets: 16 B header and whole flits of payload for each block
  double requests = 0;  ///< one flit for each block: a PULL
  double acks = 0;      ///< one flit for each block, or nothing
  double p = 0;         ///< ranks
  std::array<double, 2> on_board{};
  bool straddles = false;
};

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("bound: " + what); }

Traffic::Traffic(const BoundInput& in) {
  if (in.boards.size() < 2) refuse("at least 2 ranks");
  if (in.message.value == 0) refuse("the message is empty");
  if (in.link_rate.value == 0 || in.links_per_gpu < 1 || in.trunks < 1) refuse("no links");
  for (const int b : in.boards) {
    if (b != 0 && b != 1) refuse("no board " + std::to_string(b) + "; legal are 0 and 1");
    on_board[static_cast<std::size_t>(b)] += 1;
  }
  const std::uint64_t m = in.message.value;
  const std::uint64_t blocks = (m + block - 1) / block, payload_flits = (m + flit - 1) / flit;
  data = static_cast<double>((blocks + payload_flits) * flit);
  requests = static_cast<double>(blocks * flit);
  acks = in.acks == AckMode::none ? 0 : requests;
  p = static_cast<double>(in.boards.size());
  straddles = on_board[0] > 0 && on_board[1] > 0;
}

/// Bytes of the busiest GPU direction, and in the busier direction between the boards.
double bound(const BoundInput& in, double gpu_bytes, double cut_bytes) {
  const double time =
      std::max(gpu_bytes / in.links_per_gpu, cut_bytes / in.trunks) / static_cast<double>(in.link_rate.value);
  return static_cast<double>(in.message.value) / time / 1e9;
}

}  // namespace

// Out of a GPU: every block as RED_WRITE, and the ack of every result. Into it: the results. RED_WRITEs have no ack.
// Between the boards: half of the blocks have their home port on the other board (32 ports of a plane, 16 on each). To
// those go the operands of all ranks here, uncombined, and their acks. Results of the blocks that are at home here cross
// once, if there is anybody.
double push_bound_GBps(const BoundInput& in) {
  const Traffic t(in);
  const auto from_board = [&](std::size_t b) {
    const bool anybody_there = t.on_board[1 - b] > 0;
    return t.on_board[b] * (t.data + t.acks) / 2 + (anybody_there ? t.data / 2 : 0);
  };
  return bound(in, t.data + t.acks, std::max(from_board(0), from_board(1)));
}

// A GPU owns 1/p of the blocks. Out: PULLs of its share, responses to the other shares, MC_WRITEs of its share, acks of
// the others'. Into it: the others' PULLs, one response for each block of its share (reduced on the way), the others'
// results, and p-1 acks for each block of its own.
// Between the boards, for each block: the PULL, one response (the far subtree is reduced there) and the MC_WRITE cross
// once; the ack of every receiver on the other board comes back.
double pull_bound_GBps(const BoundInput& in) {
  const Traffic t(in);
  const double own = 1 / t.p, others = (t.p - 1) / t.p;
  const double out = t.requests * own + t.data * others + t.data * own + t.acks * others;
  const double into = t.requests * others + t.data * own + t.data * others + t.acks * (t.p - 1) * own;
  const auto from_board = [&](std::size_t b) {
    const double owned_here = t.on_board[b] / t.p, owned_there = t.on_board[1 - b] / t.p;
    return owned_here * (t.requests + t.data) + owned_there * (t.data + t.on_board[b] * t.acks);
  };
  return bound(in, std::max(out, into), t.straddles ? std::max(from_board(0), from_board(1)) : 0);
}

// Every rank sends (p-1)/p of the message twice to the next, and acks as many blocks to the previous one.
// Between the boards: a closed ring crosses as often one way as the other; data of the edges this way, acks of the others.
double ring_bound_GBps(const BoundInput& in) {
  const Traffic t(in);
  const double edge_bytes = 2 * (t.p - 1) / t.p * (t.data + t.acks);
  double crossings = 0;
  for (std::size_t r = 0; r < in.boards.size(); ++r) crossings += in.boards[r] < in.boards[(r + 1) % in.boards.size()];
  return bound(in, edge_bytes, crossings * edge_bytes);
}

// The root sends every block once and is acked by all p-1 receivers: from 11 ranks on, 16(p-1) B of acks against 144 B.
// A receiver takes the data and sends one ack for each block. Between the boards: the data once, the acks of all there.
double broadcast_bound_GBps(const BoundInput& in, int root) {
  const Traffic t(in);
  if (root < 0 || root >= static_cast<int>(in.boards.size())) refuse("no root rank " + std::to_string(root));
  const double receivers_there = t.on_board[1 - static_cast<std::size_t>(in.boards[static_cast<std::size_t>(root)])];
  const double cut = t.straddles ? std::max(t.data, receivers_there * t.acks) : 0;
  return bound(in, std::max(t.data, (t.p - 1) * t.acks), cut);
}

}  // namespace tributary::collective
