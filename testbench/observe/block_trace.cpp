#include "testbench/observe/block_trace.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

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

/// Without the platform's name, which all places begin with.
std::string local(const std::string& name) { return name.substr(name.find('.') + 1); }

std::string without_leaf(const std::string& name) { return name.substr(0, name.rfind('.')); }

}  // namespace

BlockTrace::BlockTrace(const std::vector<DirectedLink>& links, const ProbeDirectory& probes, const BlockQuery& query)
    : query_(query) {
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
    EntryTap& tap = entries_.emplace_back(EntryTap{this, without_leaf(local(name))});
    probe.attach(&tap, [](void* observer, Tick time, const ReductionEvent& event) {
      const EntryTap& t = *static_cast<EntryTap*>(observer);
      t.trace->on_reduction(t, time, event);
    });
  });
}

/// Deliveries at endpoints.
void BlockTrace::attach_packets(const std::string& name, const ProbeDirectory::Entry& entry) {
  if (entry.type != std::type_index(typeid(PacketProbe)) || !glob_match("*.delivered", name)) return;
  LinkTap& tap = links_.emplace_back(LinkTap{this, without_leaf(local(name)), nullptr, entry.names});
  static_cast<PacketProbe*>(entry.probe)->attach(&tap, [](void* observer, Tick time, const PacketView& packet) {
    const LinkTap& t = *static_cast<LinkTap*>(observer);
    t.trace->on_delivered(t, time, packet);
  });
}

bool BlockTrace::wanted(const PacketView& h) const {
  if ((query_.chunk ? h.slot : h.address / block_bytes) != query_.block) return false;
  return !query_.endpoint || h.source == *query_.endpoint || h.destination == *query_.endpoint;
}

void BlockTrace::on_sent(const LinkTap& tap, Tick time, const PacketView& h) {
  if (!wanted(h)) return;
  const Tick end = time + tap.link->time_of(h.bytes);
  events_.push_back({time, end, BlockEvent::Kind::sent, tap.place, h.opcode, opcode_text(tap.names, h.opcode), h.source,
                     h.destination, h.count});
}

void BlockTrace::on_delivered(const LinkTap& tap, Tick time, const PacketView& h) {
  if (!wanted(h)) return;
  events_.push_back({time, time, BlockEvent::Kind::delivered, tap.place, h.opcode, opcode_text(tap.names, h.opcode),
                     h.source, h.destination, h.count});
}

void BlockTrace::on_reduction(const EntryTap& tap, Tick time, const ReductionEvent& event) {
  if (event.block != query_.block) return;
  BlockEvent e{time, time, BlockEvent::Kind::reduced, tap.place};
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
  std::stable_sort(sorted.begin(), sorted.end(), [](const BlockEvent& a, const BlockEvent& b) {
    return a.time != b.time ? a.time < b.time : natural_less(a.place, b.place);
  });
  return sorted;
}

std::vector<BlockMarker> markers_of(const std::vector<BlockEvent>& events) {
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
      first_arrival = last_arrival = std::nullopt;  // what has arrived so far was no result: the requests of a pull
    }
    if (e.kind != BlockEvent::Kind::delivered) continue;
    if (!first_arrival) first_arrival = e.time;
    last_arrival = e.time;
  }
  std::vector<BlockMarker> markers;
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

namespace {

std::string endpoint_name(const BlockQuery& query, unsigned endpoint) { return query.device + std::to_string(endpoint); }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string reduction_text(const BlockQuery& query, const BlockEvent& e) {
  using What = ReductionEvent::Kind;
  const std::string entry = "entry " + std::to_string(e.entry);
  const std::string from =
      e.source == ReductionEvent::no_source
          ? ""
          : ": operand" + (e.operand ? " " + number(*e.operand) : "") + " from " + endpoint_name(query, e.source);
  const std::string sum =
      ", " + std::to_string(e.count) + " of " + std::to_string(e.expected) + (e.value ? ", sum " + number(*e.value) : "");
  switch (e.what) {
    case What::allocated:
      return entry + " allocated" + from + sum;
    case What::merged:
      return entry + " adds" + from + sum;
    case What::completed:
      return entry + " complete" + sum;
    case What::evicted:
      return entry + " evicted with its partial sum" + sum;
    case What::timed_out:
      return entry + " timed out with its partial sum" + sum;
    case What::freed:
      return entry + " free";
  }
  return entry;
}

std::string event_text(const BlockQuery& query, const BlockEvent& e) {
  if (e.kind == BlockEvent::Kind::reduced) return reduction_text(query, e);
  const std::string what = e.opcode_name + " of " + endpoint_name(query, e.source) +
                           (query.chunk   ? ", packet " + std::to_string(e.count)
                            : e.count > 1 ? ", " + std::to_string(e.count) + " operands"
                                          : "");
  return (e.kind == BlockEvent::Kind::sent ? "sends " : "receives ") + what;
}

}  // namespace

std::string block_text(const BlockQuery& query, const std::vector<BlockEvent>& events, Tick epoch) {
  const std::string name = (query.chunk ? "chunk " : "block ") + std::to_string(query.block);
  if (events.empty()) return "# " + name + " has crossed no link\n";
  std::size_t width = 5;
  for (const BlockEvent& e : events) width = std::max(width, e.place.size());
  std::string text = "# life of " + name + "\n";
  char line[320];
  std::snprintf(line, sizeof line, "# %12s  %-*s  %s\n", "time ns", static_cast<int>(width), "place", "event");
  text += line;
  for (const BlockEvent& e : events) {
    const double ns = (static_cast<double>(e.time) - static_cast<double>(epoch)) / 1e3;
    std::snprintf(line, sizeof line, "# %12.3f  %-*s  %s\n", ns, static_cast<int>(width), e.place.c_str(),
                  event_text(query, e).c_str());
    text += line;
  }
  for (const BlockMarker& m : markers_of(events)) {
    std::snprintf(line, sizeof line, "# %12.3f  %s\n", (static_cast<double>(m.time) - static_cast<double>(epoch)) / 1e3,
                  m.name.c_str());
    text += line;
  }
  return text;
}

}  // namespace tributary
