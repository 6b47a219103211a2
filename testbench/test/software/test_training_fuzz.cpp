// Mutated models, presets and time tables are read, or rejected in one line that begins with the file's name.
#include <catch2/catch.hpp>
#include <random>

#include "testbench/test/harness/mutated_texts.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/layer_times.h"
#include "testbench/workload/training/compute/time_table.h"
#include "testbench/workload/training/models/embedded_files.h"
#include "testbench/workload/training/models/model_file.h"
#include "testbench/workload/training/models/preset.h"

namespace tributary::test_training_fuzz {

using namespace tributary::training;

namespace {

constexpr int texts = mutations(5'000);

const std::vector<std::string> words{"name:",
                                     "layers:",
                                     "matrix: [",
                                     "conv: [",
                                     "tensors: [",
                                     "macs: ",
                                     "shares: ",
                                     "unit: ",
                                     "token",
                                     "models:",
                                     "- {",
                                     "parameters: ",
                                     "&a ",
                                     "*a",
                                     "<<: *a",
                                     "0",
                                     "-1",
                                     "1e9",
                                     "18446744073709551616",
                                     "1099511627776",
                                     ", 1, 1,",
                                     "\n  - ",
                                     "Layer name",
                                     "0.5",
                                     "Update",
                                     "!!binary",
                                     "\n---\n"};

const std::string marks = "{}[]:,-#&*!|>%@`\n \t\"'0123456789.x\r\x01\x1b\x80\xff" + std::string(1, '\0');

std::vector<std::string> beginnings() {
  std::vector<std::string> all;
  for (const EmbeddedFile& file : embedded_files()) all.emplace_back(file.text.substr(0, 900));
  return all;
}

/// Returns true if the text was legal.
template <class Read>
bool read_or_refused(Read read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    const std::string line = error.what();
    if (line.rfind("file", 0) != 0 || line.find('\n') != std::string::npos) FAIL_CHECK("no line with its file: " << line);
    return false;
  }
}

}  // namespace

TEST_CASE("models: mutated files are read or rejected in one line", "[pure]") {
  std::mt19937_64 random(21);
  const auto& files = embedded_files();
  const Mutation mutated{beginnings(), words, marks};
  const Dataflow flows[] = {Dataflow::output_stationary, Dataflow::weight_stationary, Dataflow::input_stationary};
  int legal = 0;
  for (int i = 0; i < texts; ++i) {
    const EmbeddedFile& file = files[random() % files.size()];
    const std::string text = mutated(std::string(file.text.substr(0, 900)), random);
    const bool table = file.name.substr(file.name.size() - 4) == ".csv";
    legal += read_or_refused([&] {
      if (file.name.substr(0, 8) == "presets/") {
        parse_preset(text, "file");
        return;
      }
      const Model model = table ? parse_layer_table_model(text, "file") : parse_model(text, "file");
      ComputeParams p;
      p.systolic.fold = random() % 2 == 0 ? Fold::pipelined : Fold::separate;
      if (p.systolic.fold == Fold::separate) p.systolic.dataflow = flows[random() % 3];
      p.model = random() % 2 == 0 ? ComputeModel::systolic : ComputeModel::roofline;
      try {
        layer_times(model, p, random() >> (random() % 64), 4);
      } catch (const InputError&) {  // a legal layer that takes too long: its line names model and layer
      }
    });
  }
  CHECK(legal > texts / 100);
}

TEST_CASE("measured times: mutated tables are read or rejected in one line", "[pure]") {
  std::mt19937_64 random(22);
  const std::string seed =
      "Layer name, Forward, Input gradient, Weight gradient, Update\nconv1, 1.5, 2, 2.25, 0\n\nfc, 0.5, 1, 1, 0.001\n";
  const Mutation mutated{{seed}, words, marks};
  int legal = 0;
  for (int i = 0; i < texts; ++i) legal += read_or_refused([&] { parse_time_table(mutated(seed, random), "file"); });
  CHECK(legal > texts / 100);
}

}  // namespace tributary::test_training_fuzz
