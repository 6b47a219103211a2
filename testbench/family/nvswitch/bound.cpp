#include "testbench/family/nvswitch/bound.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tributary::collective {
namespace {

constexpr std::uint64_t flit = 16, block = 128;

/// Bytes of a message on the wire, and the ranks that take part.
struct Traffic {
  /// `unit`: payload of a packet.
  explicit Traffic(const BoundInput& in, std::uint64_t unit = block);

  double data = 0;      ///< the message as packets: 16 B header and whole flits of payload for each block
  double requests = 0;  ///< one flit for each block: a PULL
  double acks = 0;      ///< one flit for each block, or nothing
  double p = 0;         ///< ranks
  bool merged = false;  ///< one ack of a multicast returns over any link
  std::vector<double> on_board;

  /// Returns the bytes of the acks of `receivers` receivers on a link towards the writer.
  double acks_of(double receivers) const { return merged && receivers > 0 ? acks : receivers * acks; }
};

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("bound: " + what); }

Traffic::Traffic(const BoundInput& in, std::uint64_t unit) {
  if (in.boards.size() < 2) refuse("at least 2 ranks");
  if (in.message.value == 0) refuse("the message is empty");
  if (in.link_rate.value == 0 || in.links_per_gpu < 1 || in.trunks < 1) refuse("no links");
  if (in.board_count < 1 || in.plane_switches < in.board_count) refuse("no switches");
  on_board.assign(static_cast<std::size_t>(in.board_count), 0);
  for (const int b : in.boards) {
    if (b < 0 || b >= in.board_count)
      refuse("no board " + std::to_string(b) + "; legal are 0 to " + std::to_string(in.board_count - 1));
    on_board[static_cast<std::size_t>(b)] += 1;
  }
  const std::uint64_t m = in.message.value;
  const std::uint64_t blocks = (m + unit - 1) / unit, payload_flits = (m + flit - 1) / flit;
  data = static_cast<double>((blocks + payload_flits) * flit);
  requests = static_cast<double>(blocks * flit);
  acks = in.acks == AckMode::none ? 0 : requests;
  merged = in.acks == AckMode::merged;
  p = static_cast<double>(in.boards.size());
}

/// Arguments: bytes of the busiest direction of a GPU, and of the busiest direction between a board and the rest.
double bound(const BoundInput& in, double gpu_bytes, double cut_bytes) {
  const double time =
      std::max(gpu_bytes / in.links_per_gpu, cut_bytes / in.trunks) / static_cast<double>(in.link_rate.value);
  return static_cast<double>(in.message.value) / time / 1e9;
}

/// Returns the maximum over all boards of `bytes` (ranks on the board, ranks elsewhere).
template <class F>
double busiest_cut(const Traffic& t, F bytes) {
  double most = 0;
  for (const double here : t.on_board) most = std::max(most, bytes(here, t.p - here));
  return most;
}

}  // namespace

// Out of a GPU: every block as RED_WRITE, and the ack of every result. Into it: the results. RED_WRITEs have no ack. Each
// board holds one home switch of each plane. Out of a board: the uncombined operands of its ranks for homes elsewhere, their
// acks, and, if ranks are elsewhere, the results of its own homes, once. Into it: the reverse.
double push_bound_GBps(const BoundInput& in) {
  const Traffic t(in);
  const double home = 1.0 / in.plane_switches;
  const double cut = busiest_cut(t, [&](double here, double there) {
    const double out = (here * t.data + t.acks_of(here)) * (1 - home) + (there > 0 ? t.data * home : 0);
    const double into = (there * t.data + t.acks_of(there)) * home + (here > 0 ? t.data * (1 - home) : 0);
    return std::max(out, into);
  });
  return bound(in, t.data + t.acks, cut);
}

