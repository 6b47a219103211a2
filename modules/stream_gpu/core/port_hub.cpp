#include "modules/stream_gpu/core/port_hub.h"

#include <algorithm>
#include <stdexcept>

#include "modules/streams/core/burst_cutter.h"

namespace tributary {
namespace {

constexpr unsigned vc = 0, semaphore_bytes = 16;

std::string name_of(const CopyRoute& route) {
  constexpr const char* paths[] = {"", ".pcie", ".network"};
  return "peer" + std::to_string(route.peer) + paths[static_cast<unsigned>(route.path)];
}

}  // namespace

PortHub::PortHub(const Config& config, const std::vector<StreamTransmitter*>& transmitters, LinkOutput& wires,
                 PacketPool& pool, GpuMemory& memory, MemoryRate* rate)
    : config_(config),
      pool_(pool),
      memory_(memory),
      reads_(rate),
      peer_reads_(*this, config.latency),
      links_(transmitters, wires),
      ports_(transmitters.size()),
      probes_(config.routes.size()) {
  if (ports() > max_ports)
    throw std::invalid_argument("gpu" + std::to_string(config.gpu) + " has " + std::to_string(ports()) +
                                " ports (legal: at most " + std::to_string(max_ports) + ")");
  for (const CopyRoute& w : config_.routes) check(w);
}

void PortHub::check(const CopyRoute& w) const {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("gpu" + std::to_string(config_.gpu) + ", path to " + name_of(w) + ": " + why);
  };
  if (w.ports.empty()) refuse("no port");
  for (const std::uint8_t port : w.ports)
    if (port >= ports()) refuse("port " + std::to_string(port) + " of " + std::to_string(ports()));
  if (route(w.peer, w.path) != &w) refuse("given twice");
  const CopyFraming& f = w.framing;
  if (f.payload == 0 || f.burst == 0) refuse("packets or bursts without payload");
  const unsigned flits = (f.burst * (f.payload + f.overhead) + burst_flit_bytes - 1u) / burst_flit_bytes;
  if (flits > largest_burst_flits)
    refuse("a burst of " + std::to_string(flits) + " flits (legal: at most " + std::to_string(largest_burst_flits) + ")");
}

const CopyRoute* PortHub::route(std::uint16_t peer, CopyPath path) const {
  for (const CopyRoute& w : config_.routes)
    if (w.peer == peer && w.path == path) return &w;
  return nullptr;
}

std::uint32_t PortHub::ports_to(std::uint16_t peer, CopyPath path) const {
  const CopyRoute* const known = route(peer, path);
  std::uint32_t mask = 0;
  if (known == nullptr) return mask;
  for (const std::uint8_t port : known->ports) mask |= std::uint32_t{1} << port;
  return mask;
}

const CopyRoute& PortHub::known_route(std::uint16_t peer, CopyPath path) const {
  const CopyRoute* const known = route(peer, path);
  if (known == nullptr)
    throw std::logic_error("gpu" + std::to_string(config_.gpu) + " has no path to gpu" + std::to_string(peer));
  return *known;
}

// ---- copies

std::uint32_t PortHub::new_copy() {
  if (free_copies_.empty()) {
    free_copies_.push_back(static_cast<std::uint32_t>(copies_.size()));
    copies_.emplace_back();
  }
  const std::uint32_t number = free_copies_.back();
  free_copies_.pop_back();
  return number;
}

void PortHub::open(CopyCommand& command, BurstSource& source) {
  const CopyRoute& w = known_route(command.peer, command.path);
  command.copy = new_copy();
  command.framing = w.framing;
  command.lanes = static_cast<std::uint8_t>(copy_lanes(command.bytes, static_cast<unsigned>(w.ports.size()), w.framing));
  Copy& copy = copies_[command.copy];
  copy = {command, static_cast<std::size_t>(&w - config_.routes.data()), &source, {}, {}};
  for (unsigned lane = 0; lane < command.lanes; ++lane) {
    copy.lanes.push_back({0, w.ports[lane], 0, 0, {}});
    if (command.reads) continue;  // its packets are those of semaphores
    copy.lanes.back().outgoing = memory_.open(command.source, command.destination, command.bytes);
    ports_[w.ports[lane]].users.push_back({command.copy, static_cast<std::uint8_t>(lane)});
  }
}

