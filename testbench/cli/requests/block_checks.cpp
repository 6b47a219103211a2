#include "testbench/cli/requests/block_checks.h"

#include <memory>

#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/output_check.h"
#include "testbench/cli/requests/rtl_traces.h"
#include "testbench/cli/requests/setting_text.h"
#include "testbench/run/blocks/monitor_tap.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// The files of a first difference replace older ones, but no input.
void check_shadow_files(const Settings& settings, const RunSpec& spec) {
  const Setting* const folder = settings.find("shadow-dir");
  for (const auto& tap : spec.shadows) {
    const Setting& asked = folder == nullptr ? *settings.find("shadow") : *folder;
    for (const std::string& block : tap->blocks())
      for (const std::string& file : {tap->last_requests_file(block), tap->waveform_file(block)})
        check_no_input(settings, asked, file);
  }
  if (folder != nullptr) require_folder(*folder);
}

void set_shadows(const Settings& settings, RunSpec& spec) {
  CompareRule rule;
  with(settings, "shadow-compare", [&](const std::string& text) { rule = parse_compare_rule(text); });
  std::string folder = ".";
  with(settings, "shadow-dir", [&](const std::string& text) { folder = text; });
  with(settings, "shadow", [&](const std::string& text) {
    spec.shadows.push_back(std::make_shared<ShadowTap>(text, rule, folder, spec.rtl_traces));
    spec.blocks.observe(spec.shadows.back());
  });
  spec.shadow_stop = settings.flag("shadow-stop");
  for (const char* option : {"shadow-compare", "shadow-stop", "shadow-dir"})
    if (settings.has(option) && spec.shadows.empty())
      throw InputError(settings.find(option)->where + " requires --shadow FILE");
  check_shadow_files(settings, spec);
}

void set_record(const Settings& settings, RunSpec& spec) {
  std::vector<std::string> globs;
  with(settings, "record-block", [&](const std::string& text) { globs.push_back(text); });
  std::uint64_t limit = BlockRecorder::usual_limit;
  with(settings, "record-limit", [&](const std::string& text) { limit = parse_count_within(text, 1, 1'000'000'000); });
  for (const char* option : {"record", "record-limit"})
    if (settings.has(option) && globs.empty())
      throw InputError(settings.find(option)->where + " requires --record-block PLACE");
  if (globs.empty()) return;
  const Setting* const folder = settings.find("record");
  if (folder == nullptr) throw InputError(settings.find("record-block")->where + " requires --record DIR");
  if (folder->text.empty()) throw InputError(folder->where + ": a folder is missing (legal: a path)");
  spec.block_records = std::make_shared<RecordTap>(std::move(globs), folder->text, spec.platform.name(), limit);
  spec.blocks.observe(spec.block_records);
}

/// Monitors see each answer before the device does.
void set_monitors(const Settings& settings, RunSpec& spec) {
  bool all = false, foreign = true;
  with(settings, "check-blocks", [&](const std::string& text) {
    const std::string kind = parse_name<std::string>(text, {{"off", "off"}, {"foreign", "foreign"}, {"all", "all"}});
    all = kind == "all", foreign = kind == "foreign";
  });
  Tick most = MonitorTap::usual_latency;
  with(settings, "check-latency", [&](const std::string& text) { most = parse_time(text).value; });
  const std::vector<std::string> blocks = spec.blocks.names();
  if (settings.has("check-latency") && !all && (!foreign || blocks.empty()))
    throw InputError(settings.find("check-latency")->where +
                     " requires monitors (legal: with --plugin FILE, or --check-blocks all)");
  if (all || (foreign && !blocks.empty()))
    spec.blocks.observe(std::make_shared<MonitorTap>(all ? std::vector<std::string>{} : blocks, most));
}

}  // namespace

void set_block_checks(const Settings& settings, RunSpec& spec) {
  set_monitors(settings, spec);
  set_shadows(settings, spec);
  set_record(settings, spec);
  if (spec.mode != SimulationMode::fluid) return;
  for (const char* option : {"shadow", "record-block", "trace-rtl"})
    if (const Setting* const given = settings.find(option))
      throw InputError(given->where + ": flows pass no blocks (legal: --mode windowed or event)");
}

}  // namespace tributary
