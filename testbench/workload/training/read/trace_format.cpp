#include "testbench/workload/training/read/trace_format.h"

#include "testbench/workload/input_error.h"
#include "testbench/workload/layer_table.h"
#include "testbench/workload/training/read/chakra_json.h"
#include "testbench/workload/training/read/file_begin.h"
#include "testbench/workload/training/read/graph_yaml.h"
#include "testbench/workload/training/read/nccl_log.h"
#include "testbench/workload/training/read/pytorch_trace.h"
#include "testbench/workload/training/read/text_workload.h"

namespace tributary::training {
namespace {

constexpr const char* legal =
    "neither a training graph (YAML that begins with training_graph: 1), an ASTRA-sim text workload (DATA, MODEL, "
    "HYBRID_..., MICRO), a debug log of NCCL (NCCL_DEBUG=INFO), a trace of PyTorch (JSON with nodes or traceEvents), nor a "
    "Chakra trace";

}  // namespace

TraceFormat format_of_trace(std::istream& file, const std::string& path) {
  const std::string begin = begin_of(file, begin_of_format);
  if (begin.empty()) throw InputError(path + ": empty; " + legal);
  if (is_binary(begin)) return TraceFormat::chakra;
  if (begins_graph_yaml(begin)) return TraceFormat::graph;
  const std::string trace = begin_of(file, begin_of_trace);
  if (begins_chakra_json(trace)) return TraceFormat::chakra;
  if (begins_text_workload(begin)) return TraceFormat::text;
  if (begins_pytorch_trace(begin)) return TraceFormat::pytorch;
  if (holds_nccl_log(trace)) return TraceFormat::nccl;
  return workload::begins_layer_table(begin) ? TraceFormat::layers : TraceFormat::unknown;
}

void refuse_format(TraceFormat format, const std::string& path) {
  if (format == TraceFormat::layers)
    throw InputError(path + ": a layer table of SCALE-Sim is a model, not a graph (legal: --model " + path + ")");
  throw InputError(path + ": " + legal);
}

}  // namespace tributary::training