Tick PortHub::starved(std::uint32_t copy) const {
  Tick longest = 0;
  for (const Lane& lane : copies_[copy].lanes) longest = std::max(longest, lane.starved);
  return longest;
}

void PortHub::close(std::uint32_t number) {
  Copy& copy = copies_[number];
  for (const Lane& lane : copy.lanes) {
    if (copy.command.reads) break;
    memory_.close(lane.outgoing);
    std::vector<User>& users = ports_[lane.port].users;
    users.erase(std::find_if(users.begin(), users.end(), [&](const User& u) { return u.copy == number; }));
  }
  copy.lanes.clear();
  free_copies_.push_back(number);
}

void PortHub::push(const Burst& burst, Tick ready, Tick now) {
  Copy& copy = copies_.at(burst.copy);
  if (!copy.command.reads) return hold(copy, burst, ready, now);
  const unsigned port = copy.lanes.at(burst.lane).port;
  ports_[port].tokens.insert_sorted([](const Token& a, const Token& b) { return a.ready < b.ready; }, ready, 0u,
                                    copy.command.peer, true, burst);
  events_.advance(port, std::max(ready, links_[port].free_at()));
}

/// Adds a burst whose data are in this memory.
void PortHub::hold(Copy& copy, const Burst& burst, Tick ready, Tick now) {
  Lane& lane = copy.lanes.at(burst.lane);
  if (lane.held == bursts_ahead) throw std::logic_error("a copy engine sends a third burst of a lane before there is room");
  lane.bursts[lane.held++] = {reads_.limited() ? never : ready, burst, ready};
  probes_[copy.route].queued(std::max(ready, now), 1);
  if (reads_.limited()) {
    reads_.add({std::max(ready, now), burst.copy, burst.lane});
    events_.advance(read_slot, std::max(ready, now));
    return;
  }
  events_.advance(lane.port, std::max(ready, links_[lane.port].free_at()));
}

// ---- reads

void PortHub::serve_read(unsigned port, const Packet& read, Tick now) {
  const RouterHeader& h = router_header(read);
  const auto route = std::find_if(config_.routes.begin(), config_.routes.end(), [&](const CopyRoute& w) {
    return w.peer == h.source && std::find(w.ports.begin(), w.ports.end(), port) != w.ports.end();
  });
  if (route == config_.routes.end())
    throw std::logic_error("gpu" + std::to_string(config_.gpu) + " has no path to gpu" + std::to_string(h.source) +
                           ", which reads, over port " + std::to_string(port));
  const PeerReads::Request request = PeerReads::request_of(read);
  CopyCommand command = PeerReads::answer_to(read, route->path);
  command.copy = new_copy();
  Copy& copy = copies_[command.copy];
  copy = {command, static_cast<std::size_t>(route - config_.routes.begin()), &peer_reads_, {}, request};
  copy.lanes.push_back(
      {memory_.open(command.source, command.destination, command.bytes), static_cast<std::uint8_t>(port), 0, 0, {}});
  ports_[port].users.push_back({command.copy, 0});
  hold(copy, {command.copy, 0, true, request.flits, h.chunk_bytes, 0}, peer_reads_.ready(now), now);
}

void PortHub::read_arrived(const Packet& data, Tick now) {
  PeerReads::arrived(data, *copies_.at(PeerReads::reader_of(data)).source, now);
}

void PortHub::tell(std::uint16_t peer, CopyPath path, std::uint16_t, std::uint32_t semaphore, Tick ready) {
  const unsigned port = known_route(peer, path).ports.front();
  ports_[port].tokens.insert_sorted([](const Token& a, const Token& b) { return a.ready < b.ready; }, ready, semaphore, peer,
                                    false, Burst{});
  events_.advance(port, std::max(ready, links_[port].free_at()));
}

