/// Compares runs and training steps with observers against the same runs without: rows, counters, times of tasks, and the
/// trajectory of every packet.
///
/// usage: tributary_observers RUNS.txt [--nightly]
///   One line for each run that an observer changes or ends, or in which it notes an error of the model; exit code 1 if
///   there is any. Training steps carry out `step.yaml` from the folder of RUNS.txt.
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <variant>
#include <vector>

#include "modules/base/sysc/logging.h"
#include "testbench/cli/command_line.h"
#include "testbench/run/facets/trace.h"
#include "testbench/run/family.h"
#include "testbench/run/training/step_run.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/training/train_step.h"

namespace {

using namespace tributary;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// A run or a training step that is repeated with observers.
struct Subject {
  RunSpec plain;
  std::function<std::vector<Run>(const RunSpec&)> run;
  bool step = false;
};

Subject run_of(const std::string& options) {
  const Command command = parse_command_line(words_of("run --quiet " + options));
  return {std::get<RunRequest>(command).spec, run_all};
}

std::vector<Run> run_step(const TrainRequest& request, const RunSpec& spec) {
  return runs_in_child([&]() -> std::vector<Run> {
    const std::size_t ranks = spec.jobs.front().ranks.size();
    const training::TrainStep step = training::graph_step(request.graph, request.params, static_cast<int>(ranks), spec.seed);
    StepRun run(spec, step.graph, step.stragglers, request.params.ring);
    const ResultRow row = run.run();
    for (const ObserverNote& note : run.observer_notes()) throw std::runtime_error(note.text);
    if (row.status != Status::done) throw std::runtime_error("the step ended as " + std::string(status_name(row.status)));
    std::vector<Tick> times;
    for (const training::Span& span : run.measured().spans)
      times.insert(times.end(), {span.ready, span.begin, span.start, span.end});
    return {{row, run.hashes(), times}};
  });
}

Subject step_of(const std::string& options, const std::string& graph) {
  const Command command = parse_command_line(words_of("train --quiet --fidelity full --graph " + graph + " " + options));
  const TrainRequest request = std::get<TrainRequest>(command);
  return {request.run.spec, [request](const RunSpec& spec) { return run_step(request, spec); }, true};
}

struct Observer {
  const char* name;
  std::function<void(RunSpec&, const TemporaryFolder&)> add;
  std::function<bool(const RunSpec&)> exists;
  bool may_be_refused = false;  ///< by an algorithm, before the run
  bool of_steps = true;         ///< an option of `train`, too
};

const std::vector<Observer>& observers() {
  static const auto always = [](const RunSpec&) { return true; };
  static const std::vector<Observer> all{
      {"--vcd", [](RunSpec& s, const auto& folder) { s.trace.file = folder.file("o.vcd"); }, always},
      {"--trace-block",
       [](RunSpec& s, const auto& folder) {
         s.trace.file = folder.file("o.vcd");
         s.trace.block = family_of(s.platform).facets().trace->first(s);
       },
       [](const RunSpec& s) {
         const FamilyTrace* const trace = family_of(s.platform).facets().trace;
         return trace != nullptr && trace->first(s) && s.messages() == 1;
       },
       true, false},
      {"--pcap", [](RunSpec& s, const auto& folder) { s.capture.file = folder.file("o.pcapng"); },
       [](const RunSpec& s) { return family_of(s.platform).facets().capture != nullptr; }, false, false},
      {"--html", [](RunSpec& s, const auto&) { s.record.page = true; }, always, false, false},
      {"--perfetto",
       [](RunSpec& s, const auto& folder) {
         s.record.timeline.file = folder.file("o.pftrace"), s.record.timeline.json_file = folder.file("o.json");
       },
       always},
  };
  return all;
}

bool is_refused(const RunSpec& plain, const Observer& observer) {
  const TemporaryFolder folder;
  RunSpec spec = plain;
  observer.add(spec, folder);
  try {
    in_child([&spec] { return Session(spec), std::string(); });
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

/// Returns the difference that observers make; empty if none.
std::string difference_by(const Subject& subject, const std::vector<Run>& expected,
                          const std::vector<const Observer*>& added) {
  const TemporaryFolder folder;
  RunSpec spec = subject.plain;
  for (const Observer* observer : added) observer->add(spec, folder);
  try {
    std::vector<Run> runs = subject.run(spec);
    for (Run& run : runs) run.row.block_life.clear();
    return difference(expected, runs);
  } catch (const std::exception& error) {
    return error.what();
  }
}

struct Count {
  std::size_t runs = 0, refused = 0, changed = 0;
};

/// `may_be_refused`: an algorithm that the platform does not run is no error.
void check(const std::string& options, const std::function<Subject()>& make, bool may_be_refused, Count& count) {
  const auto report = [&](const std::string& observer, const std::string& what) {
    ++count.changed;
    std::cout << options << "\n  " << observer << ": " << what << "\n" << std::flush;
  };
  Subject subject;
  std::vector<Run> expected;
  try {
    subject = make();
    subject.plain.trajectory = true;
    expected = subject.run(subject.plain);
  } catch (const std::exception& error) {
    if (may_be_refused) {
      ++count.refused;
      return;
    }
    return report("no observer", error.what());
  }
  ++count.runs;
  std::vector<const Observer*> all;
  for (const Observer& observer : observers()) {
    if (!observer.exists(subject.plain) || (subject.step && !observer.of_steps) ||
        (observer.may_be_refused && is_refused(subject.plain, observer)))
      continue;
    if (const std::string text = difference_by(subject, expected, {&observer}); !text.empty()) report(observer.name, text);
    if (!observer.may_be_refused) all.push_back(&observer);  // a traced block excludes the signals of a waveform
  }
  if (const std::string text = difference_by(subject, expected, all); !text.empty()) report("all together", text);
}

void check_every_algorithm(const std::string& options, Count& count) {
  const RunSpec spec = run_of(options).plain;
  const Count before = count;
  for (const Algorithm& a : family_of(spec.platform).algorithms()) {
    const std::string all = "--collective " + a.collective + " --algorithm " + a.name + " " + options;
    check(
        all, [&] { return run_of(all); }, true, count);
  }
  if (count.runs == before.runs) throw std::runtime_error("no algorithm runs with " + options);
}

void check_every_step(const std::string& options, const std::string& graph, Count& count) {
  const RunSpec spec = step_of(options, graph).plain;
  const Count before = count;
  for (const Algorithm& a : family_of(spec.platform).algorithms()) {
    if (a.collective != "allreduce") continue;
    const std::string all = "--algorithm " + a.name + " " + options;
    check(
        "train " + all, [&] { return step_of(all, graph); }, true, count);
  }
  if (count.runs == before.runs) throw std::runtime_error("no algorithm carries out a step with " + options);
}

int work(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw std::runtime_error("usage: tributary_observers RUNS.txt [--nightly]");
  const bool nightly = arguments.size() > 1 && arguments[1] == "--nightly";
  const std::string graph = (std::filesystem::path(arguments[0]).parent_path() / "step.yaml").string();
  std::ifstream in(arguments[0]);
  if (!in) throw std::runtime_error(arguments[0] + " cannot be read");
  Count count;
  for (std::string line; std::getline(in, line);) {
    const std::string key = line.substr(0, line.find(' ')), options = line.substr(key.size());
    if (key.empty() || key[0] == '#') continue;
    if (key == "quick" || (key == "nightly" && nightly))
      check(
          options, [&] { return run_of(options); }, false, count);
    else if (key == "train")
      check(
          "train" + options, [&] { return step_of(options, graph); }, false, count);
    else if (key == "every" && nightly)
      check_every_algorithm(options, count);
    else if (key == "every_train" && nightly)
      check_every_step(options, graph, count);
    else if (key != "nightly" && key != "every" && key != "every_train")
      throw std::runtime_error("unknown kind of run: " + line);
  }
  std::cout << count.runs << " runs, " << count.refused << " refused, " << count.changed << " changed by observers\n";
  return count.changed == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  try {
    return work({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "observers: " << error.what() << "\n";
    return 2;
  }
}

int main(int argc, char* argv[]) {
  silence_systemc_banner();
  return sc_core::sc_elab_and_sim(argc, argv);
}
