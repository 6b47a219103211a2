#include "testbench/cli/commands/block_checks.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "testbench/report/result_file.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the last part of the name of a block: `combinator`.
std::string short_name(const std::string& block) { return block.substr(block.rfind('.') + 1); }

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

/// Writes the last requests, once for each kind of block.
std::string write_last(const BlockShadow& shadow, std::set<std::string>& written) {
  const std::string name = short_name(shadow.place().block) + "_first.jsonl";
  if (!written.insert(name).second) return "";
  replace_file(name, shadow.first()->last);
  return "  last requests in " + name + "\n";
}

}  // namespace

void report_block_checks(const RunSpec& spec, bool quiet, RunReport& report) {
  std::string text;
  Json all = Json::array();
  std::set<std::string> written;
  for (const auto& tap : spec.shadows)
    for (const auto& shadow : tap->shadows()) {
      text += shadow->text(tap->file());
      if (shadow->first()) text += write_last(*shadow, written);
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
