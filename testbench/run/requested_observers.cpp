#include "testbench/run/requested_observers.h"

#include "modules/base/text_format.h"
#include "modules/ethernet/core/frame_codec.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/facets/timeline.h"
#include "testbench/run/facets/trace.h"

namespace tributary {
namespace {

/// Adds a line below the title of a life, because a waveform counts from the start of the simulation.
void name_time_base(std::string& life, Tick t0) {
  life.insert(life.find('\n') + 1, "# time 0 is " + fixed(static_cast<double>(t0) * 1e-3, 3) + " ns in the waveform\n");
}

}  // namespace

RequestedObservers::RequestedObservers(const RunSpec& spec, const RunParameters& params, const Family& family,
                                       Driver& driver, const ProbeDirectory& probes)
    : machine_(driver.platform()), platform_(spec.platform.name()), trace_file_(spec.trace.file) {
  probes.guard_new(nullptr);
  if (spec.trace.block) {
    BlockQuery query = *spec.trace.block;
    query.device = family.endpoint_of(spec.platform).device;
    make(life_, probes, [&] { return driver.facets().trace->follow(query, probes); });
  } else if (!spec.trace.file.empty()) {
    make(waveform_, probes, [&] {
      auto waveform = std::make_unique<Waveform>(probes, spec.trace.globs, spec.trace.file);
      waveform->begin();
      return waveform;
    });
  }
  if (!spec.capture.file.empty())
    make(capture_, probes, [&] {
      auto capture = std::make_unique<PcapngWriter>(spec.capture.file, family.facets().capture->frame_format(spec, params));
      capture->attach(probes, spec.capture.globs, driver.platform().links());
      return capture;
    });
  if (spec.record.page)
    make(record_, probes,
         [&] { return std::make_unique<RunRecord>(driver.platform().links(), probes, family.observed().over_time); });
  if (spec.record.timeline.asked()) make_timeline(spec, family, driver, probes);
}

void RequestedObservers::make_timeline(const RunSpec& spec, const Family& family, Driver& driver,
                                       const ProbeDirectory& probes) {
  static DriverTimeline standard;
  DriverTimeline* const own = driver.facets().timeline;
  DriverTimeline& of = own != nullptr ? *own : standard;
  const TrailRules trails{[&of](const PacketView& packet) { return of.trail_of(packet); },
                          [&of](const ReductionEvent& event) { return of.trail_of_entry(event); }};
  make(timeline_, probes, [&] {
    return std::make_unique<Timeline>(spec.record.timeline, driver.platform().links(), probes, family.observed().over_time,
                                      trails, of.entries(probes));
  });
  if (spec.trace.file.empty()) timeline_.observer->check_globs();  // otherwise they may be meant for the waveform
}

void RequestedObservers::reset(Tick t0) {
  t0_ = t0;
  record_.call([&](RunRecord& record) { record.reset(t0); });
  timeline_.call([&](Timeline& timeline) { timeline.reset(t0); });
  life_.call([](LifeTrace& life) { life.reset(); });
  capture_.call([&](PcapngWriter& capture) { capture.payloads_follow(!machine_.in_kernel_time().empty()); });
}

void RequestedObservers::advance(Tick now) {
  waveform_.call([&](Waveform& waveform) { waveform.advance(now); });
  capture_.call([&](PcapngWriter& capture) { capture.advance(now); });
}

void RequestedObservers::end(Tick when) {
  record_.call([&](RunRecord& record) { record.end(when); });
  timeline_.call([&](Timeline& timeline) { timeline.end(when); });
  capture_.call([](PcapngWriter& capture) { capture.payloads_complete(); });
}

void RequestedObservers::fill(ResultRow& row) {
  life_.call([&](LifeTrace& life) {
    row.block_life = life.text(t0_);
    if (!trace_file_.empty()) name_time_base(row.block_life, t0_);
  });
  timeline_.call([&](Timeline& timeline) {
    if (timeline.cut() != never) row.timeline_cut = timeline.cut();
  });
}

void RequestedObservers::finish() {
  waveform_.call([](Waveform& waveform) { waveform.finish(); });
  capture_.call([](PcapngWriter& capture) { capture.finish(); });
  timeline_.call([&](Timeline& timeline) { timeline.write(platform_); });
  if (trace_file_.empty()) return;
  life_.call([&](LifeTrace& life) { life.write_waveform(trace_file_); });
}

std::vector<ObserverNote> RequestedObservers::notes() const {
  std::vector<ObserverNote> notes;
  waveform_.add_failure(notes);
  life_.add_failure(notes);
  capture_.add_failure(notes);
  record_.add_failure(notes);
  timeline_.add_failure(notes);
  if (waveform_.observer)
    for (const std::string& line : waveform_.observer->notes()) notes.push_back({"waveform: " + line, false});
  if (capture_.observer)
    for (const std::string& line : capture_.observer->notes()) notes.push_back({"capture: " + line, false});
  return notes;
}

}  // namespace tributary