void PortHub::show_owner(const CopyCommand& command, Tick now) {
  probes_[copies_[command.copy].route].owner(now, command.stream);
}

// ---- links

/// Requests the data of bursts that are ready. The bursts of a lane are requested in order.
void PortHub::request_data(Tick now) {
  while (const std::optional<MemoryReads::Read> due = reads_.take(now)) {
    Copy& copy = copies_[due->copy];
    Lane& lane = copy.lanes[due->lane];
    Held& held = lane.bursts[lane.held == 1 || lane.bursts[0].ready == never ? 0 : 1];
    held.requested = now;
    held.ready = reads_.request(std::uint64_t{held.burst.bytes} * copy.command.accesses, now);
    events_.advance(lane.port, std::max(held.ready, links_[lane.port].free_at()));
  }
  events_.set(read_slot, reads_.next());
}

void PortHub::end_bursts(Tick now) {
  while (events_.next() <= now) {
    const unsigned p = events_.next_slot();
    if (p == read_slot) {
      request_data(now);
      continue;
    }
    events_.set(p, never);
    due_ |= port_bit(p);
    Port& port = ports_[p];
    if (!port.begun || links_[p].free_at() > now) continue;
    port.begun = port.burst = false;
    if (!port.last) continue;
    port.last = false;
    const User user = port.on_wire;
    copies_[user.copy].source->left(user.copy, user.lane, now);
  }
}

bool PortHub::serve(Tick now) {
  bool any = false;
  for (; due_ != 0; due_ &= due_ - 1) any |= start(first_port(due_), now);
  return any;
}

bool PortHub::start(unsigned p, Tick now) {
  StreamTransmitter& link = links_[p];
  if (link.queued_packets(vc) != 0) return run(p, now);  // the packet has waited for credits
  if (link.free_at() > now) return events_.advance(p, link.free_at()), false;
  return choose(p, now) && run(p, now);
}

/// Loads the next packet into the empty transmitter.
bool PortHub::choose(unsigned p, Tick now) {
  Port& port = ports_[p];
  Tick next = never;
  if (!port.tokens.empty()) {
    next = port.tokens.front().ready;
    if (next <= now) {
      const Token token = port.tokens.front();
      port.tokens.pop();
      load(p, token, now);
      return true;
    }
  }
  for (std::size_t i = 0; i < port.users.size(); ++i) {
    const User user = port.users[i];
    Lane& lane = copies_[user.copy].lanes[user.lane];
    if (lane.held == 0) continue;
    next = std::min(next, lane.bursts[0].ready);
    if (lane.bursts[0].ready > now) continue;
    const Held held = lane.bursts[0];
    lane.bursts[0] = lane.bursts[1];
    --lane.held;
    if (const Tick free = std::max(held.requested, links_[p].free_at()); reads_.limited() && held.ready > free)
      lane.starved += held.ready - free;
    // The copy moves to the end of the round-robin order.
    std::rotate(port.users.begin() + static_cast<std::ptrdiff_t>(i), port.users.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                port.users.end());
    load(p, held, now);
    return true;
  }
  if (next != never) events_.advance(p, next);
  return false;
}

void PortHub::load(unsigned p, const Held& held, Tick now) {
  const Burst& burst = held.burst;
  const Copy& copy = copies_[burst.copy];
  const Lane& lane = copy.lanes[burst.lane];
  Packet* const packet = memory_.load(lane.outgoing, burst.offset, burst.bytes, pool_);
  packet->wire_bytes = static_cast<std::uint16_t>(burst.flits * ScheduleNicLink::flit_bytes);
  packet->born = held.ready;
  packet->vc = vc;
  RouterHeader& h = router_header(*packet);
  h.address = copy.command.destination + burst.offset;
  h.source = config_.gpu;
  h.destination = copy.command.peer;
  h.tag = copy.command.stream;
  h.kind = ChunkKind::burst;
  h.ends = 1;
  h.chunk_bytes = static_cast<std::uint32_t>(copy.command.bytes);
  if (copy.answers) PeerReads::mark(*packet, *copy.answers);
  ports_[p].on_wire = {burst.copy, burst.lane};
  ports_[p].burst = true;
  ports_[p].last = burst.last;
  probes_[copy.route].queued(now, minus(1));
  links_[p].push(packet, vc, burst.flits, now, now);
  links_.sending(p);
}

