#include "testbench/family/netreduce/slot_trace.h"

#include <algorithm>
#include <set>
#include <utility>

#include "modules/netreduce/core/cl_table.h"
#include "testbench/observe/natural_order.h"

namespace tributary {
namespace {

std::string device_of(const SlotMoment& m) { return m.place.substr(0, m.place.find('.')); }

std::optional<double> element_at(ElementType type, const std::byte* data) {
  if (data == nullptr) return std::nullopt;
  return first_element(type, data);
}

/// Removes the platform's name, with which all names begin.
std::string local(const std::string& name) { return name.substr(name.find('.') + 1); }

template <class P>
P* probe_of(const ProbeDirectory& probes, const std::string& name) {
  const auto found = probes.entries().find(name);
  if (found == probes.entries().end() || found->second.type != std::type_index(typeid(P))) return nullptr;
  return static_cast<P*>(found->second.probe);
}

}  // namespace

SlotTrace::SlotTrace(NetReducePlatform& platform, const RingFlows& flows, const ProbeDirectory& probes,
                     const BlockQuery& query)
    : platform_(platform),
      flows_(flows),
      query_(query),
      message_packets_(platform.params().flow_control.messages.message_packets) {
  attach_links(probes);
  attach_hosts(probes);
  attach_accelerators(probes);
}

std::string SlotTrace::station(std::uint16_t number) const {
  return platform_.graph().node(platform_.racks().node_of(number)).name;
}

void SlotTrace::reset() {
  moments_.clear();
  for (Tap& t : taps_) t.entries.clear();
}

// ---- probes

void SlotTrace::attach_fate(const ProbeDirectory& probes, const std::string& name, const std::string& place, SlotPart part) {
  PacketFateProbe* const probe = probe_of<PacketFateProbe>(probes, name);
  if (probe == nullptr) return;
  Tap& t = tap(place, part);
  t.kind = SlotMoment::Kind::fate;
  probe->attach(&t, [](void* observer, Tick time, const PacketView& packet, const char* fate) {
    const Tap& at = *static_cast<Tap*>(observer);
    at.trace->on_frame(at, time, packet, fate);
  });
}

/// A WRITE is a gradient until it has passed an accelerator.
void SlotTrace::attach_links(const ProbeDirectory& probes) {
  const topology::Racks& racks = platform_.racks();
  const topology::Graph& graph = platform_.graph();
  std::map<std::string, SlotPart> parts;
  for (const topology::Link& link : graph.links())
    for (const auto& [from, to] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      const bool result = from.node >= racks.leaf_accelerator(0) || to.node < racks.leaf(0);
      parts[graph.name(from) + ">" + graph.name(to)] = result ? SlotPart::result : SlotPart::gradient;
    }
  std::map<const void*, std::string> names;
  probes.for_each<PacketProbe>([&](const std::string& name, PacketProbe& probe) { names[&probe] = name; });
  for (const DirectedLink& link : platform_.links()) {
    Tap& t = tap(link.name, parts.at(link.name));
    t.link = link.transmitter;
    link.transmitter->sent.attach(&t, [](void* observer, Tick time, const PacketView& packet) {
      const Tap& at = *static_cast<Tap*>(observer);
      at.trace->on_frame(at, time, packet, nullptr);
    });
    std::string name = names.at(&link.transmitter->sent);
    attach_fate(probes, name.replace(name.rfind('.'), std::string::npos, ".fate"), link.name, t.part);
  }
  for (int i = 0; i < racks.racks + racks.spines; ++i) {
    const std::string name = platform_.ethernet_switch(static_cast<unsigned>(i)).name();
    attach_fate(probes, name + ".fate", local(name), SlotPart::gradient);
  }
}

void SlotTrace::attach_hosts(const ProbeDirectory& probes) {
  for (unsigned h = 0; h < platform_.endpoints(); ++h) {
    const std::string nic = std::string(platform_.host(h).name()) + ".nic";
    attach_fate(probes, nic + ".fate", local(nic), SlotPart::result);
    if (PacketProbe* const delivered = probe_of<PacketProbe>(probes, nic + ".delivered")) {
      Tap& t = tap(local(nic), SlotPart::result);
      t.kind = SlotMoment::Kind::delivered;
      delivered->attach(&t, [](void* observer, Tick time, const PacketView& packet) {
        const Tap& at = *static_cast<Tap*>(observer);
        at.trace->on_frame(at, time, packet, nullptr);
      });
    }
    for (unsigned pair = 0; pair < 2; ++pair)
      for (const auto& [leaf, kind] :
           {std::pair{".rewinds", SlotMoment::Kind::rewound}, std::pair{".timeouts", SlotMoment::Kind::timed_out}}) {
        SignalProbe* const probe = probe_of<SignalProbe>(probes, nic + ".qp" + std::to_string(pair) + leaf);
        if (probe == nullptr) continue;
        Tap& t = tap(local(nic));
        t.kind = kind;
        t.host = static_cast<int>(h);
        t.pair = pair;
        probe->attach(&t, [](void* observer, Tick time, std::uint64_t psn) {
          const Tap& at = *static_cast<Tap*>(observer);
          at.trace->on_sender(at, time, static_cast<std::uint32_t>(psn));
        });
      }
  }
}

void SlotTrace::attach_accelerators(const ProbeDirectory& probes) {
  using EntryProbe = Probe<Tick, const ClTable::Entry&>;
  for (int i = 0; i < platform_.racks().accelerators(); ++i) {
    const std::string name = platform_.accelerator(static_cast<unsigned>(i)).name();
    attach_fate(probes, name + ".fate", local(name), SlotPart::gradient);
    Tap& t = tap(local(name) + ".slot");
    if (SlotProbe* const slots = probe_of<SlotProbe>(probes, name + ".slot.events"))
      slots->attach(&t, [](void* observer, Tick time, const SlotEvent& event) {
        const Tap& at = *static_cast<Tap*>(observer);
        at.trace->on_slot(at, time, event);
      });
    if (EntryProbe* const written = probe_of<EntryProbe>(probes, name + ".clt.written"))
      written->attach(&t, [](void* observer, Tick, const ClTable::Entry& entry) {
        static_cast<Tap*>(observer)->entries[entry.key.source] = entry.message;
      });
  }
}

// ---- events

std::optional<SlotTrace::Found> SlotTrace::find(const RoceHeader& h, SlotPart of_write) {
  const auto here = static_cast<std::int64_t>(query_.block);
  if (h.kind == FrameKind::aggregate) {
    if (h.ring != ring_number || h.extra != message() || h.psn != offset()) return std::nullopt;
    return Found{h.from_above != 0 ? SlotPart::whole_sum : SlotPart::sum, here};
  }
  const RingFlows::Stream* const stream = flows_.stream_of(h);
  if (stream == nullptr || stream->ring != ring_number) return std::nullopt;
  const std::int64_t ahead = Psn::minus(h.psn, psn_of(stream->first_psn));
  if (h.kind == FrameKind::nack) return ahead > 0 ? std::nullopt : std::optional(Found{SlotPart::nack, here + ahead});
  if (ahead != 0) return std::nullopt;
  return Found{h.kind == FrameKind::notification ? SlotPart::notification : of_write, here};
}

bool SlotTrace::wanted(const SlotMoment& m) const {
  if (!query_.endpoint || m.kind == SlotMoment::Kind::slot) return true;
  if (m.part == SlotPart::sum || m.part == SlotPart::whole_sum) return true;
  const bool sends = m.source == *query_.endpoint, gets = m.destination == *query_.endpoint;
  const bool sender = m.kind == SlotMoment::Kind::rewound || m.kind == SlotMoment::Kind::timed_out;
  if (sender || m.part == SlotPart::nack) return sends || gets;
  return m.part == SlotPart::result ? gets : sends;
}

/// On these links a probe shows a packet of type Packet.
void SlotTrace::on_frame(const Tap& tap, Tick time, const PacketView& view, const char* fate) {
  const Packet& packet = *static_cast<const Packet*>(view.storage);
  const RoceHeader& h = roce(packet);
  const std::optional<Found> found = find(h, tap.part);
  if (!found) return;
  SlotMoment m;
  m.time = m.end = time;
  m.kind = tap.kind;
  m.place = tap.place;
  m.part = found->part;
  m.frame = h.kind;
  m.psn = h.psn;
  m.packet = found->packet;
  m.source = h.source, m.destination = h.destination;
  m.fate = fate;
  if (tap.link != nullptr) m.end = time + tap.link->time_of(packet.wire_bytes);
  if (m.kind == SlotMoment::Kind::delivered && packet.payload != nullptr)
    m.value =
        element_at(platform_.rings().type(ring_number), packet.payload + (offset() == 0 ? AggregationHeader::bytes : 0));
  moments_.push_back(std::move(m));
}

void SlotTrace::on_slot(const Tap& tap, Tick time, const SlotEvent& event) {
  if (event.ring != ring_number || event.message != message() || event.offset != offset()) return;
  SlotMoment m;
  m.time = m.end = time;
  m.kind = SlotMoment::Kind::slot;
  m.place = tap.place;
  m.source = event.source;
  m.psn = event.psn;
  m.what = event;
  m.operand = element_at(event.type, event.operand);
  m.value = element_at(event.type, event.value);
  m.what.operand = m.what.value = nullptr;
  if (const auto entry = tap.entries.find(event.source); entry != tap.entries.end()) m.entry = entry->second;
  moments_.push_back(std::move(m));
}

void SlotTrace::on_sender(const Tap& tap, Tick time, std::uint32_t psn) {
  for (const HostConnection& c : platform_.rings().connections(ring_number)) {
    if (c.from != tap.host || c.from_pair != tap.pair) continue;
    const std::int64_t ahead = Psn::minus(psn, psn_of(c.psn));
    if (ahead > 0) return;
    SlotMoment m;
    m.time = m.end = time;
    m.kind = tap.kind;
    m.place = tap.place;
    m.psn = psn;
    m.packet = static_cast<std::int64_t>(query_.block) + ahead;
    m.source = static_cast<std::uint16_t>(c.from), m.destination = static_cast<std::uint16_t>(c.to);
    moments_.push_back(std::move(m));
  }
}

// ---- order

std::vector<SlotMoment> SlotTrace::moments() const {
  std::vector<SlotMoment> sorted = moments_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const SlotMoment& a, const SlotMoment& b) {
    if (a.time != b.time) return a.time < b.time;
    if (a.kind != b.kind && device_of(a) == device_of(b)) return a.kind < b.kind;
    return natural_less(a.place, b.place);
  });
  std::map<std::uint16_t, bool> sent;  // by host: true if its gradient has been sent
  std::vector<SlotMoment> touching;
  for (SlotMoment& m : sorted) {
    const bool frame = m.kind == SlotMoment::Kind::sent || m.kind == SlotMoment::Kind::fate;
    if (frame && m.part == SlotPart::gradient) sent[m.source] = true;
    const bool sender = m.kind == SlotMoment::Kind::rewound || m.kind == SlotMoment::Kind::timed_out;
    const bool asks = frame && m.part == SlotPart::nack;
    if ((sender || asks) && !sent[asks ? m.destination : m.source]) continue;
    if (wanted(m)) touching.push_back(std::move(m));
  }
  return touching;
}

