#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "modules/base/text_format.h"
#include "platforms/pin_tables.h"
#include "testbench/cli/commands/list_command.h"
#include "testbench/report/result_fields.h"
#include "testbench/report/screen_width.h"
#include "testbench/run/blocks/stimulus.h"
#include "testbench/run/family.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/preset.h"
#include "testbench/workload/training/train_params.h"

namespace tributary {
namespace {

/// Prints rows with the same number of cells, in columns as wide as their widest cell. The last cell is wrapped; if the
/// others leave it too little room, it is on lines of its own.
void print_columns(std::ostream& out, const std::vector<std::vector<std::string>>& rows, std::size_t screen) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::size_t others = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) others += widths[i] + 2;
  std::size_t longest = 0;  // longest word of the last column
  for (const auto& row : rows) {
    std::istringstream words(row.back());
    for (std::string word; words >> word;) longest = std::max(longest, word.size());
  }
  const bool below = screen > 0 && others + std::max<std::size_t>(longest, 24) > screen;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) line += below && i > 0 ? row[i] + "  " : left(row[i], widths[i] + 2);
    if (below) {
      line = wrapped(line, screen, 2, 0) + "\n    " + wrapped(row.back(), screen, 4, 4);
    } else {
      line += wrapped(row.back(), screen, others, others);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

/// Returns the family, or all families for null.
std::vector<const Family*> listed(const Family* family) {
  return family == nullptr ? families() : std::vector<const Family*>{family};
}

std::string meaning_of(const ParameterField& field) {
  return field.note.help() + (field.note.automatic().empty() ? "" : " (auto: " + field.note.automatic() + ")");
}

/// Returns the role of a number (docs/measured_bottleneck.md); empty for a name.
std::string role_of(const ParameterField& field) {
  return field.note.role() == ParameterRole::none ? "" : to_string(field.note.role());
}

/// Escapes `|`, which would end a cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

/// Turns references to pages of the manual into links relative to docs/.
std::string linked(const std::string& text) {
  static const std::regex page("docs/((?:[a-z]+/)*([a-z_]+\\.md(?:#[a-z0-9-]+)?))");
  return std::regex_replace(text, page, "[$2]($1)");
}

constexpr std::size_t longest_page_line = 200;

/// Splits a text into statements, at semicolons outside of parentheses, and statements that exceed `most` characters into
/// lines.
std::vector<std::string> statements_of(const std::string& text, std::size_t most) {
  std::vector<std::string> lines(1);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && text.compare(i, 2, "; ") == 0) {
      lines.emplace_back();
      ++i;
      continue;
    }
    lines.back() += text[i];
    if (lines.back().size() <= most) continue;
    const std::size_t space = lines.back().rfind(' ');
    if (space == std::string::npos) continue;
    std::string rest = lines.back().substr(space + 1);
    lines.back().resize(space);
    lines.push_back(std::move(rest));
  }
  return lines;
}

/// Prints a parameter as rows of a table: a row for each statement of its meaning, and one for the source if it does not fit
/// into the first row.
void print_parameter_rows(std::ostream& out, const ParameterField& field) {
  const std::string head =
      "| `" + field.path + "` | " + cell(field.default_text) + " | " + cell(field.legal()) + " | " + role_of(field) + " | ";
  const std::string source = cell(linked(field.note.source()));
  const std::size_t room = longest_page_line - std::min(head.size() + 4, longest_page_line - 40);
  const std::vector<std::string> meaning = statements_of(cell(meaning_of(field)), room);
  const bool fits = head.size() + meaning.front().size() + source.size() + 5 <= longest_page_line;
  out << head << meaning.front() << " | " << (fits ? source + " |" : "|") << "\n";
  for (std::size_t i = 1; i < meaning.size(); ++i) out << "| | | | | " << meaning[i] << " | |\n";
  if (!fits) out << "| | | | | | " << source << " |\n";
}

}  // namespace

void list_platforms(std::ostream& out, std::size_t width) {
  std::vector<std::vector<std::string>> rows{{"platform", "ranks", "description"}};
  for (const Family* family : families())
    for (const PlatformForm& form : family->platforms()) rows.push_back({form.name, form.endpoints, form.about});
  print_columns(out, rows, width);
}

void list_collectives(std::ostream& out, std::size_t width, const std::vector<Algorithm>* carried) {
  std::set<std::string> runs;
  for (const Algorithm& m : carried != nullptr ? *carried : std::vector<Algorithm>{}) runs.insert(m.collective);
  for (const Family* family : carried != nullptr ? std::vector<const Family*>{} : families())
    for (const Algorithm& m : family->algorithms()) runs.insert(m.collective);
  std::vector<std::vector<std::string>> rows{{"collective", "description"}};
  for (const Collective& c : collectives())
    if (runs.count(c.name) != 0) rows.push_back({c.name, c.about});
  print_columns(out, rows, width);
}

/// Lists the algorithms that the platform runs, then those that it refuses, with the reason.
void list_checked(std::ostream& out, std::size_t width, const std::vector<CheckedAlgorithm>& algorithms) {
  std::vector<std::vector<std::string>> rows{{"collective", "algorithm", "description"}};
  std::vector<std::vector<std::string>> refused{{"refused", "algorithm", "reason"}};
  for (const CheckedAlgorithm& checked : algorithms) {
    const Algorithm& m = checked.algorithm;
    if (checked.refusal.empty())
      rows.push_back({m.collective, m.name, m.about});
    else
      refused.push_back({m.collective, m.name, checked.refusal});
  }
  print_columns(out, rows, width);
  if (refused.size() == 1) return;
  out << "\n";
  print_columns(out, refused, width);
}

