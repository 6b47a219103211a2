#include "platforms/cluster/nic_fetch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tributary {

NicFetch::Pair& NicFetch::pair(unsigned queue_pair) {
  if (queue_pair >= pairs_.size()) pairs_.resize(queue_pair + 1);
  return pairs_[queue_pair];
}

void NicFetch::posted(unsigned queue_pair, const WriteRequest& request) { pair(queue_pair).requests.push(request); }

/// Returns the bytes of the next piece of a queue pair; 0 if its packet has no data.
std::uint32_t NicFetch::piece_bytes(const Pair& p) const {
  const WriteRequest& r = request(p, p.request);
  const std::uint32_t packet = std::min<std::uint32_t>(config_.mtu, r.bytes - p.offset);
  return std::min<std::uint32_t>(config_.read, data_in(r, p.offset, packet).bytes - p.done);
}

bool NicFetch::has_room(const Pair& p, std::uint32_t bytes) const {
  return (p.bytes == 0 || p.bytes + bytes <= config_.window) && (in_flight_ == 0 || in_flight_ + bytes <= config_.window);
}

/// Adds the next piece of a queue pair.
void NicFetch::stage(Pair& p, std::uint32_t bytes, Tick ready) {
  const WriteRequest& r = request(p, p.request);
  const std::uint32_t packet = std::min<std::uint32_t>(config_.mtu, r.bytes - p.offset);
  const DataRange data = data_in(r, p.offset, packet);
  const bool last = p.done + bytes == data.bytes;
  p.pieces.push(p.request, p.offset, data.before + p.done, bytes, last, ready, nullptr);
  p.bytes += bytes;
  p.done += bytes;
  if (!last) return;
  p.done = 0;
  p.offset += packet;
  if (p.offset >= r.bytes) ++p.request, p.offset = 0;
}

/// Packets without data are ready at once.
void NicFetch::stage_empty(Pair& p) {
  while (fetches(p) && p.done == 0 && piece_bytes(p) == 0) stage(p, 0, 0);
}

bool NicFetch::next_read(Read& read) {
  for (std::size_t left = pairs_.size(); left != 0; --left) {
    const unsigned queue_pair = turn_;
    Pair& p = pairs_[queue_pair];
    turn_ = turn_ + 1 == pairs_.size() ? 0 : turn_ + 1;
    stage_empty(p);
    if (!fetches(p)) continue;
    const std::uint32_t bytes = piece_bytes(p);
    if (!has_room(p, bytes)) continue;
    if (free_.empty()) free_.push_back(static_cast<std::uint32_t>(reads_.size())), reads_.emplace_back();
    const WriteRequest& r = request(p, p.request);
    const std::uint32_t packet = std::min<std::uint32_t>(config_.mtu, r.bytes - p.offset);
    read = {queue_pair, free_.back(), r.local + data_in(r, p.offset, packet).offset + p.done, bytes};
    free_.pop_back();
    reads_[read.tag] = {queue_pair, p.first_piece + p.pieces.size(), bytes};
    stage(p, bytes, never);
    in_flight_ += bytes;
    return true;
  }
  return false;
}

/// Returns the time at which the first packet of a queue pair has its data; `never` if they are incomplete.
Tick NicFetch::ready(const Pair& p) {
  Tick all = 0;
  for (std::uint32_t i = 0; i < p.pieces.size(); ++i) {
    all = std::max(all, p.pieces[i].ready);
    if (all == never || p.pieces[i].last) return all;
  }
  return never;
}

bool NicFetch::answered(std::uint32_t tag, Packet* data, Tick when, unsigned& queue_pair) {
  const InFlight read = reads_.at(tag);
  free_.push_back(tag);
  in_flight_ -= read.bytes;
  queue_pair = read.queue_pair;
  Pair& p = pairs_[read.queue_pair];
  if (read.piece < p.first_piece) {  // the queue pair has been rewound since
    dropped_ += read.bytes;
    data->release();
    return false;
  }
  Piece& piece = p.pieces[static_cast<std::uint32_t>(read.piece - p.first_piece)];
  piece.ready = when;
  piece.data = data;
  return p.waits && ready(p) != never;
}

void NicFetch::drop_front(Pair& p) {
  const Piece& piece = p.pieces.front();
  if (piece.data != nullptr) dropped_ += piece.bytes, piece.data->release();
  p.bytes -= piece.bytes;
  p.pieces.pop();
  ++p.first_piece;
}

/// Makes the payload the first one that is staged, or is to be fetched. After a rewind it is an earlier one than the first,
/// and after an ACK of packets that are sent again a later one.
void NicFetch::align(Pair& p, const Payload& payload) {
  const auto wanted = std::pair(payload.request, payload.offset);
  const auto first = [&] { return std::pair(p.pieces.front().request, p.pieces.front().offset); };
  while (!p.pieces.empty() && first() < wanted) drop_front(p);
  while (!p.pieces.empty() && first() > wanted) drop_front(p);
  if (!p.pieces.empty()) return;
  if (std::pair(p.request, p.offset) == wanted && p.done == 0) return;
  p.request = payload.request, p.offset = payload.offset, p.done = 0;
}

Tick NicFetch::available(const Payload& payload) {
  Pair& p = pair(payload.queue_pair);
  forget(p, payload.unacknowledged);
  align(p, payload);
  stage_empty(p);
  const Tick when = ready(p);
  p.waits = when == never;
  return when;
}

/// Requests that have been acknowledged are not sent again.
void NicFetch::forget(Pair& p, std::uint64_t unacknowledged) {
  while (p.first_request < unacknowledged) p.requests.pop(), ++p.first_request;
}

void NicFetch::nothing_left(unsigned queue_pair, std::uint64_t unacknowledged) {
  Pair& p = pair(queue_pair);
  while (!p.pieces.empty()) drop_front(p);
  forget(p, unacknowledged);
  p.request = p.first_request + p.requests.size();
  p.offset = p.done = 0;
  p.waits = false;
}

void NicFetch::take(const Payload& payload, std::byte* to) {
  Pair& p = pairs_[payload.queue_pair];
  for (bool last = false; !last; p.pieces.pop(), ++p.first_piece) {
    Piece& piece = p.pieces.front();
    last = piece.last;
    p.bytes -= piece.bytes;
    if (piece.data == nullptr) continue;
    if (to != nullptr && piece.data->payload != nullptr) std::memcpy(to + piece.at, piece.data->payload, piece.bytes);
    piece.data->release();
  }
}

void NicFetch::reset() {
  for (Pair& p : pairs_)
    while (!p.pieces.empty()) drop_front(p);
  pairs_.clear();
  reads_.clear();
  free_.clear();
  turn_ = in_flight_ = 0;
  dropped_ = 0;
}

}  // namespace tributary
