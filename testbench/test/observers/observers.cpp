/// Compares runs with observers against the same runs without: rows, counters, and the trajectory of every packet.
///
/// usage: tributary_observers RUNS.txt [--nightly]
///   One line for each run that an observer changes or ends, or in which it notes an error of the model; exit code 1 if
///   there is any.
#include <exception>
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
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/temporary_folder.h"

namespace {

using namespace tributary;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

RunSpec spec_of(const std::string& options) {
  const Command command = parse_command_line(words_of("run --quiet " + options));
  RunSpec spec = std::get<RunRequest>(command).spec;
  spec.trajectory = true;
  return spec;
}

struct Observer {
  const char* name;
  std::function<void(RunSpec&, const TemporaryFolder&)> add;
  std::function<bool(const RunSpec&)> exists;
  bool may_be_refused = false;  ///< by an algorithm, before the run
};

const std::vector<Observer>& observers() {
  static const auto always = [](const RunSpec&) { return true; };
  static const std::vector<Observer> all{
      {"--vcd", [](RunSpec& s, const auto& folder) { s.trace.file = folder.file("o.vcd"); }, always},
      {"--trace-block",
       [](RunSpec& s, const auto& folder) {
         s.trace.file = folder.file("o.vcd");
         s.trace.block = family_of(s.platform).facets().trace->first();
       },
       [](const RunSpec& s) {
         const FamilyTrace* const trace = family_of(s.platform).facets().trace;
         return trace != nullptr && trace->first() && s.messages() == 1;
       },
       true},
      {"--pcap", [](RunSpec& s, const auto& folder) { s.capture.file = folder.file("o.pcapng"); },
       [](const RunSpec& s) { return family_of(s.platform).facets().capture != nullptr; }},
      {"--html", [](RunSpec& s, const auto&) { s.record.page = true; }, always},
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
std::string difference_by(const RunSpec& plain, const std::vector<Run>& expected,
                          const std::vector<const Observer*>& added) {
  const TemporaryFolder folder;
  RunSpec spec = plain;
  for (const Observer* observer : added) observer->add(spec, folder);
  try {
    std::vector<Run> runs = run_all(spec);
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
void check(const std::string& options, bool may_be_refused, Count& count) {
  const auto report = [&](const std::string& observer, const std::string& what) {
    ++count.changed;
    std::cout << options << "\n  " << observer << ": " << what << "\n" << std::flush;
  };
  RunSpec plain;
  std::vector<Run> expected;
  try {
    plain = spec_of(options);
    expected = run_all(plain);
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
    if (!observer.exists(plain) || (observer.may_be_refused && is_refused(plain, observer))) continue;
    if (const std::string text = difference_by(plain, expected, {&observer}); !text.empty()) report(observer.name, text);
    if (!observer.may_be_refused) all.push_back(&observer);  // a traced block excludes the signals of a waveform
  }
  if (const std::string text = difference_by(plain, expected, all); !text.empty()) report("all together", text);
}

void check_every_algorithm(const std::string& options, Count& count) {
  const RunSpec spec = spec_of(options);
  const Count before = count;
  for (const Algorithm& a : family_of(spec.platform).algorithms())
    check("--collective " + a.collective + " --algorithm " + a.name + " " + options, true, count);
  if (count.runs == before.runs) throw std::runtime_error("no algorithm runs with " + options);
}

int work(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw std::runtime_error("usage: tributary_observers RUNS.txt [--nightly]");
  const bool nightly = arguments.size() > 1 && arguments[1] == "--nightly";
  std::ifstream in(arguments[0]);
  if (!in) throw std::runtime_error(arguments[0] + " cannot be read");
  Count count;
  for (std::string line; std::getline(in, line);) {
    const std::string key = line.substr(0, line.find(' ')), options = line.substr(key.size());
    if (key.empty() || key[0] == '#') continue;
    if (key == "quick" || (key == "nightly" && nightly))
      check(options, false, count);
    else if (key == "every" && nightly)
      check_every_algorithm(options, count);
    else if (key != "nightly" && key != "every")
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