/// Lists each algorithm once. Algorithms that the first family lacks have the names of their platforms.
void list_algorithms(std::ostream& out, std::size_t width, const std::vector<CheckedAlgorithm>* checked) {
  std::vector<std::vector<std::string>> rows{{"collective", "algorithm", "description"}};
  if (checked != nullptr) return list_checked(out, width, *checked);
  std::set<std::pair<std::string, std::string>> known;
  for (const Family* family : families()) {
    const bool for_all = family == families().front();
    const std::string only = for_all ? "" : std::string("; on ") + family->endpoint().platforms + " only";
    for (const Algorithm& m : family->algorithms())
      if (known.emplace(m.collective, m.name).second) rows.push_back({m.collective, m.name, m.about + only});
  }
  print_columns(out, rows, width);
}

void list_blocks(std::ostream& out, std::size_t width, const Family* only) {
  std::vector<std::vector<std::string>> rows{{"block", "header", "description (type of its factory)"}};
  for (const Family* family : listed(only))
    for (const BlockInfo& block : blocks_of(*family)) rows.push_back({block.name, block.header, block.about});
  if (rows.size() == 1) {
    out << "no block can be replaced by a plug-in on " << listed(only).front()->endpoint().platforms << "\n";
    return;
  }
  print_columns(out, rows, width);
}

void list_pins(std::ostream& out, std::size_t width, const std::string& block) {
  if (!block.empty()) pin_table(block);

  std::vector<std::vector<std::string>> rows{{"block", "pin", "direction", "bits", "meaning"}};
  for (const PinTable* table : pin_tables()) {
    if (!block.empty() && block != table->block) continue;
    for (const FlatPin& pin : flat_pins(*table))
      rows.push_back({table->block, pin.name, pin.to_block ? "in" : "out", width_text(pin.bits, pin.times), pin.about});
  }
  print_columns(out, rows, width);
}

void list_stimulus(std::ostream& out, std::size_t width) {
  std::vector<std::vector<std::string>> rows{{"block", "case", "description"}};
  for (const StimulusBlock& block : stimulus_blocks())
    for (const StimulusCase& one : block.cases) rows.push_back({block.block, one.name, one.about});
  print_columns(out, rows, width);
}

void list_models(std::ostream& out, std::size_t width) {
  std::vector<std::vector<std::string>> rows{{"model", "weights", "tensors", "description"}};
  for (const std::string& name : training::model_names()) {
    const training::Model model = training::find_model(name);
    rows.push_back({name, std::to_string(model.weights()), std::to_string(model.tensors()), model.about});
  }
  print_columns(out, rows, width);
}

void list_presets(std::ostream& out, std::size_t width) {
  std::vector<std::vector<std::string>> rows{{"preset", "description"}};
  for (const std::string& name : training::preset_names()) rows.push_back({name, training::find_preset(name).about});
  print_columns(out, rows, width);
}

void list_results(std::ostream& out, std::size_t width) {
  std::vector<std::vector<std::string>> rows{{"result", "unit", "meaning"}};
  for (const ResultField& field : result_fields()) rows.push_back({field.name, field.unit, field.about});
  for (const CounterInfo& info : counter_infos()) rows.push_back({info.name, info.unit, info.about + "; on: " + info.on});
  print_columns(out, rows, width);
}

/// Parameters of training belong to no family, and `run` does not accept them.
void list_parameters(std::ostream& out, std::size_t width, const Family* family) {
  RunParameters params;
  training::TrainParams train;
  ParameterSet set = params.fields();
  if (family == nullptr) set.append(train.fields());
  std::vector<std::vector<std::string>> rows{{"parameter", "default", "legal", "role", "meaning"}};
  for (const ParameterField& field : set.fields())
    if (family == nullptr || has_parameter(*family, field.path))
      rows.push_back({field.path, field.default_text, field.legal(), role_of(field), meaning_of(field)});
  print_columns(out, rows, width);
}

void list_parameters_markdown(std::ostream& out) {
  out << "# Parameters\n\n"
         "Set a parameter with `--set PATH=VALUE` or under `parameters:` in a scenario file. Units of sizes are B, kB, "
         "KiB, MB, MiB ...; units of times are ps, ns, us, ms and s;\nunits of bandwidths are B/s, GB/s, Gb/s ...; k, M "
         "and G are powers of 1000, Ki, Mi and Gi are powers of 1024. With `auto`, the algorithm selects the value.\n\nA "
         "path begins with the family; `watchdog.*` applies to every run, and `energy.*`, `area.*` and `technology.*` "
         "price results.\nNames without a family (`link.rate`, "
         "`network.link.rate`) are still accepted, with a note about the present name.\n\n"
      << linked(
             "`training.*`, `comm.*`, `compute.*`, `optimizer.*`, `ring.*` and `graph.*` are parameters of training: "
             "docs/training.md.\n\n")
      << linked(
             "`role` is the effect of a number on the time of a run, by which `--bottleneck measured` orders its report: "
             "docs/measured_bottleneck.md.\n\n")
      << "This page is the output of `tributary list parameters --markdown`; a test compares them.\n\n"
         "| parameter | default | legal | role | meaning | source |\n|---|---|---|---|---|---|\n";
  RunParameters params;
  training::TrainParams train;
  ParameterSet set = params.fields();
  set.append(train.fields());
  for (const ParameterField& field : set.fields()) print_parameter_rows(out, field);
}

}  // namespace tributary
