#pragma once
/// The trees of one job on servers of GPUs: over NVLinks where these join its GPUs, else over PCIe.

#include <vector>

#include "platforms/topology/server_graph.h"
#include "testbench/family/blink/codegen_params.h"
#include "testbench/family/blink/methods.h"
#include "testbench/family/blink/stream_lowering.h"

namespace tributary {

/// Throws ScheduleError.
std::vector<StreamTree> trees_of(const TreeMethod& method, const JobSpec& job, const topology::ServerGraph& servers,
                                 const CodegenParams& params);

}  // namespace tributary
