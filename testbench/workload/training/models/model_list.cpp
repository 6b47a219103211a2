#include "testbench/workload/training/models/model_list.h"

#include <algorithm>
#include <filesystem>

#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/models/embedded_files.h"
#include "testbench/workload/training/models/model_file.h"

namespace tributary::training {
namespace {

const char* const own_folder = "models/";
const char* const table_folder = "scalesim/";
const char* const table_source =
    "SCALE-Sim (ARM-software/SCALE-Sim, topologies/; Copyright (c) 2018 Arm Software, MIT License)";

bool starts_with(std::string_view text, std::string_view begin) { return text.substr(0, begin.size()) == begin; }

/// Returns `resnet50` for `models/resnet50.yaml`, `scalesim-resnet50` for `scalesim/resnet50.csv`, and an empty name for
/// files that are not models.
std::string model_name(const EmbeddedFile& file) {
  const std::string stem = std::filesystem::path(file.name).stem().string();
  if (starts_with(file.name, own_folder)) return stem;
  if (starts_with(file.name, table_folder)) return "scalesim-" + stem;
  return "";
}

Model parsed(const EmbeddedFile& file, const std::string& name) {
  const std::string text(file.text), where = name;
  if (starts_with(file.name, own_folder)) return parse_model(text, where);
  Model model = parse_layer_table_model(text, where);
  model.about = std::to_string(model.layers.size()) + " rows, as trained in MultiTree (ISCA 2021)";
  model.sources = {table_source};
  return model;
}

bool is_path(const std::string& text) {
  const std::string end = std::filesystem::path(text).extension().string();
  return text.find('/') != std::string::npos || end == ".yaml" || end == ".yml" || end == ".csv";
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    std::string name = model_name(file);
    if (!name.empty()) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Model find_model(const std::string& name_or_path) {
  for (const EmbeddedFile& file : embedded_files())
    if (const std::string name = model_name(file); !name.empty() && name == name_or_path) return parsed(file, name);
  if (is_path(name_or_path)) return read_model(name_or_path);
  throw InputError(unknown_name("model", one_line(name_or_path), model_names()) + ", or a file of .yaml or .csv");
}

}  // namespace tributary::training
