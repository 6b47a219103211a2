#pragma once
/// StoredRun: a run as its result file holds it, with what its energy needs.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/run/energy/energy.h"
#include "testbench/run/run_spec.h"

namespace tributary {

struct StoredRun {
  std::string file;
  RunSpec spec;
  RunParameters params;
  std::vector<ResultRow> rows;  ///< finished rows
};

/// Reads a file of `run --json`; parameters that it lacks keep their defaults. Throws InputError, one line, if it is no such
/// file, or has several jobs.
StoredRun read_stored_run(const std::string& file);
/// Reads such a document; errors name `file`.
StoredRun stored_run(const nlohmann::ordered_json& document, const std::string& file);

struct StoredPrices {
  std::optional<Energy> energy;  ///< empty: the row has no links, or has not finished
  AreaReport area;
};
/// Prices a row at the prices of `run.params`. Throws InputError if the file lacks parameters or has impossible values.
StoredPrices priced(const StoredRun& run, const ResultRow& row);

/// Returns energy and area of the last finished row of a result by the names of energy_value_names(), at `prices` instead of
/// those of the document. A training has the energy of a mean iteration, at the prices of its run. Values that are not
/// modelled are missing. Throws InputError as stored_run() does.
std::map<std::string, double> stored_energy_values(const nlohmann::ordered_json& document, const std::string& file,
                                                   const PriceParams& prices);

}  // namespace tributary
