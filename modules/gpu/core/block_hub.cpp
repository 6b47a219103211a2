#include "modules/gpu/core/block_hub.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/host/wide.h"

namespace tributary {
namespace {

constexpr unsigned lane = 0;
constexpr unsigned half_block = block_bytes / 2;
constexpr unsigned half_line = 8;  // data of a line of 16 B

/// Returns the time of a packet at the rate of all links, rounded up.
Tick packet_time(Bandwidth rate) {
  const Wide picoseconds = static_cast<Wide>(NvLink::max_packet_flits * NvLink::flit_bytes) * 1'000'000'000'000ull;
  return static_cast<Tick>((picoseconds + rate.value - 1) / rate.value);
}

}  // namespace

BlockHub::BlockHub(EngineSeat seat, std::uint32_t burst)
    : seat_(seat),
      framing_{block_bytes, NvLink::header_bytes, static_cast<std::uint16_t>(burst)},
      block_time_(packet_time(seat.config().injection_rate)) {}

void BlockHub::begin(const StreamWork& work) {
  reset();
  work_ = &work;
  const auto& times = work.program.times;
  counts_ = !seat_.config().acks || (times && times->two_packets != 0);
}

std::uint32_t BlockHub::ports_to(std::uint16_t peer, CopyPath path) const {
  if (path != CopyPath::nvlink || work_ == nullptr || peer == seat_.config().gpu) return 0;
  const bool known = std::any_of(work_->peers.begin(), work_->peers.end(), [&](const auto& p) { return p.gpu == peer; });
  return known ? (std::uint32_t{1} << seat_.ports()) - 1 : 0;
}

// ---- copies

void BlockHub::open(CopyCommand& command, BurstSource& source) {
  const StreamWork::Peer* const peer = work_->find(command.peer, command.destination, command.bytes);
  if (peer == nullptr) throw std::logic_error("a copy to unmapped memory of gpu" + std::to_string(command.peer));
  if (free_copies_.empty()) {
    free_copies_.push_back(static_cast<std::uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  command.copy = free_copies_.back();
  free_copies_.pop_back();
  command.framing = framing_;
  command.lanes = static_cast<std::uint8_t>(copy_lanes(command.bytes, 1, framing_));
  Copy& c = copies_[command.copy];
  c.command = command;
  c.source = &source;
  c.network = peer->network + (command.destination - peer->local);
  c.order = order_of(command.peer, command.stream);
  c.held = 0, c.issues = false;
  users_.push_back(command.copy);
  copied_bytes_ += command.bytes;
}

void BlockHub::push(const Burst& burst, Tick ready, Tick) {
  Copy& c = copies_.at(burst.copy);
  if (c.held == bursts_ahead) throw std::logic_error("a copy engine sends a third burst without room");
  c.bursts[c.held++] = {ready, burst};
  ready_at_ = std::min(ready_at_, ready);
}

void BlockHub::close(std::uint32_t copy) {
  users_.erase(std::find(users_.begin(), users_.end(), copy));
  free_copies_.push_back(copy);
}

void BlockHub::handle(Tick now) {
  while (!ends_.empty() && ends_.front().when <= now) {
    const std::uint32_t copy = ends_.front().copy;
    ends_.pop();
    copies_[copy].source->left(copy, lane, now);
  }
  offer(now);
}

void BlockHub::offer(Tick now) {
  bool ready = false;
  ready_at_ = never;
  for (const std::uint32_t user : users_) {
    const Copy& c = copies_[user];
    if (may_issue(c, now))
      ready = true;
    else if (c.held != 0)
      ready_at_ = std::min(ready_at_, c.bursts[0].ready);
  }
  seat_.offer(ready, now);
}

bool BlockHub::issue(Tick now) {
  for (std::size_t i = 0; i < users_.size(); ++i) {
    const std::uint32_t user = users_[i];
    if (!may_issue(copies_[user], now)) continue;
    Copy& c = copies_[user];
    const Burst& burst = c.issues ? c.current : c.bursts[0].burst;
    const std::uint32_t done = c.issues ? c.done : 0;
    const EngineSeat::Place place = seat_.place_of(c.network + burst.offset + done);
    if (!seat_.pause_unless_room(place.where.plane, now)) return false;
    const bool begins = !c.issues;
    if (begins) begin_burst(c);
    send_block(c, place, length_of(c), now);
    // the copy becomes the last in the round robin
    const auto turn = users_.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(turn, turn + 1, users_.end());
    const bool ends = !c.issues, last = c.current.last;
    if (ends && last)
      ends_.insert_sorted([](const End& a, const End& b) { return a.when < b.when; }, now + block_time_, user);
    if (begins && !last) c.source->room(user, lane, now);
    if (begins || ends) offer(now);
    return true;
  }
  offer(now);
  return false;
}

void BlockHub::begin_burst(Copy& c) {
  c.current = c.bursts[0].burst;
  c.bursts[0] = c.bursts[1];
  --c.held;
  c.done = 0;
  c.issues = true;
}

/// Returns the bytes of the copy's next packet. Data with flags need two packets for each block, or for one of several.
unsigned BlockHub::length_of(const Copy& c) const {
  const std::uint64_t at = c.current.offset + c.done;
  const bool halved = c.command.two_packets != 0 && (at / block_bytes + 1) % c.command.two_packets == 0;
  const std::uint64_t end = halved ? at / half_block * half_block + half_block : at + block_bytes;
  return static_cast<unsigned>(std::min<std::uint64_t>(end - at, c.current.bytes - c.done));
}

/// Flags fill a packet that has room for more data. A copy whose every block has two packets has as many flags as data.
void BlockHub::add_flags(const Copy& c, Packet& packet) const {
  if (c.command.two_packets == 0) return;
  const unsigned data = (packet.payload_bytes + half_line - 1) / half_line * half_line;
  const unsigned wire = c.command.two_packets == 1 ? std::min(2 * data, block_bytes) : block_bytes;
  packet.wire_bytes = static_cast<std::uint16_t>(NvLink::header_bytes +
                                                 (wire + NvLink::flit_bytes - 1) / NvLink::flit_bytes * NvLink::flit_bytes);
}

void BlockHub::send_block(Copy& c, const EngineSeat::Place& place, unsigned length, Tick now) {
  Packet* const packet = seat_.make(Opcode::write, Target::gpu, place, length, true, now);
  add_flags(c, *packet);
  Sent& sent = sent_[c.order];
  NvHeader& h = nv(*packet);
  h.destination = c.command.peer;
  h.slot = c.order;
  h.count = sent.turn;
  ++sent.blocks;
  seat_.read(c.command.source + c.current.offset + c.done, packet->payload, length);
  seat_.send(packet, now);
  c.done += length;
  c.issues = c.done < c.current.bytes;
}

// ---- records

std::uint16_t BlockHub::order_of(std::uint16_t peer, std::uint16_t stream) {
  const auto [found, made] = numbers_.try_emplace({peer, stream}, static_cast<std::uint16_t>(sent_.size()));
  if (made) {
    if (sent_.size() == CopyOrder::none) throw std::logic_error("more than 65535 pairs of a stream and a peer");
    sent_.emplace_back();
    sent_.back().peer = peer, sent_.back().stream = stream;
  }
  return found->second;
}

void BlockHub::tell(std::uint16_t peer, CopyPath, std::uint16_t stream, std::uint32_t semaphore, Tick ready) {
  const auto found = numbers_.find({peer, stream});
  if (stream == no_stream || found == numbers_.end()) return send_flag(peer, CopyOrder::none, 0, {semaphore, 0}, ready);
  Sent& sent = sent_[found->second];
  const std::uint16_t turn = sent.turn++;
  const std::uint64_t blocks = sent.blocks;
  sent.blocks = 0;
  if (counts_) return send_flag(peer, found->second, turn, {semaphore, blocks}, ready);
  sent.acks.told(turn, blocks, semaphore, [&](std::uint32_t due) { send_flag(peer, CopyOrder::none, 0, {due, 0}, ready); });
}

void BlockHub::acknowledged(const NvHeader& ack, Tick now) {
  if (counts_) return;
  Sent& sent = sent_.at(ack.slot);
  sent.acks.counted(ack.count, [&](std::uint32_t due) { send_flag(sent.peer, CopyOrder::none, 0, {due, 0}, now); });
}

/// Flags of a semaphore use the plane of the block with the semaphore's number.
void BlockHub::send_flag(std::uint16_t peer, std::uint16_t order, std::uint16_t turn, const Flag& content, Tick ready) {
  const EngineSeat::Place place = seat_.place_of(std::uint64_t{content.semaphore} * block_bytes);
  Packet* const packet = seat_.make_message(Opcode::write, Target::gpu, place, NvLink::flit_bytes, ready);
  std::memcpy(packet->payload, &content, sizeof content);
  NvHeader& h = nv(*packet);
  h.destination = peer;
  h.slot = order;
  h.count = turn;
  h.flag = true;
  seat_.send(packet, ready);
}

// ---- reports

std::vector<std::string> BlockHub::waiting() const {
  std::vector<std::string> lines;
  for (const std::uint32_t user : users_) {
    const Copy& c = copies_[user];
    if (const unsigned bursts = c.held + c.issues; bursts != 0)
      lines.push_back("copy of stream " + std::to_string(c.command.stream) + " to gpu" + std::to_string(c.command.peer) +
                      ": " + std::to_string(bursts) + " bursts to send");
  }
  for (const Sent& s : sent_)
    if (s.acks.waits())
      lines.push_back("record of stream " + std::to_string(s.stream) + ", semaphore " + std::to_string(s.acks.semaphore()) +
                      " of gpu" + std::to_string(s.peer) + ": " + std::to_string(s.acks.missing()) + " acks are missing");
  for (const auto& [from, order] : arrived_)
    if (order.waits())
      lines.push_back("semaphore " + std::to_string(order.semaphore()) + ": " + std::to_string(order.missing()) +
                      " blocks of gpu" + std::to_string(from.first) + " are missing");
  return lines;
}

void BlockHub::reset() {
  copies_.clear();
  free_copies_.clear();
  users_.clear();
  ends_.clear();
  ready_at_ = never;
  sent_.clear();
  numbers_.clear();
  arrived_.clear();
  work_ = nullptr;
  copied_bytes_ = 0;
}

}  // namespace tributary
