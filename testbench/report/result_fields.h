#pragma once
/// ResultField: the only table of the fields of a result row. It defines entries of `results` in the JSON, columns of
/// the CSV, and their documentation (docs/result_files.md and the schema are generated from it).

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

struct ResultField {
  /// Condition for a column of the CSV; last: always, after all other columns.
  enum class Column : std::uint8_t { none, always, several_jobs, iterations, last };

  std::string name;
  std::string type;  ///< type in the JSON schema; `null` after another type: `integer|null`; empty: only in the CSV
  std::string unit;  ///< empty for a name or a text
  std::string about;
  /// Value, or none if this row does not have the field.
  std::function<std::optional<nlohmann::ordered_json>(const ResultRow&)> json;
  bool always = true;  ///< true: every row of a JSON has it
  Column column = Column::none;
  std::function<std::string(const RunSpec&, const ResultRow&)> csv = {};
};

/// Returns all fields, in the order of the JSON.
const std::vector<ResultField>& result_fields();
/// Returns the columns of a run's CSV, in order.
std::vector<const ResultField*> csv_fields(const RunSpec& spec);

/// A counter, or several whose names match a pattern.
struct CounterInfo {
  std::string name;  ///< a glob; `*` matches any text
  std::string unit;  ///< unit of each: events, ns, B
  std::string about;
  std::string on;  ///< platforms that have it
};

const std::vector<CounterInfo>& counter_infos();

/// Returns the JSON schema of the file of `run --json` (draft 2020-12), as shipped.
std::string result_schema();
/// Returns the same information as a page of the manual.
std::string result_page();

/// Writes the JSON keys of a job: collective, algorithm, ranks, endpoints, root, targets, start.
void add_job(nlohmann::ordered_json& json, const JobSpec& job);
/// Prints integers without a fraction: 17, not 17.0.
nlohmann::ordered_json number_json(double x);
/// Returns the fields of a bottleneck; null if there is none.
nlohmann::ordered_json bottleneck_json(const std::optional<Bottleneck>& bottleneck);

/// Returns the reduction operation of a row, `none` for a collective that reduces nothing.
std::string redop_of(const RunSpec& spec, const ResultRow& row);

}  // namespace tributary
