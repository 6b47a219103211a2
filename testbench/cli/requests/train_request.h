#pragma once
/// The request of `tributary train`.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/cli/requests/option_table.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/train_params.h"

namespace tributary {

/// Measurement of the transfers of a step: `full` if operations slow each other and the devices can execute the step, else
/// `isolated`; each transfer alone; or the whole step by the devices.
enum class Fidelity : std::uint8_t { automatic, isolated, pairs, full };

struct TrainRequest {
  RunRequest run;  ///< run of the platform; its first job has the ranks, the algorithm and one message, which represents all
                   ///< messages
  training::TrainParams params;
  training::Model model;  ///< unused with a graph
  std::string graph;      ///< file of a task graph; empty: the step of a model
  Fidelity fidelity = Fidelity::automatic;
  std::vector<std::string> against = {};  ///< algorithms that the step is also run by, for comparison
  bool print_memory = false;              ///< print the memory of the ranks instead of running the step
  std::string write_graph;                ///< file to which the graph is written instead of running it; empty: none
  bool names_algorithm = false;           ///< the user named the algorithm, which some group must run by
};

/// Returns the options of the command: the options that it shares with `run`, and short names of training parameters.
const std::vector<OptionRow>& train_options();

/// Interprets settings of train_options(). Options override --set, and --set overrides a preset. Throws InputError.
TrainRequest make_train_request(const Settings& settings);
/// Reads a topology file only if it is not among `files`.
TrainRequest make_train_request(const Settings& settings, InputFiles& files);

}  // namespace tributary
