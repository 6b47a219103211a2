#include "testbench/family/nvswitch/traffic_load.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {
namespace {

constexpr std::uint64_t flit = 16;

[[noreturn]] void refuse(const char* what) { throw std::invalid_argument(std::string("bound: ") + what); }

}  // namespace

TrafficLoad::TrafficLoad(const BoundInput& in) : in_(in), gpus_(in.boards.size()) {
  if (in.boards.size() < 2) refuse("at least 2 ranks");
  if (in.message.value == 0) refuse("the message is empty");
  if (in.link_rate.value == 0 || in.links_per_gpu < 1 || in.trunks < 1) refuse("no links");
  const auto [lowest, highest] = std::minmax_element(in.boards.begin(), in.boards.end());
  if (*lowest < 0) refuse("a negative board");
  boards_.resize(static_cast<std::size_t>(*highest) + 1);
}

TrafficLoad::Wire TrafficLoad::wire(std::uint64_t bytes) const {
  const std::uint64_t blocks = blocks_of(bytes), payload = (bytes + flit - 1) / flit;
  const double requests = static_cast<double>(blocks * flit);
  return {static_cast<double>((blocks + payload) * flit), requests, in_.acks == AckMode::none ? 0 : requests};
}

void TrafficLoad::move(int from, int to, double bytes) {
  gpus_[static_cast<std::size_t>(from)].out += bytes;
  gpus_[static_cast<std::size_t>(to)].into += bytes;
  if (board(from) == board(to)) return;
  boards_[board(from)].out += bytes;
  boards_[board(to)].into += bytes;
}

void TrafficLoad::write(int from, int to, std::uint64_t bytes) {
  const Wire w = wire(bytes);
  move(from, to, w.data);
  move(to, from, w.acks);
}

void TrafficLoad::multicast(int from, std::uint64_t bytes) {
  const Wire w = wire(bytes);
  std::set<std::size_t> far;
  gpus_[static_cast<std::size_t>(from)].out += w.data;
  for (int r = 0; r < static_cast<int>(gpus_.size()); ++r) {
    if (r == from) continue;
    gpus_[static_cast<std::size_t>(r)].into += w.data;
    move(r, from, w.acks);
    if (board(r) != board(from)) far.insert(board(r));
  }
  if (!far.empty()) boards_[board(from)].out += w.data;
  for (const std::size_t b : far) boards_[b].into += w.data;
}

void TrafficLoad::pull(int by, std::uint64_t bytes) {
  const Wire w = wire(bytes);
  std::set<std::size_t> far;
  gpus_[static_cast<std::size_t>(by)].out += w.requests;
  gpus_[static_cast<std::size_t>(by)].into += w.data;
  for (int r = 0; r < static_cast<int>(gpus_.size()); ++r) {
    if (r == by) continue;
    gpus_[static_cast<std::size_t>(r)].into += w.requests;
    gpus_[static_cast<std::size_t>(r)].out += w.data;
    if (board(r) != board(by)) far.insert(board(r));
  }
  if (far.empty()) return;
  boards_[board(by)].out += w.requests;
  boards_[board(by)].into += w.data;
  for (const std::size_t b : far) {
    boards_[b].into += w.requests;
    boards_[b].out += w.data;
  }
}

void TrafficLoad::push(int root, std::uint64_t bytes) {
  const Wire w = wire(bytes);
  const auto send = [&](std::size_t from,
                        double there) {  // half of the traffic to and from home ports is on the other board
    boards_[from].out += there / 2;
    boards_[1 - from].into += there / 2;
  };
  const bool two_boards = in_.board_count > 1 && boards_.size() <= 2;
  if (two_boards) boards_.resize(2);
  for (int r = 0; r < static_cast<int>(gpus_.size()); ++r) {
    gpus_[static_cast<std::size_t>(r)].out += w.data;
    if (two_boards) send(board(r), w.data);
  }
  gpus_[static_cast<std::size_t>(root)].out += w.acks;
  gpus_[static_cast<std::size_t>(root)].into += w.data;
  if (!two_boards) return;
  send(board(root), w.acks);
  send(1 - board(root), w.data);
}

double TrafficLoad::bound_GBps() const {
  double longest = 0;
  for (const Use& use : gpus_) longest = std::max(longest, std::max(use.out, use.into) / in_.links_per_gpu);
  for (const Use& use : boards_) longest = std::max(longest, std::max(use.out, use.into) / in_.trunks);
  if (longest == 0) return 0;
  return static_cast<double>(in_.message.value) / (longest / static_cast<double>(in_.link_rate.value)) / 1e9;
}

}  // namespace tributary::collective
