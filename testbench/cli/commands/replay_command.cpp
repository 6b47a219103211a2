#include "testbench/cli/commands/replay_command.h"

#include <deque>
#include <iostream>

#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/rtl_traces.h"
#include "testbench/report/result_file.h"
#include "testbench/run/blocks/replay.h"
#include "testbench/run/plugin.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

void print_first(const BlockShadow::First& first) {
  std::cout << "first difference: time " << first.time << " ps, request " << first.ticket << ": " << first.request << "\n";
  std::size_t field = 5, expected = 6;
  for (const FieldDifference& d : first.fields) {
    field = std::max(field, d.field.size());
    expected = std::max(expected, d.expected.size());
  }
  std::cout << "  " << left("field", field) << "  " << left("record", expected) << "  block\n";
  for (const FieldDifference& d : first.fields)
    std::cout << "  " << left(d.field, field) << "  " << left(d.expected, expected) << "  " << d.got << "\n";
}

/// Contents are compared, for times depend on the stalls.
void set_stalls(const ReplayRequest& request, ReplaySpec& spec) {
  spec.stalls.percent = static_cast<unsigned>(
      with_place("--stall", [&] { return parse_count_within(request.stall, 0, OutputStalls::most_percent); }));
  if (!request.seed.empty()) spec.stalls.seed = with_place("--seed", [&] { return parse_count(request.seed, never); });
  if (spec.stalls.percent == 0 && !request.seed.empty()) throw InputError("--seed requires --stall P");
  if (spec.stalls.percent == 0) return;
  if (request.plugin.empty()) throw InputError("--stall requires --block FILE (legal: a block in RTL, docs/rtl.md)");
  spec.rule.kind = CompareRule::Kind::data;
}

/// Returns null without --trace-rtl.
std::shared_ptr<TraceFiles> traces_of(const ReplayRequest& request) {
  Settings settings;
  for (const std::string& glob : request.traced) settings.add("trace-rtl", {glob, "--trace-rtl"});
  if (request.trace_folder) settings.add("trace-rtl-dir", {*request.trace_folder, "--trace-rtl-dir"});
  const auto traces = make_rtl_traces(settings);
  if (traces != nullptr && request.plugin.empty())
    throw InputError("--trace-rtl requires --block FILE (legal: a block in RTL, docs/rtl.md)");
  return traces;
}

constexpr std::uint64_t most_x_seeds = 64;

/// Loads the block once for each seed.
void set_seeds(const ReplayRequest& request, std::deque<BlockFactories>& seeded, ReplaySpec& spec) {
  const auto seeds = with_place("--x-seeds", [&] { return parse_count_within(request.x_seeds, 0, most_x_seeds); });
  if (seeds != 0 && request.plugin.empty())
    throw InputError("--x-seeds requires --block FILE (legal: a block in RTL, docs/rtl.md)");
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    seeded.emplace_back().random_registers(seed);
    seeded.back().trace_rtl(spec.rtl_traces);
    load_plugin(request.plugin, seeded.back());
    spec.seeded.push_back(&seeded.back());
  }
}

/// Prints one line; returns false if random values change an answer.
bool print_seeded(const std::vector<SeededAnswers>& seeded) {
  for (const SeededAnswers& answers : seeded) {
    if (!answers.first) continue;
    const FieldDifference& field = answers.first->fields.front();
    std::cout << "registers: random values of seed " << answers.seed << " differ first in request " << answers.first->ticket
              << ": "
              << (field.field == "error" ? field.got : field.field + " is " + field.got + " in place of " + field.expected)
              << " (" << answers.different << (answers.different == 1 ? " difference)\n" : " differences)\n");
    return false;
  }
  if (!seeded.empty())
    std::cout << "registers: random values of " << seeded.size() << (seeded.size() == 1 ? " seed" : " seeds")
              << ", 0 different\n";
  return true;
}

}  // namespace

int replay_command(const ReplayRequest& request) {
  if (request.folder.empty()) throw InputError("DIR is missing (legal: the folder of `tributary run --record`)");
  BlockFactories factories;
  ReplaySpec spec;
  spec.folder = request.folder;
  try {
    spec.rule = parse_compare_rule(request.compare);
  } catch (const std::invalid_argument& error) {
    throw InputError(std::string("--compare: ") + error.what());
  }
  set_stalls(request, spec);
  spec.rtl_traces = traces_of(request);
  factories.trace_rtl(spec.rtl_traces);
  if (!request.plugin.empty()) {
    try {
      load_plugin(request.plugin, factories);
    } catch (const std::invalid_argument& error) {
      throw InputError(std::string("--block: ") + error.what());
    }
    spec.factories = &factories;
  }
  std::deque<BlockFactories> seeded;
  set_seeds(request, seeded, spec);
  const ReplayResult result = replay(spec);
  const std::string who = request.plugin.empty() ? result.place.block + " of the model" : request.plugin;
  std::cout << who << ": " << result.transactions << (result.transactions == 1 ? " transaction, " : " transactions, ")
            << result.different << " different; " << result.times.text() << "\n";
  if (!result.setting.empty()) std::cout << "model: --set " << result.setting << "\n";
  if (!request.plugin.empty() && result.setting.empty()) std::cout << result.times.table();
  if (result.first) print_first(*result.first);
  const bool equal = print_seeded(result.seeded);
  if (!request.csv.empty()) replace_file(request.csv, result.times.csv());
  return result.different == 0 && equal ? exit_done : exit_wrong;
}

}  // namespace tributary