void PortHub::load(unsigned p, const Token& token, Tick now) {
  Packet* const packet = token.reads ? PeerReads::packet(copies_[token.burst.copy].command, token.burst, pool_)
                                     : pool_.make(semaphore_bytes, false);
  packet->born = token.ready;
  packet->vc = vc;
  RouterHeader& h = router_header(*packet);
  if (!token.reads) {
    h.address = token.semaphore;
    h.kind = ChunkKind::semaphore;
  }
  h.source = config_.gpu;
  h.destination = token.peer;
  h.ends = 1;
  links_[p].push(packet, vc, flits_of<ScheduleNicLink>(*packet), now, now);
  links_.sending(p);
}

/// Returns true if the packet in the transmitter has begun to leave.
bool PortHub::run(unsigned p, Tick now) {
  const Tick next = links_.run(p, now, [](const StreamTransmitter::Sent&) {});
  StreamTransmitter& link = links_[p];
  if (link.queued_packets(vc) != 0) {
    if (next != never) events_.advance(p, std::max(next, now + 1));
    return false;
  }
  events_.advance(p, link.free_at());
  Port& port = ports_[p];
  if (!port.burst) return true;
  port.begun = true;
  if (!port.last) copies_[port.on_wire.copy].source->room(port.on_wire.copy, port.on_wire.lane, now);
  return true;
}

void PortHub::credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
  const Tick next = links_.credit(port, first, credits, count, links_[port].queued_packets(vc) != 0);
  if (next != never) events_.advance(port, next);
}

Tick PortHub::safe_horizon(Tick now, Tick packets, const Tick* credits) {
  links_.decide(now, credits);
  Tick horizon = packets;
  for (unsigned p = 0; p < ports(); ++p) horizon = std::min(horizon, links_.decided_until(p));
  return horizon;
}

Tick PortHub::finish(Tick horizon) {
  return std::min(links_.finish(horizon, [](const StreamTransmitter::Sent&) {}), events_.next());
}

// ---- reports and probes

std::vector<std::string> PortHub::waiting() const {
  std::vector<std::string> lines;
  for (unsigned p = 0; p < ports(); ++p) {
    const std::string name = "port" + std::to_string(p);
    unsigned bursts = 0;
    for (const User& user : ports_[p].users) bursts += copies_[user.copy].lanes[user.lane].held;
    if (bursts != 0 || !ports_[p].tokens.empty())
      lines.push_back(name + ": " + std::to_string(bursts) + " bursts and " + std::to_string(ports_[p].tokens.size()) +
                      " semaphores and reads to send");
    if (const std::string link = links_[p].waiting(); !link.empty()) lines.push_back(name + ".output: " + link);
  }
  return lines;
}

void PortHub::reset() {
  links_.reset();
  for (Port& port : ports_) {
    port.users.clear();
    port.tokens.clear();
    port.burst = port.last = port.begun = false;
  }
  copies_.clear();
  free_copies_.clear();
  reads_.reset();
  events_.clear();
  due_ = 0;
}

void PortHub::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (unsigned p = 0; p < ports(); ++p) links_[p].describe(directory, prefix + "port" + std::to_string(p) + ".");
  for (std::size_t w = 0; w < config_.routes.size(); ++w) {
    const std::string name = prefix + name_of(config_.routes[w]) + ".";
    directory.add_signal(name + "queued", probes_[w].queued, SignalKind::delta, counter_bits,
                         "bursts that wait for its links");
    directory.add_signal(name + "owner", probes_[w].owner, SignalKind::level, 16,
                         "stream to whose copy its links were granted last");
  }
}

}  // namespace tributary
