#include "testbench/family/blink/chunk_trace.h"

#include <algorithm>
#include <tuple>

namespace tributary {
namespace {

using Kind = ChunkMoment::Kind;
using Command = StreamCommand::Kind;
using Event = StreamCommandEvent::Kind;

/// Returns the action that begins with the command.
Kind first_kind(Command command) {
  switch (command) {
    case Command::copy:
      return Kind::ready;
    case Command::record:
      return Kind::records;
    case Command::kernel:
      return Kind::adds;
    case Command::wait:
    case Command::peer_switch:
      break;
  }
  return Kind::waits;
}

}  // namespace

ChunkTrace::ChunkTrace(BlinkPlatform& platform, const ProbeDirectory& probes, const BlockQuery& query, ElementType type)
    : platform_(platform), query_(query), type_(type) {
  for (unsigned g = 0; g < platform.endpoints(); ++g) {
    const std::string gpu = platform.gpu(g).name();
    taps_.push_back({this, g});
    const auto attach = [&](const std::string& name, auto* probe, auto function) {
      static_cast<decltype(probe)>(probes.entries().at(name).probe)->attach(&taps_.back(), function);
    };
    attach(gpu + ".commands", static_cast<StreamCommandProbe*>(nullptr),
           [](void* tap, Tick time, const StreamCommandEvent& event) {
             static_cast<Tap*>(tap)->trace->on_command(static_cast<Tap*>(tap)->gpu, time, event);
           });
    attach(gpu + ".delivered", static_cast<PacketProbe*>(nullptr), [](void* tap, Tick time, const PacketView& packet) {
      static_cast<Tap*>(tap)->trace->on_packet(static_cast<Tap*>(tap)->gpu, time, packet);
    });
  }
}

void ChunkTrace::reset() { moments_.clear(), transfers_.clear(); }

std::optional<double> ChunkTrace::element_at(unsigned gpu, std::uint64_t address) const {
  const std::byte* memory = platform_.memory_of(gpu);
  return memory == nullptr ? std::optional<double>() : first_element(type_, memory + address);
}

ChunkMoment& ChunkTrace::open(unsigned gpu, Kind kind, Tick time, const StreamCommand& c) {
  ChunkMoment& m = moments_.emplace_back();
  m.time = m.end = time;
  m.kind = kind;
  m.gpu = gpu;
  m.peer = c.peer;
  m.stream = c.stream;
  m.inputs = c.input_count;
  m.path = c.path;
  m.semaphore = c.semaphore;
  m.value = c.value;
  m.bytes = c.bytes;
  return m;
}

/// Ends the latest action of the command's stream. A stream runs its commands one after another.
void ChunkTrace::close(unsigned gpu, Tick time, const StreamCommand& c) {
  const auto mine = [&](const ChunkMoment& m) { return m.gpu == gpu && m.stream == c.stream; };
  const auto found = std::find_if(moments_.rbegin(), moments_.rend(), mine);
  if (found == moments_.rend()) return;
  found->end = time;
  if (c.kind == Command::kernel) found->first = element_at(gpu, c.destination);
}

void ChunkTrace::on_command(unsigned gpu, Tick time, const StreamCommandEvent& event) {
  const StreamCommand& c = *event.command;
  if (c.chunk != query_.block) return;
  switch (event.kind) {
    case Event::begun:
      open(gpu, first_kind(c.kind), time, c);
      return;
    case Event::granted:
      close(gpu, time, c);
      transfers_.push_back({moments_.size(), c.destination});
      open(gpu, Kind::copies, time, c).engine = event.engine;
      return;
    case Event::ended:
      return close(gpu, time, c);
  }
}

void ChunkTrace::on_packet(unsigned gpu, Tick time, const PacketView& packet) {
  if (packet.opcode != static_cast<std::uint8_t>(ChunkKind::burst)) return;
  for (Transfer& t : transfers_) {
    const ChunkMoment& copy = moments_[t.moment];
    if (copy.peer != gpu || copy.gpu != packet.source) continue;
    if (packet.address < t.destination || packet.address >= t.destination + copy.bytes) continue;
    t.first = std::min(t.first, time);
    t.last = std::max(t.last, time);
  }
}

std::vector<ChunkMoment> ChunkTrace::moments() const {
  std::vector<ChunkMoment> all = moments_;
  for (const Transfer& t : transfers_) {
    if (t.first == never) continue;
    ChunkMoment m = moments_[t.moment];
    std::swap(m.gpu, m.peer);
    m.kind = Kind::arrived;
    m.time = t.first, m.end = t.last;
    m.first = element_at(m.gpu, t.destination);
    all.push_back(m);
  }
  if (query_.endpoint)
    all.erase(std::remove_if(all.begin(), all.end(),
                             [this](const ChunkMoment& m) {
                               return m.gpu != *query_.endpoint && (m.peer != *query_.endpoint || m.kind != Kind::copies);
                             }),
              all.end());
  const auto key = [](const ChunkMoment& m) { return std::tuple(m.time, m.kind, m.gpu, m.stream); };
  std::stable_sort(all.begin(), all.end(), [&](const ChunkMoment& a, const ChunkMoment& b) { return key(a) < key(b); });
  return all;
}

std::vector<LifeMarker> markers_of(const std::vector<ChunkMoment>& moments) {
  std::optional<Tick> copy, added, first, last;
  for (const ChunkMoment& m : moments) {
    if (m.kind == Kind::copies) copy = std::min(copy.value_or(m.time), m.time);
    if (m.kind == Kind::adds) added = std::max(added.value_or(m.end), m.end);
  }
  for (const ChunkMoment& m : moments)
    if (m.kind == Kind::arrived && m.time >= added.value_or(0)) {
      first = std::min(first.value_or(m.end), m.end);
      last = std::max(last.value_or(m.end), m.end);
    }
  std::vector<LifeMarker> markers;
  if (copy) markers.push_back({"first copy begins", *copy});
  if (added) markers.push_back({"last kernel has added", *added});
  if (first) markers.push_back({"first result in memory", *first});
  if (last) markers.push_back({"last result in memory", *last});
  std::stable_sort(markers.begin(), markers.end(), [](const LifeMarker& a, const LifeMarker& b) { return a.time < b.time; });
  return markers;
}

}  // namespace tributary