// A GPU owns 1/p of the blocks. Out: PULLs of its share, responses to the other shares, MC_WRITEs of its share, acks of
// the others'. Into it: the others' PULLs, one response for each block of its share (reduced on the path), the others'
// results, and p-1 acks for each block of its own (merged: one).
// Between a board and the rest, for each block: the PULL, one response (a subtree is reduced below the cut) and the
// MC_WRITE cross once; the ack of every receiver on the other side comes back.
double pull_bound_GBps(const BoundInput& in) {
  const Traffic t(in);
  const double own = 1 / t.p, others = (t.p - 1) / t.p;
  const double out = t.requests * own + t.data * others + t.data * own + t.acks * others;
  const double into = t.requests * others + t.data * own + t.data * others + t.acks_of(t.p - 1) * own;
  const double cut = busiest_cut(t, [&](double here, double there) {
    if (here == 0 || there == 0) return 0.0;
    const auto from = [&](double these, double those) {
      return these * own * (t.requests + t.data) + those * own * (t.data + t.acks_of(these));
    };
    return std::max(from(here, there), from(there, here));
  });
  return bound(in, std::max(out, into), cut);
}

namespace {

// As a pull, but the switches also read the requester's own operand and store its own result. Loads, out of a GPU: requests
// of its share, answers to all shares; into it: the requests of all, the sums of its share. Stores, out of a GPU: those of
// its share, an ack for each store of all; into it: the stores of all, the acks of all members for its own (merged: one).
// Loads have packets of `payload`, and stores of a block.
double nvls_bound(const BoundInput& in, bool loads, bool stores) {
  const Traffic t(in), parts(in, in.payload.value);
  const double own = 1 / t.p;
  double out = 0, into = 0;
  if (loads) out += parts.requests * own + parts.data, into += parts.requests + parts.data * own;
  if (stores) out += t.data * own + t.acks, into += t.data + t.acks_of(t.p) * own;
  const double cut = busiest_cut(t, [&](double here, double there) {
    if (here == 0 || there == 0) return 0.0;
    const auto from = [&](double these, double those) {
      double bytes = 0;
      if (loads) bytes += these * own * parts.requests + those * own * parts.data;
      if (stores) bytes += these * own * t.data + those * own * t.acks_of(these);
      return bytes;
    };
    return std::max(from(here, there), from(there, here));
  });
  return bound(in, std::max(out, into), cut);
}

}  // namespace

double nvls_bound_GBps(const BoundInput& in) { return nvls_bound(in, true, true); }
double nvls_reduce_scatter_bound_GBps(const BoundInput& in) { return nvls_bound(in, true, false); }
double nvls_allgather_bound_GBps(const BoundInput& in) { return nvls_bound(in, false, true); }

// Every rank sends (p-1)/p of the message twice to the next, and acks as many blocks to the previous one.
// Between a board and the rest: a closed ring leaves as often as it comes back; data of the edges in one direction, acks of
// the others.
double ring_bound_GBps(const BoundInput& in) {
  const Traffic t(in);
  const double edge_bytes = 2 * (t.p - 1) / t.p * (t.data + t.acks);
  std::vector<double> leaves(t.on_board.size(), 0);  // edges out of each board
  for (std::size_t r = 0; r < in.boards.size(); ++r)
    if (in.boards[r] != in.boards[(r + 1) % in.boards.size()]) leaves[static_cast<std::size_t>(in.boards[r])] += 1;
  return bound(in, edge_bytes, *std::max_element(leaves.begin(), leaves.end()) * edge_bytes);
}

// The root sends every block once and is acked by all p-1 receivers: from 11 ranks on, 16(p-1) B of acks against 144 B.
// A receiver takes the data and sends one ack for each block. Between a board and the rest: the data once, the acks of all
// receivers on the other side than the root. The acks of the last waves are not waited for.
double broadcast_bound_GBps(const BoundInput& in, int root) {
  const Traffic t(in);
  if (root < 0 || root >= static_cast<int>(in.boards.size())) refuse("no root rank " + std::to_string(root));
  const double there = t.p - t.on_board[static_cast<std::size_t>(in.boards[static_cast<std::size_t>(root)])];
  const auto window = static_cast<double>(std::min(in.window, in.message).value);
  const double waited = 1 - window / static_cast<double>(in.message.value);
  return bound(in, std::max(t.data, t.acks_of(t.p - 1) * waited),
               there > 0 ? std::max(t.data, t.acks_of(there) * waited) : 0);
}

}  // namespace tributary::collective
