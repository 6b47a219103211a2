#include "testbench/observe/block_trace.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "modules/base/element.h"
#include "modules/protocol/nvlink.h"
#include "testbench/observe/natural_order.h"

namespace tributary {
namespace {

std::string opcode_text(const char* const* names, std::uint8_t opcode) {
  for (unsigned i = 0; names != nullptr && names[i] != nullptr; ++i)
    if (i == opcode) return names[i];
  return std::to_string(opcode);
}

std::optional<double> element_at(ElementType type, const std::byte* data) {
  if (data == nullptr) return std::nullopt;
  return first_element(type, data);
}

std::string device_of(const BlockEvent& e) { return e.place.substr(0, e.place.find('.')); }

/// Removes the platform's name, which all names begin with.
std::string local(const std::string& name) { return name.substr(name.find('.') + 1); }

std::string without_leaf(const std::string& name) { return name.substr(0, name.rfind('.')); }

}  // namespace

BlockTrace::BlockTrace(const std::vector<DirectedLink>& links, const ProbeDirectory& probes, const BlockQuery& query,
                       ChunkOf chunk_of)
    : query_(query), chunk_of_(std::move(chunk_of)) {
  for (const DirectedLink& link : links) {
    LinkTap& tap = links_.emplace_back(LinkTap{this, link.name, link.transmitter, nullptr});
    for (const auto& [name, entry] : probes.entries())
      if (entry.probe == &link.transmitter->sent) tap.names = entry.names;
    link.transmitter->sent.attach(&tap, [](void* observer, Tick time, const PacketView& packet) {
      const LinkTap& t = *static_cast<LinkTap*>(observer);
      t.trace->on_sent(t, time, packet);
    });
  }
  for (const auto& [name, entry] : probes.entries()) attach_packets(name, entry);
  probes.for_each<ReductionProbe>([this](const std::string& name, ReductionProbe& probe) {
    EntryTap& tap = entries_.emplace_back(EntryTap{this, without_leaf(local(name)), nullptr});
    probe.attach(&tap, [](void* observer, Tick time, const ReductionEvent& event) {
      const EntryTap& t = *static_cast<EntryTap*>(observer);
      t.trace->on_reduction(t, time, event);
    });
  });
}

/// Attaches to rows of schedule tables and to deliveries at endpoints.
void BlockTrace::attach_packets(const std::string& name, const ProbeDirectory::Entry& entry) {
  if (query_.chunk && entry.type == std::type_index(typeid(ScheduleRowProbe))) {
    EntryTap& row = entries_.emplace_back(EntryTap{this, without_leaf(without_leaf(local(name))), entry.names});
    static_cast<ScheduleRowProbe*>(entry.probe)->attach(&row, [](void* observer, Tick time, const ScheduleRowEvent& event) {
      const EntryTap& t = *static_cast<EntryTap*>(observer);
      t.trace->on_row(t, time, event);
    });
  }
  if (entry.type != std::type_index(typeid(PacketProbe)) || !glob_match("*.delivered", name)) return;
  LinkTap& tap = links_.emplace_back(LinkTap{this, without_leaf(local(name)), nullptr, entry.names});
  static_cast<PacketProbe*>(entry.probe)->attach(&tap, [](void* observer, Tick time, const PacketView& packet) {
    const LinkTap& t = *static_cast<LinkTap*>(observer);
    t.trace->on_delivered(t, time, packet);
  });
}

bool BlockTrace::wanted(const PacketView& h) const {
  const std::uint64_t number = !query_.chunk ? h.address / block_bytes : chunk_of_ ? chunk_of_(h) : h.slot;
  if (number != query_.block) return false;
  return !query_.endpoint || h.source == *query_.endpoint || h.destination == *query_.endpoint;
}

/// For a chunk: true if the event is at the selected endpoint or its packet comes from there.
bool BlockTrace::wanted(const EntryTap& tap, std::uint16_t source) const {
  if (!query_.chunk || !query_.endpoint || source == *query_.endpoint) return true;
  return tap.place.rfind(query_.device + std::to_string(*query_.endpoint) + ".", 0) == 0;
}

void BlockTrace::add_packet(const LinkTap& tap, Tick time, Tick end, BlockEvent::Kind kind, const PacketView& h) {
  if (query_.chunk) {
    const auto [known, first] = chunks_.try_emplace({&tap, h.source, h.destination, h.slot, h.opcode}, events_.size());
    if (!first) {
      BlockEvent& e = events_[known->second];
      ++e.packets;
      e.end = end;
      if (kind == BlockEvent::Kind::delivered) e.time = time;
      return;
    }
  }
  BlockEvent e{time, end, time, kind, tap.place};
  e.opcode = h.opcode;
  e.opcode_name = opcode_text(tap.names, h.opcode);
  e.source = h.source;
  e.destination = h.destination;
  e.count = h.count;
  events_.push_back(std::move(e));
}

void BlockTrace::on_sent(const LinkTap& tap, Tick time, const PacketView& h) {
  if (wanted(h)) add_packet(tap, time, time + tap.link->time_of(h.bytes), BlockEvent::Kind::sent, h);
}

void BlockTrace::on_delivered(const LinkTap& tap, Tick time, const PacketView& h) {
  if (wanted(h)) add_packet(tap, time, time, BlockEvent::Kind::delivered, h);
}

void BlockTrace::on_row(const EntryTap& tap, Tick time, const ScheduleRowEvent& event) {
  if (event.kind != ScheduleRowEvent::Kind::issued || event.tree != query_.block) return;
  if (!wanted(tap, ReductionEvent::no_source)) return;
  BlockEvent e{time, time, time, BlockEvent::Kind::issued, tap.place};
  e.opcode = event.opcode;
  e.opcode_name = opcode_text(tap.names, event.opcode);
  e.entry = event.row;
  e.step = event.step;
  events_.push_back(std::move(e));
}

void BlockTrace::on_reduction(const EntryTap& tap, Tick time, const ReductionEvent& event) {
  if (event.block != query_.block || !wanted(tap, event.source)) return;
  BlockEvent e{time, time, time, BlockEvent::Kind::reduced, tap.place};
  e.source = event.source;
  e.count = event.count;
  e.what = event.kind;
  e.entry = event.entry;
  e.expected = event.expected;
  e.operand = element_at(event.type, event.operand);
  e.value = element_at(event.type, event.value);
  events_.push_back(std::move(e));
}

std::vector<BlockEvent> BlockTrace::events() const {
  std::vector<BlockEvent> sorted = events_;
  const auto before = [this](const BlockEvent& a, const BlockEvent& b) {
    if (a.time != b.time) return a.time < b.time;
    const std::string device_a = device_of(a), device_b = device_of(b);
    if (query_.chunk && device_a == device_b && a.kind != b.kind) return a.kind < b.kind;
    return natural_less(a.place, b.place);
  };
  std::stable_sort(sorted.begin(), sorted.end(), before);
  return sorted;
}

std::vector<LifeMarker> markers_of(const std::vector<BlockEvent>& events) {
  using What = ReductionEvent::Kind;
  std::optional<Tick> first_operand, last_operand, completion, first_arrival, last_arrival;
  for (const BlockEvent& e : events) {
    const bool reduced = e.kind == BlockEvent::Kind::reduced;
    if (reduced && e.source != ReductionEvent::no_source) {
      if (!first_operand) first_operand = e.time;
      last_operand = e.time;
    }
    if (reduced && e.what == What::completed) {
      completion = e.time;
      first_arrival = last_arrival = std::nullopt;  // earlier arrivals were requests of a pull, not results
    }
    if (e.kind != BlockEvent::Kind::delivered) continue;
    if (!first_arrival) first_arrival = e.time;
    last_arrival = e.time;
  }
  std::vector<LifeMarker> markers;
  const auto add = [&](const char* name, const std::optional<Tick>& when) {
    if (when) markers.push_back({name, *when});
  };
  add("first operand", first_operand);
  add("last operand", last_operand);
  add("completion", completion);
  add("first arrival", first_arrival);
  add("last arrival", last_arrival);
  std::stable_sort(markers.begin(), markers.end(), [](auto& a, auto& b) { return a.time < b.time; });
  return markers;
}

}  // namespace tributary
