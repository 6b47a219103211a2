#include "testbench/cli/sweep/sweep_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "testbench/cli/exit_code.h"
#include "testbench/report/replacement_file.h"
#include "testbench/report/result_file.h"
#include "testbench/report/sweep_table.h"
#include "testbench/run/status.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

bool has_text(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) && object[name].is_string();
}

/// Returns true for a row of results that the table of the sweep can read.
bool is_row(const Json& row) {
  const Json peak = row.is_object() ? row.value("peak_link", Json()) : Json();
  const Json bottleneck = row.is_object() ? row.value("bottleneck", Json()) : Json();
  const Json counters = row.is_object() ? row.value("counters", Json::object()) : Json();
  return has_text(row, "status") && counters.is_object() && (peak.is_null() || has_text(peak, "name")) &&
         (bottleneck.is_null() || (has_text(bottleneck, "cause") && has_text(bottleneck, "claim")));
}

/// Reads results of at least one message or iteration; nothing if the file is missing, cut short, damaged or of another
/// kind.
std::optional<Json> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  Json document = Json::parse(file, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  const Json results = result_rows(document);
  if (!results.is_array() || results.empty() || !std::all_of(results.begin(), results.end(), is_row)) return std::nullopt;
  return document;
}

/// Returns true if another run would only repeat the results.
bool final_status(const Json& document) { return stuck_status(result_rows(document).back().value("status", "")); }

}  // namespace

bool stuck_status(const std::string& status) {
  const auto& infos = status_infos();
  return std::any_of(infos.begin(), infos.end(),
                     [&](const StatusInfo& info) { return status == info.name && info.final && !is_complete(info.status); });
}

void SweepFolder::create() const {
  std::error_code error;
  std::filesystem::create_directories(path_ + "/points", error);
  if (!error) {
    try {
      const ReplacementFile probe(path_ + "/points");
      return;
    } catch (const std::system_error& refused) {
      error = refused.code();
    }
  }
  throw InputError("--out: cannot write to '" + path_ + "': " + error.message());
}

std::optional<Json> SweepFolder::finished(const SweepPoint& point) const {
  std::optional<Json> document = read(stem(point) + ".json");
  if (document && (!has_text((*document)["point"], "id") || (*document)["point"]["id"] != point.id)) return std::nullopt;
  return document;
}

bool SweepFolder::has_file(const SweepPoint& point) const {
  std::error_code ignored;
  return std::filesystem::exists(stem(point) + ".json", ignored);
}

std::optional<Json> SweepFolder::take(const SweepPoint& point, const PointProcess& process, const ProcessEnd& end) const {
  if (end.signal == 0 && end.exit_code == point_taken) return std::nullopt;  // its files belong to the other process
  std::optional<Json> document = read(process.part());
  const bool complete = end.signal == 0 && (end.exit_code == exit_done || end.exit_code == exit_wrong);
  const bool stuck = end.signal == 0 && end.exit_code == exit_unfinished && document && final_status(*document);
  std::error_code ignored;
  std::filesystem::remove(process.part(), ignored);
  if (!document || !(complete || stuck)) return std::nullopt;
  (*document)["point"] = {{"id", point.id}, {"settings", point.content}};
  replace_file(stem(point) + ".json", document->dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  forget(process);
  return document;
}

void SweepFolder::forget(const PointProcess& process) const {
  std::error_code ignored;
  std::filesystem::remove(process.part(), ignored);
  std::filesystem::remove(process.log(), ignored);
}

std::string SweepFolder::complaint(const PointProcess& process, const ProcessEnd& end) const {
  if (end.signal == 0 && end.exit_code == point_taken) return "another process is running it";
  if (end.signal != 0) return "ended by signal " + std::to_string(end.signal);
  std::ifstream log(process.log());
  std::string line;
  std::getline(log, line);
  for (const std::string prefix : {"tributary: ", "error: "})
    if (line.rfind(prefix, 0) == 0) line.erase(0, prefix.size());
  return line.empty() ? "exit code " + std::to_string(end.exit_code) : line;
}

}  // namespace tributary
