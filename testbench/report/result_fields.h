#pragma once
/// The one table of what a row of results says: entries of `results` in the JSON, columns of the CSV, and their
/// documentation (docs/result_files.md and the schema are made from it).

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

struct ResultField {
  /// When a CSV has the column; last: always, behind all others.
  enum class Column : std::uint8_t { none, always, several_jobs, iterations, last };

  std::string name;
  std::string type;  ///< of JSON schema; `null` beside another: `integer|null`; empty: in the CSV alone
  std::string unit;  ///< empty: a name or a text
  std::string about;
  std::function<std::optional<nlohmann::ordered_json>(const ResultRow&)> json;  ///< none: left out of this row
  bool always = true;                                                           ///< every row of a JSON has it
  Column column = Column::none;
  std::function<std::string(const RunSpec&, const ResultRow&)> csv = {};
};

/// In the order of the JSON.
const std::vector<ResultField>& result_fields();
/// Columns of the CSV of such a run, in their order.
std::vector<const ResultField*> csv_fields(const RunSpec& spec);

/// A counter, or several whose names begin or end alike.
struct CounterInfo {
  std::string name;  ///< a glob, `*` in place of anything
  std::string unit;  ///< of each: events, ns, B
  std::string about;
  std::string on;  ///< platforms that have it
};

const std::vector<CounterInfo>& counter_infos();
/// Null for a counter that is not documented.
const CounterInfo* find_counter(const std::string& name);

/// The JSON schema of the file of `run --json` (draft 2020-12), as it is shipped.
std::string result_schema();
/// The same as a page of the manual.
std::string result_page();

/// What jobs say of themselves in a JSON: collective, algorithm, ranks, endpoints, root, targets, start.
void add_job(nlohmann::ordered_json& json, const JobSpec& job);
/// A count is printed as one: 17, not 17.0.
nlohmann::ordered_json number_json(double x);
/// `module`, `class`, `cause`, `share`, `parameter`, and the same of `next`; null: there is none.
nlohmann::ordered_json limit_json(const std::optional<Limit>& limit);

}  // namespace tributary
