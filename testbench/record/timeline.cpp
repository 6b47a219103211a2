#include "testbench/record/timeline.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "testbench/observe/natural_order.h"
#include "testbench/observe/trace_error.h"
#include "testbench/observe/traced_signal.h"
#include "testbench/record/perfetto_writer.h"
#include "testbench/record/trace_event_writer.h"

namespace tributary {
namespace {

std::string first_part(const std::string& name) { return name.substr(0, name.find('.')); }
std::string without_first(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}
std::string without_leaf(const std::string& name) { return name.substr(0, name.rfind('.')); }

}  // namespace

Timeline::Timeline(const TimelineSpec& spec, const std::vector<DirectedLink>& links, const ProbeDirectory& probes,
                   const RecordChoice& choice, TrailRules flows, const std::vector<EntrySource>& entries)
    : spec_(spec), matched_(spec.globs.size(), false), flows_(std::move(flows)) {
  if (!spec_.globs.empty())
    for (const TracedSignal& signal : traceable_signals(probes)) signals_[signal.probe].push_back(signal.name);
  if (!probes.entries().empty()) prefix_ = first_part(probes.entries().begin()->first) + ".";
  attach_links(links, probes);
  probes.for_each<ReductionProbe>([&](const std::string& probe, ReductionProbe& reductions) {
    const std::string table = without_first(without_leaf(probe.substr(prefix_.size())));
    attach_entries({probe, &reductions, [table](std::uint32_t entry) { return table + " entry " + std::to_string(entry); }});
  });
  for (const EntrySource& source : entries) attach_entries(source);
  attach_signals(probes, choice);
  for (const RecordedSpans& spans : choice.spans) attach_spans(probes, spans);
}

bool Timeline::wanted(const std::string& name) {
  bool any = spec_.globs.empty();
  for (std::size_t i = 0; i < spec_.globs.size(); ++i)
    if (glob_match(spec_.globs[i], name)) any = matched_[i] = true;
  return any;
}

/// True if a glob selects the probe by its own name, or by the name of one of its signals.
bool Timeline::wanted_probe(const std::string& probe) {
  bool any = wanted(probe);
  const auto signals = signals_.find(probe);
  if (signals == signals_.end()) return any;
  for (const std::string& signal : signals->second)
    if (wanted(signal)) any = true;
  return any;
}

void Timeline::check_globs() const {
  for (std::size_t i = 0; i < spec_.globs.size(); ++i)
    if (!matched_[i])
      throw TraceError("--trace '" + spec_.globs[i] +
                       "' matches nothing that a timeline shows (legal: links by their sending ports, such as "
                       "*.port0.link; tables, waves and levels of `list probes`)");
}

std::uint32_t Timeline::track(const std::string& probe, const std::string& name, bool counter) {
  tracks_.push_back({first_part(probe), name, counter});
  return static_cast<std::uint32_t>(tracks_.size() - 1);
}

std::uint32_t Timeline::name(const std::string& text) {
  const auto [at, first] = name_numbers_.try_emplace(text, static_cast<std::uint32_t>(names_.size()));
  if (first) names_.push_back(text);
  return at->second;
}

void Timeline::attach_packets(LinkTap& tap, PacketProbe& probe, const char* const* names) {
  for (unsigned i = 0; names != nullptr && names[i] != nullptr; ++i) tap.names.push_back(name(names[i]));
  probe.attach(&tap, [](void* observer, Tick time, const PacketView& packet) {
    const LinkTap& t = *static_cast<LinkTap*>(observer);
    Timeline& line = *t.line;
    TimelineEvent event;
    event.from = event.to = line.since_start(time);
    event.kind = t.link == nullptr ? TimelineEvent::Kind::instant : TimelineEvent::Kind::slice;
    event.role = t.link == nullptr ? TimelineEvent::Role::arrival : TimelineEvent::Role::packet;
    if (t.link != nullptr) event.to += t.link->time_of(packet.bytes);
    event.track = t.track;
    event.name = packet.opcode < t.names.size() ? t.names[packet.opcode] : line.name(std::to_string(packet.opcode));
    event.flow = line.flows_.of_packet(packet);
    event.source = packet.source;
    event.bytes = packet.bytes;
    line.add(event);
  });
}

/// Attaches slices on links and instants of arrivals at endpoints.
void Timeline::attach_links(const std::vector<DirectedLink>& links, const ProbeDirectory& probes) {
  std::map<const void*, const char* const*> opcodes;
  for (const auto& [probe, entry] : probes.entries()) opcodes[entry.probe] = entry.names;
  for (const DirectedLink& link : links) {
    const std::size_t arrow = link.name.find('>');
    const std::string from = link.name.substr(0, arrow), to = link.name.substr(arrow + 1);
    const bool by_link = wanted(prefix_ + from + ".link"), by_probe = wanted_probe(prefix_ + from + ".link.sent");
    if (!by_link && !by_probe) continue;
    LinkTap& tap =
        links_.emplace_back(LinkTap{this, track(from, without_first(from) + " > " + to, false), link.transmitter, {}});
    tracks_.back().receiver = first_part(to);
    attach_packets(tap, link.transmitter->sent, opcodes[&link.transmitter->sent]);
  }
  probes.for_each<PacketProbe>([&](const std::string& probe, PacketProbe& arrivals) {
    if (!glob_match("*.delivered", probe) || !wanted_probe(probe)) return;
    const std::string local = probe.substr(prefix_.size());
    LinkTap& tap = links_.emplace_back(LinkTap{this, track(local, "arrivals", false), nullptr, {}});
    attach_packets(tap, arrivals, opcodes[&arrivals]);
  });
}

/// Attaches slices of entries in use, with an instant per operand.
void Timeline::attach_entries(const EntrySource& source) {
  if (!wanted_probe(source.probe)) return;
  EntryTap& tap =
      entries_.emplace_back(EntryTap{this, first_part(source.probe.substr(prefix_.size())), source.name, {}, {}});
  source.events->attach(&tap, [](void* observer, Tick time, const ReductionEvent& event) {
    EntryTap& t = *static_cast<EntryTap*>(observer);
    t.line->on_reduction(t, time, event);
  });
}

void Timeline::on_reduction(EntryTap& tap, Tick time, const ReductionEvent& event) {
  using What = ReductionEvent::Kind;
  const Tick now = since_start(time);
  const auto [known, first] = tap.tracks.try_emplace(event.entry, 0);
  if (first) known->second = track(tap.device + ".", tap.name(event.entry), false);
  TimelineEvent shown;
  shown.from = shown.to = now, shown.track = known->second, shown.flow = flows_.of_entry(event);
  if (event.kind == What::allocated) tap.open[event.entry] = {now, shown.flow};
  const auto open = tap.open.find(event.entry);
  if (open != tap.open.end()) shown.flow = open->second.flow;
  if (event.kind == What::freed) {
    if (open == tap.open.end()) return;
    shown.from = open->second.since, shown.name = name("entry");
    tap.open.erase(open);
    return add(shown);
  }
  static constexpr const char* names[] = {"operand", "operand", "completion", "eviction", "timeout"};
  if (event.kind != What::completed && event.source == ReductionEvent::no_source && event.kind <= What::merged) return;
  shown.kind = TimelineEvent::Kind::instant;
  if (event.source != ReductionEvent::no_source) {
    shown.name = name("operand"), shown.source = event.source, shown.role = TimelineEvent::Role::operand;
    add(shown);
  }
  if (event.kind <= What::merged) return;
  shown.name = name(names[static_cast<std::size_t>(event.kind)]), shown.source = TimelineEvent::none;
  shown.role = TimelineEvent::Role::emission;
  add(shown);
}

void Timeline::attach_signals(const ProbeDirectory& probes, const RecordChoice& choice) {
  const auto attach = [&](const RecordedSignals& signals, bool stages) {
    probes.for_each<SignalProbe>([&](const std::string& probe, SignalProbe& signal) {
      if (!glob_match(signals.glob, probe) || !wanted(probe)) return;
      const std::string local = probe.substr(prefix_.size());
      LevelTap& tap =
          levels_.emplace_back(LevelTap{this, track(local, without_first(local), !stages), stages, without_first(local)});
      tracks_.back().deltas = !stages && probes.entries().at(probe).kind == SignalKind::delta;
      signal.attach(&tap, [](void* observer, Tick time, std::uint64_t value) {
        LevelTap& t = *static_cast<LevelTap*>(observer);
        t.line->on_level(t, time, value);
      });
    });
  };
  for (const RecordedSignals& signals : choice.levels) attach(signals, false);
  if (!spec_.globs.empty())  // only if selected, as the events of all devices would dominate the timeline
    for (const RecordedSignals& signals : choice.counters) attach(signals, false);
  for (const RecordedSignals& signals : choice.stages) attach(signals, true);
}

void Timeline::on_level(LevelTap& tap, Tick time, std::uint64_t value) {
  TimelineEvent event;
  event.from = event.to = since_start(time), event.track = tap.track;
  if (!tap.stages) {
    TimelineTrack& track = tracks_[tap.track];
    if (track.deltas && event.to < spec_.from) track.before += value;
    event.kind = TimelineEvent::Kind::counter, event.value = value;
    return add(event);
  }
  if (tap.value != 0 && event.to > tap.since) {
    event.from = tap.since, event.name = name(tap.title + " " + std::to_string(tap.value));
    add(event);
  }
  tap.value = value, tap.since = event.to;
}

void Timeline::attach_spans(const ProbeDirectory& probes, const RecordedSpans& spans) {
  probes.for_each<SignalProbe>([&](const std::string& probe, SignalProbe& begin) {
    const auto during = probes.entries().find(without_leaf(probe) + "." + spans.during);
    if (!glob_match(spans.begin, probe) || !wanted(probe) || during == probes.entries().end()) return;
    const std::string local = without_leaf(probe.substr(prefix_.size()));
    SpanTap& tap = spans_.emplace_back(SpanTap{this, track(local, without_first(local), false), name(without_first(local))});
    begin.attach(&tap, [](void* observer, Tick time, std::uint64_t value) {
      SpanTap& t = *static_cast<SpanTap*>(observer);
      t.line->end_span(t);
      t.open = true, t.since = t.last = t.line->since_start(time), t.first = value;
    });
    static_cast<SignalProbe*>(during->second.probe)->attach(&tap, [](void* observer, Tick time, std::uint64_t) {
      SpanTap& t = *static_cast<SpanTap*>(observer);
      t.last = std::max(t.last, t.line->since_start(time));
    });
  });
}

void Timeline::end_span(SpanTap& tap) {
  if (!tap.open || tap.last <= tap.since) return;
  TimelineEvent event;
  event.from = tap.since, event.to = tap.last, event.track = tap.track, event.name = tap.name;
  tap.open = false;
  add(event);
}

void Timeline::add(TimelineEvent event) {
  if (event.to < spec_.from || event.from >= spec_.to) return;
  if (events_.size() < most_events)
    events_.push_back(event);
  else
    cut_ = std::min(cut_, event.to);
}

void Timeline::reset(Tick t0) {
  t0_ = t0, cut_ = never;
  events_.clear();
  for (TimelineTrack& track : tracks_) track.before = 0;
  for (EntryTap& tap : entries_) tap.open.clear();
  for (LevelTap& tap : levels_) tap.since = 0, tap.value = 0;
  for (SpanTap& tap : spans_) tap.open = false;
}

void Timeline::end(Tick when) {
  for (LevelTap& tap : levels_)
    if (tap.stages) on_level(tap, std::max(when, t0_ + tap.since), 0);
  for (SpanTap& tap : spans_) end_span(tap);
  events_.erase(std::remove_if(events_.begin(), events_.end(), [this](const TimelineEvent& e) { return e.to >= cut_; }),
                events_.end());
  std::vector<std::size_t> ranks(tracks_.size());
  const std::vector<std::size_t> by_name = tracks_by_name();
  for (std::size_t i = 0; i < by_name.size(); ++i) ranks[by_name[i]] = i;
  const auto order = [&ranks](const TimelineEvent& e) { return std::make_tuple(e.from, ranks[e.track], e.kind, e.to); };
  std::stable_sort(events_.begin(), events_.end(),
                   [&](const TimelineEvent& a, const TimelineEvent& b) { return order(a) < order(b); });
  add_up_deltas();
}

/// Adds the changes up in time order, as probes do not fire in time order.
void Timeline::add_up_deltas() {
  std::vector<std::uint64_t> levels;
  for (const TimelineTrack& track : tracks_) levels.push_back(track.before);
  for (TimelineEvent& event : events_)
    if (tracks_[event.track].deltas) event.value = levels[event.track] += event.value;
  for (std::size_t i = events_.size(); i-- > 1;) {  // the order of events within an instant depends on the mode
    const TimelineEvent& last = events_[i];
    TimelineEvent& event = events_[i - 1];
    if (tracks_[event.track].deltas && event.track == last.track && event.from == last.from) event.value = last.value;
  }
}

/// Returns the tracks sorted by name, as the order of their indices depends on the order in which devices ran.
std::vector<std::size_t> Timeline::tracks_by_name() const {
  std::vector<std::size_t> order(tracks_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto name = [this](std::size_t i) { return tracks_[i].device + " " + tracks_[i].name; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return natural_less(name(a), name(b)); });
  return order;
}

std::vector<std::size_t> Timeline::shown_tracks() const {
  std::vector<bool> used(tracks_.size(), false);
  for (const TimelineEvent& e : events_) used[e.track] = true;
  std::vector<std::size_t> shown;
  for (const std::size_t i : tracks_by_name())
    if (used[i]) shown.push_back(i);
  return shown;
}

void Timeline::write(const std::string& platform) const {
  const auto save = [](const std::string& file, const auto& text) {
    if (file.empty()) return;
    errno = 0;
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    text(stream);
    stream.close();
    if (!stream)
      throw std::runtime_error("cannot write '" + file + "': " + (errno != 0 ? std::strerror(errno) : "unknown error"));
  };
  save(spec_.file, [&](std::ostream& out) { out << perfetto_text(platform, *this, spec_.nanoseconds); });
  save(spec_.json_file, [&](std::ostream& out) { write_trace_events(out, platform, *this, spec_.nanoseconds); });
}

}  // namespace tributary
