#include "testbench/cli/commands/block_checks.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "testbench/report/result_file.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

Json first_json(const BlockShadow::First& first) {
  Json fields = Json::array();
  for (const FieldDifference& d : first.fields)
    fields.push_back({{"field", d.field}, {"expected", d.expected}, {"got", d.got}});
  return {{"time_ps", first.time}, {"ticket", first.ticket}, {"request", first.request}, {"fields", fields}};
}

Json shadow_json(const BlockShadow& shadow, const std::string& file) {
  Json json{{"place", shadow.place().name},
            {"block", shadow.place().block},
            {"file", file},
            {"compared", shadow.compared()},
            {"different", shadow.different()}};
  if (shadow.first()) json["first"] = first_json(*shadow.first());
  return json;
}

/// Writes the last requests and the waveform, once for each kind of block.
std::string write_first(const ShadowTap& tap, const BlockShadow& shadow, std::set<std::string>& written) {
  const std::string last = tap.last_requests_file(shadow.place().block), wave = tap.waveform_file(shadow.place().block);
  if (!written.insert(last).second) return "";
  replace_file(last, shadow.first()->last);
  replace_file(wave, shadow.waveform());
  return "  last requests in " + last + ", waveform in " + wave + "\n";
}

}  // namespace

void report_block_checks(const RunSpec& spec, bool quiet, RunReport& report) {
  std::string text;
  Json all = Json::array();
  std::set<std::string> written;
  for (const auto& tap : spec.shadows)
    for (const auto& shadow : tap->shadows()) {
      text += shadow->text(tap->file());
      if (shadow->first()) text += write_first(*tap, *shadow, written);
      all.push_back(shadow_json(*shadow, tap->file()));
    }
  if (!spec.shadows.empty()) report.shadows(text, all.dump());
  if (!spec.block_records) return;
  spec.block_records->finish();
  for (const auto& recorder : spec.block_records->recorders())
    if (!quiet)
      std::cerr << "tributary: note: " << recorder->place().name << ": " << recorder->transactions()
                << (recorder->cut() ? " transactions in " : " transactions, all of them, in ") << recorder->folder()
                << (recorder->cut() ? "; later ones are missing (--record-limit)\n" : "\n");
}

}  // namespace tributary
