#include "testbench/record/run_record.h"

#include <algorithm>

#include "testbench/observe/natural_order.h"

namespace tributary {
namespace {

/// Removes the platform's name, which all names begin with.
std::string local(const std::string& name) { return name.substr(name.find('.') + 1); }

template <class Member>
void sort_by_name(std::vector<RecordedGroup<Member>>& groups) {
  for (RecordedGroup<Member>& group : groups)
    std::sort(group.members.begin(), group.members.end(), [](auto& a, auto& b) { return natural_less(a.name, b.name); });
}

}  // namespace

RunRecord::RunRecord(const std::vector<DirectedLink>& links, const ProbeDirectory& probes, const RecordChoice& choice) {
  for (const DirectedLink& link : links) {
    LinkTap& tap = links_.emplace_back(LinkTap{this, link.name, link.transmitter, {}});
    link.transmitter->sent.attach(&tap, [](void* observer, Tick time, const PacketView& packet) {
      LinkTap& t = *static_cast<LinkTap*>(observer);
      const Tick from = t.record->since_start(time);
      t.bins.add_level(from, from + t.link->time_of(packet.bytes), 1);
    });
  }
  for (const RecordedSignals& s : choice.levels) level_titles_.push_back(s.title);
  for (const RecordedSignals& s : choice.stages) stage_titles_.push_back(s.title);
  for (const RecordedSignals& s : choice.events) events_.push_back({this, s.title, {}});
  probes.for_each<SignalProbe>([&](const std::string& name, SignalProbe& probe) { attach_signal(name, probe, choice); });
  for (const RecordedSpans& spans : choice.spans) {
    level_titles_.push_back(spans.title);
    attach_spans(probes, spans, level_titles_.size() - 1);
  }
}

void RunRecord::attach_signal(const std::string& name, SignalProbe& probe, const RecordChoice& choice) {
  for (std::size_t g = 0; g < choice.levels.size(); ++g) {
    if (!glob_match(choice.levels[g].glob, name)) continue;
    probe.attach(&levels_.emplace_back(LevelTap{this, local(name), g, {}}), [](void* tap, Tick time, std::uint64_t value) {
      LevelTap& t = *static_cast<LevelTap*>(tap);
      const Tick now = t.record->since_start(time);
      t.bins.add_level(t.since, now, static_cast<double>(t.value));
      t.since = std::max(t.since, now), t.value = value;
    });
  }
  for (std::size_t g = 0; g < choice.events.size(); ++g)
    if (glob_match(choice.events[g].glob, name))
      probe.attach(&events_[g], [](void* tap, Tick time, std::uint64_t) {
        EventTap& t = *static_cast<EventTap*>(tap);
        t.bins.add_event(t.record->since_start(time));
      });
  for (std::size_t g = 0; g < choice.stages.size(); ++g)
    if (glob_match(choice.stages[g].glob, name))
      probe.attach(&stages_.emplace_back(StageTap{this, g, {local(name), {}, false}, {}}),
                   [](void* tap, Tick time, std::uint64_t value) { change(*static_cast<StageTap*>(tap), time, value); });
}

void RunRecord::attach_spans(const ProbeDirectory& probes, const RecordedSpans& spans, std::size_t group) {
  probes.for_each<SignalProbe>([&](const std::string& name, SignalProbe& begin) {
    const auto during = probes.entries().find(name.substr(0, name.rfind('.') + 1) + spans.during);
    if (!glob_match(spans.begin, name) || during == probes.entries().end()) return;
    const std::string inner = local(name), device = inner.substr(0, inner.find('.'));
    if (devices_.empty() || devices_.back().name != device || devices_.back().group != group)
      devices_.push_back({device, group, {}});
    SpanTap& tap = spans_.emplace_back(SpanTap{this, &devices_.back()});
    begin.attach(&tap, [](void* observer, Tick time, std::uint64_t) {
      SpanTap& t = *static_cast<SpanTap*>(observer);
      end_span(t);
      t.open = true, t.since = t.last = t.record->since_start(time);
    });
    static_cast<SignalProbe*>(during->second.probe)->attach(&tap, [](void* observer, Tick time, std::uint64_t) {
      SpanTap& t = *static_cast<SpanTap*>(observer);
      t.last = std::max(t.last, t.record->since_start(time));
    });
  });
}

void RunRecord::end_span(SpanTap& tap) {
  if (tap.open) tap.device->bins.add_level(tap.since, tap.last, 1);
  tap.open = false;
}

void RunRecord::change(StageTap& tap, Tick time, std::uint64_t value) {
  const Tick now = tap.record->since_start(time);
  tap.now.to = now;
  if (tap.now.value != 0 && tap.now.to > tap.now.from) {
    if (tap.lane.stages.size() < most_stages)
      tap.lane.stages.push_back(tap.now);
    else
      tap.lane.cut = true;
  }
  tap.now = {value, now, now};
}

void RunRecord::reset(Tick t0) {
  t0_ = t0, length_ = 0, shift_ = 0;
  for (LinkTap& tap : links_) tap.bins.reset();
  for (LevelTap& tap : levels_) tap.bins.reset(), tap.since = 0, tap.value = 0;
  for (EventTap& tap : events_) tap.bins.reset();
  for (SpansOfDevice& device : devices_) device.bins.reset();
  for (SpanTap& tap : spans_) tap.open = false;
  for (StageTap& tap : stages_) tap.lane.stages.clear(), tap.lane.cut = false, tap.now = {};
  link_series_.clear(), event_series_.clear(), level_groups_.clear(), stage_groups_.clear();
}

RecordedSeries RunRecord::series(const std::string& name, TimeBins& bins, double unit, Tick until) const {
  bins.widen(shift_);
  RecordedSeries series{name, bins.sums(), bins.peaks()};
  series.means.resize(stretches(), 0);
  series.peaks.resize(stretches(), 0);
  for (const double sum : series.means) series.mean += sum / (unit != 0 ? unit : static_cast<double>(length_));
  for (std::size_t i = 0; i < series.means.size(); ++i) {
    const auto from = static_cast<Tick>(i) << shift_;
    series.means[i] /= unit != 0 ? unit : static_cast<double>(std::min(stretch(), until - from));
  }
  return series;
}

void RunRecord::end(Tick when) {
  length_ = std::max<Tick>(1, since_start(when));
  shift_ = 10;
  for (LevelTap& tap : levels_) tap.bins.add_level(tap.since, length_, static_cast<double>(tap.value)), tap.since = length_;
  for (SpanTap& tap : spans_) end_span(tap);
  while (((length_ - 1) >> shift_) >= TimeBins::most) ++shift_;
  const auto widest = [this](const auto& taps) {
    for (const auto& tap : taps) shift_ = std::max(shift_, tap.bins.shift());
  };
  widest(links_), widest(levels_), widest(events_), widest(devices_);
  // Transmissions after the end of the run, up to the end of its last stretch, are included, as that stretch is
  // complete.
  const Tick whole = stretches() * stretch();
  for (LinkTap& tap : links_) {
    link_series_.push_back(series(tap.name, tap.bins, 0, whole));
    link_series_.back().rate_GBps = static_cast<double>(tap.link->rate().value) * 1e-9;
  }
  for (const std::string& title : level_titles_) level_groups_.push_back({title, {}});
  for (LevelTap& tap : levels_) {
    RecordedSeries level = series(tap.name, tap.bins, 0, length_);
    const bool any = std::any_of(level.peaks.begin(), level.peaks.end(), [](double x) { return x > 0; });
    if (any) level_groups_[tap.group].members.push_back(std::move(level));
  }
  for (SpansOfDevice& device : devices_) {
    RecordedSeries spans = series(device.name, device.bins, 0, length_);
    spans.peaks = spans.means;  // spans begin and end within a stretch
    level_groups_[device.group].members.push_back(std::move(spans));
  }
  for (EventTap& tap : events_)
    if (!tap.bins.sums().empty()) event_series_.push_back(series(tap.title, tap.bins, 1, length_));
  for (const std::string& title : stage_titles_) stage_groups_.push_back({title, {}});
  for (StageTap& tap : stages_) {
    change(tap, t0_ + length_, 0);
    if (!tap.lane.stages.empty()) stage_groups_[tap.group].members.push_back(tap.lane);
  }
  sort_by_name(level_groups_);
  sort_by_name(stage_groups_);
}

}  // namespace tributary
