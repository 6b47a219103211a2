#include <algorithm>
#include <regex>
#include <set>

#include "modules/base/text_format.h"
#include "testbench/cli/list_command.h"
#include "testbench/run/family.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/training/models/model_list.h"
#include "testbench/workload/training/models/preset.h"
#include "testbench/workload/training/train_params.h"

namespace tributary {
namespace {

/// Rows of equally many cells, in columns as wide as their widest.
void print_columns(std::ostream& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += left(row[i], widths[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

std::string meaning_of(const ParameterField& field) {
  return field.note.help() + (field.note.automatic().empty() ? "" : " (auto: " + field.note.automatic() + ")");
}

/// `|` would end a cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

/// References to pages of the manual become links, relative to docs/.
std::string linked(const std::string& text) {
  static const std::regex page("docs/((?:[a-z]+/)*([a-z_]+\\.md(?:#[a-z0-9-]+)?))");
  return std::regex_replace(text, page, "[$2]($1)");
}

}  // namespace

void list_platforms(std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"platform", "ranks", "what it is"}};
  for (const Family* family : families())
    for (const PlatformForm& form : family->platforms()) rows.push_back({form.name, form.endpoints, form.about});
  print_columns(out, rows);
}

void list_collectives(std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"collective", "what it does"}};
  for (const Collective& c : collectives()) rows.push_back({c.name, c.about});
  print_columns(out, rows);
}

/// Each once; of what the first family lacks, the platforms that have it.
void list_algorithms(std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"collective", "algorithm", "how it works"}};
  std::set<std::pair<std::string, std::string>> known;
  for (const Family* family : families()) {
    const std::string only =
        family == families().front() ? "" : std::string("; on ") + family->endpoint().platforms + " only";
    for (const Method& m : family->methods())
      if (known.emplace(m.collective, m.name).second) rows.push_back({m.collective, m.name, m.about + only});
  }
  print_columns(out, rows);
}

void list_blocks(std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"block", "what it is (type of its factory)"}};
  for (const Family* family : families())
    for (const BlockInfo& block : family->blocks()) rows.push_back({block.name, block.about});
  print_columns(out, rows);
}

void list_models(std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"model", "weights", "tensors", "what it is"}};
  for (const std::string& name : training::model_names()) {
    const training::Model model = training::find_model(name);
    rows.push_back({name, std::to_string(model.weights()), std::to_string(model.tensors()), model.about});
  }
  print_columns(out, rows);
}

void list_presets(std::ostream& out) {
  std::vector<std::vector<std::string>> rows{{"preset", "what it is"}};
  for (const std::string& name : training::preset_names()) rows.push_back({name, training::find_preset(name).about});
  print_columns(out, rows);
}

void list_parameters(std::ostream& out) {
  RunParameters params;
  training::TrainParams train;
  ParameterSet set = params.fields();
  set.append(train.fields());
  std::vector<std::vector<std::string>> rows{{"parameter", "default", "legal", "meaning"}};
  for (const ParameterField& field : set.fields())
    rows.push_back({field.path, field.default_text, field.legal, meaning_of(field)});
  print_columns(out, rows);
}

void list_parameters_markdown(std::ostream& out) {
  out << "# Parameters\n\n"
         "Set each with `--set PATH=VALUE` or under `parameters:` in a scenario file. Sizes take B, kB, KiB, MB, MiB ...; "
         "times ps, "
         "ns, us, ms, s;\nbandwidths B/s, GB/s, Gb/s ...; k, M, G are powers of 1000, Ki, Mi, Gi powers of 1024. `auto` "
         "lets the "
         "algorithm choose.\n\n"
         "A path begins with the family, `watchdog.*` is of every run. Names of before families had any still work "
         "(`link.rate`, "
         "`network.link.rate`), and say what they are called now.\n\n"
      << linked("`training.*`, `comm.*`, `compute.*`, `optimizer.*`, `ring.*` and `graph.*` are of training: "
                "docs/training.md.\n\n")
      << "This page is the output of `tributary list parameters --markdown`; a test keeps it so.\n\n"
         "| parameter | default | legal | meaning | source |\n|---|---|---|---|---|\n";
  RunParameters params;
  training::TrainParams train;
  ParameterSet set = params.fields();
  set.append(train.fields());
  for (const ParameterField& field : set.fields())
    out << "| `" << field.path << "` | " << cell(field.default_text) << " | " << cell(field.legal) << " | "
        << cell(meaning_of(field)) << " | " << cell(linked(field.note.source())) << " |\n";
}

}  // namespace tributary
