#pragma once
/// RequestedObservers: the waveform, life of a block, capture, record and timeline that a user asked for.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/probe_guard.h"
#include "platforms/platform.h"
#include "testbench/observe/life_trace.h"
#include "testbench/observe/pcapng_writer.h"
#include "testbench/observe/waveform.h"
#include "testbench/record/run_record.h"
#include "testbench/record/timeline.h"
#include "testbench/run/driver.h"
#include "testbench/run/family.h"
#include "testbench/run/run_spec.h"
#include "testbench/run/runner.h"

namespace tributary {

/// They never change or end a run: an exception in one of them becomes a note, and that observer is not called again.
/// Errors of their construction (no such signal, no such folder) are thrown, as nothing has run yet.
class RequestedObservers {
 public:
  /// `probes`: observers that are attached already are none of these, and their exceptions still end the run.
  RequestedObservers(const RunSpec& spec, const RunParameters& params, const Family& family, Driver& driver,
                     const ProbeDirectory& probes);

  /// True if a file holds back changes until advance().
  bool held_back() const { return waveform_.observer || capture_.observer; }
  void reset(Tick t0);
  /// No device acts before `now` any more.
  void advance(Tick now);
  /// Ends the record and the timeline of a message.
  void end(Tick when);
  /// Adds the life of the block and the end of a cut timeline.
  void fill(ResultRow& row);
  /// Completes all files.
  void finish();

  const RunRecord* record() const { return record_.observer.get(); }
  std::vector<ObserverNote> notes() const;

 private:
  template <class Observer>
  struct Guarded {
    std::string what;  ///< for notes
    ProbeGuard guard = {};
    std::unique_ptr<Observer> observer = {};

    template <class Call>
    void call(Call&& function) {
      if (observer) guard.call([&] { function(*observer); });
    }
    void add_failure(std::vector<ObserverNote>& notes) const {
      if (guard.failed()) notes.push_back({what + " is incomplete: " + guard.error(), true});
    }
  };
  /// Constructs the observer and guards all that it has attached to.
  template <class Observer, class Make>
  void make(Guarded<Observer>& place, const ProbeDirectory& probes, Make&& function) {
    place.observer = function();
    probes.guard_new(&place.guard);
  }
  void make_timeline(const RunSpec& spec, const Family& family, Driver& driver, const ProbeDirectory& probes);

  const Platform& machine_;
  std::string platform_, trace_file_;
  Tick t0_ = 0;
  Guarded<Waveform> waveform_{"the waveform"};
  Guarded<LifeTrace> life_{"the life of the block"};
  Guarded<PcapngWriter> capture_{"the capture"};
  Guarded<RunRecord> record_{"the record of the report"};
  Guarded<Timeline> timeline_{"the timeline"};
};

}  // namespace tributary
