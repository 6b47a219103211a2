#pragma once
/// What `tributary train` was asked to do.

#include <string>
#include <vector>

#include "testbench/cli/requests/option_table.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/workload/training/models/model.h"
#include "testbench/workload/training/train_params.h"

namespace tributary {

struct TrainRequest {
  RunRequest run;  ///< of the platform; its first job has the ranks and the method, and one message that stands for all
  training::TrainParams params;
  training::Model model;    ///< unused with a graph
  std::string graph;        ///< file of a graph; empty: the step of a model
  bool full = false;        ///< the devices carry out the graph; else transfers are measured one by one
  std::string write_graph;  ///< file for the graph, which then does not run
};

/// Options of the command: those of a run that it shares, and parameters of training by a short name.
const std::vector<OptionRow>& train_options();

/// Settings are those of train_options(). A preset counts least, then --set, then options. Throws InputError.
TrainRequest make_train_request(const Settings& settings);

}  // namespace tributary
