#include "testbench/cli/commands/energy_command.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"
#include "testbench/report/accelergy_files.h"
#include "testbench/report/energy_report.h"
#include "testbench/report/file_identity.h"
#include "testbench/report/plot/energy_bars.h"
#include "testbench/report/result_file.h"
#include "testbench/report/stored_run.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// A row of a file with its energy.
struct PricedRow {
  std::string label;
  double seconds;
  Energy energy;
};

void set_prices(const std::vector<std::string>& assignments, PriceParams& prices) {
  const ParameterSet set(prices);
  for (const std::string& assignment : assignments) {
    const std::string path = assignment.substr(0, assignment.find('='));
    if (!is_price(path))
      throw InputError("--set " + path + ": it would change the run (legal: energy.*, area.* and technology.*)");
    try {
      set.set_assignment(assignment);
    } catch (const ParameterError& error) {
      throw InputError(std::string("--set ") + error.what());
    }
  }
}

std::string energy_label(const StoredRun& run, const ResultRow& row) {
  return row.label.empty() ? to_string(bytes(row.size_bytes)) + " " + run.spec.jobs.front().algorithm : row.label;
}

std::vector<PricedRow> priced_rows(const StoredRun& run) {
  std::vector<PricedRow> all;
  for (const ResultRow& row : run.rows)
    if (auto energy = priced(run, row).energy)
      all.push_back({energy_label(run, row), static_cast<double>(row.time) * 1e-12, std::move(*energy)});
  if (all.empty()) throw InputError("'" + run.file + "' has no links and counters (legal: results of a run with packets)");
  return all;
}

/// Prints part, component, count, price and energy of each action.
void print_actions(const Energy& energy) {
  const auto line = [](const std::string& part, const std::string& component, const std::string& count,
                       const std::string& price, const std::string& per_byte) {
    std::cout << left(part, 13) << left(component, 22) << right(count, 16) << right(price, 12) << right(per_byte, 10)
              << "\n";
  };
  line("part", "component", "count", "pJ each", "pJ/B");
  for (const PricedAction& a : energy.actions)
    line(energy_part_names[static_cast<std::size_t>(a.action.part)], a.action.component, fixed(a.action.count, 0),
         fixed(a.price_pJ, 4), energy_number(energy.per_byte(a.joules)));
  for (const auto& [power, watts] : energy.powers)
    if (power.count * watts > 0) line("standing", power.device, fixed(power.count, 0), print_real(watts) + " W", "");
  std::cout << "not included:";
  for (const std::string& what : energy.not_included)
    std::cout << (&what == &energy.not_included.front() ? " " : ", ") << what;
  std::cout << "\n";
}

/// Returns `0.38 (0.35 to 0.41)`, and `undecided` if the ends are on both sides of 1. Both energies move together.
std::string ratio_text(const Energy& a, const Energy& b) {
  const auto of = [](double x, double y) { return y > 0 ? x / y : 0; };
  const double stated = of(a.per_byte(a.total()), b.per_byte(b.total()));
  const double low = of(a.per_byte(a.low), b.per_byte(b.low)), high = of(a.per_byte(a.high), b.per_byte(b.high));
  const auto [least, most] = std::minmax({stated, low, high});
  return fixed(stated, 2) + " (" + fixed(least, 2) + " to " + fixed(most, 2) + ")" +
         (least < 1 && most > 1 ? ", undecided" : "");
}

void print_comparison(const std::vector<StoredRun>& runs, const std::vector<PricedRow>& last) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::cout << runs[i].file << "\n" << energy_text(last[i].energy, last[i].seconds, last[i].label);
    if (i == 0) continue;
    const Energy &a = last[0].energy, &b = last[i].energy;
    std::cout << "# " << runs[0].file << " / " << runs[i].file << ": " << ratio_text(a, b) << "; marginal "
              << fixed(b.marginal > 0 ? a.per_byte(a.marginal) / b.per_byte(b.marginal) : 0, 2) << "\n";
  }
}

plot::EnergyBar energy_bar(const PricedRow& row) {
  plot::EnergyBar bar{row.label,
                      {},
                      row.energy.per_byte(row.energy.standing),
                      row.energy.per_byte(row.energy.low),
                      row.energy.per_byte(row.energy.high)};
  for (std::size_t i = 0; i < energy_part_count; ++i)
    if (row.energy.parts[i] > 0) bar.parts.emplace_back(energy_part_names[i], row.energy.per_byte(row.energy.parts[i]));
  return bar;
}

/// Refuses a drawing that would replace a result.
void check_drawing(const EnergyRequest& request) {
  if (request.drawing.empty()) return;
  const auto drawing = file_identity(request.drawing);
  for (const std::string& file : request.results)
    if (drawing && drawing == file_identity(file))
      throw InputError("--svg: '" + request.drawing + "' is a result (legal: another file)");
}

void draw_bars(const std::string& file, const std::vector<PricedRow>& rows) {
  std::vector<plot::EnergyBar> bars;
  for (const PricedRow& row : rows) bars.push_back(energy_bar(row));
  const plot::EnergyDrawing drawing = plot::draw_energy(bars);
  replace_file(file, drawing.svg.document(drawing.width, drawing.height, "energy per byte, by part"));
}

void write_accelergy(const std::string& folder, const StoredRun& run, const PricedRow& row) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError("--accelergy: cannot write to '" + folder + "': " + error.message());
  replace_file(folder + "/action_counts.yaml", accelergy_counts(row.energy));
  replace_file(folder + "/architecture.yaml", accelergy_architecture(row.energy, run.params.prices.technology.node));
}

}  // namespace

int energy_command(const EnergyRequest& request) {
  check_drawing(request);
  std::vector<StoredRun> runs;
  for (const std::string& file : request.results) {
    runs.push_back(read_stored_run(file));
    set_prices(request.assignments, runs.back().params.prices);
  }
  std::vector<std::vector<PricedRow>> rows;
  for (const StoredRun& run : runs) rows.push_back(priced_rows(run));
  std::vector<PricedRow> shown;
  for (const auto& of_run : rows) shown.push_back(of_run.back());
  if (runs.size() == 1) {
    shown = rows.front();
    for (const PricedRow& row : shown) std::cout << energy_text(row.energy, row.seconds, row.label);
    std::cout << priced(runs.front(), runs.front().rows.back()).area.text;
    print_actions(shown.back().energy);
  } else {
    print_comparison(runs, shown);
  }
  if (!request.drawing.empty()) draw_bars(request.drawing, shown);
  if (!request.accelergy.empty()) write_accelergy(request.accelergy, runs.front(), rows.front().back());
  return exit_done;
}

}  // namespace tributary