std::vector<LifeMarker> markers_of(const std::vector<SlotMoment>& moments) {
  using Kind = SlotMoment::Kind;
  using What = SlotEvent::Kind;
  std::map<std::string, Tick> first, last;
  std::string fate;
  std::set<std::uint16_t> senders;
  const auto note = [&](const std::string& name, Tick time) { first.emplace(name, time), last[name] = time; };
  for (const SlotMoment& m : moments) {
    if (m.kind == Kind::slot) {
      const What what = m.what.kind;
      if (what == What::added && m.what.whole) note("completion", m.time);
      if (what == What::again) note("sum again", m.time);
    }
    if (m.kind == Kind::delivered) note("result", m.time);
    if (m.kind == Kind::fate) fate = fate.empty() ? std::string(m.fate) : fate, note("fate", m.time);
    if (m.kind == Kind::rewound) note("rewind", m.time);
    if (m.kind == Kind::timed_out) note("timeout", m.time);
    if (m.kind == Kind::sent && m.part == SlotPart::nack) note("NACK", m.time);
    if (m.kind == Kind::sent && m.part == SlotPart::gradient && senders.insert(m.source).second) note("gradient", m.time);
  }
  std::vector<LifeMarker> markers;
  const auto add = [&](const std::string& name, const std::map<std::string, Tick>& when, const std::string& shown) {
    if (const auto found = when.find(name); found != when.end()) markers.push_back({shown, found->second});
  };
  add("gradient", first, "first gradient");
  add("gradient", last, "last gradient");
  add("completion", first, "completion");
  add("result", first, "first result");
  add("fate", first, first_word(fate));
  for (const char* name : {"NACK", "timeout", "rewind", "sum again"}) add(name, first, name);
  add("result", last, "last result");
  std::stable_sort(markers.begin(), markers.end(), [](auto& a, auto& b) { return a.time < b.time; });
  return markers;
}

}  // namespace tributary
