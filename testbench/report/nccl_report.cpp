#include "testbench/report/nccl_report.h"

#include <algorithm>
#include <iostream>

#include "modules/base/field_type.h"
#include "testbench/report/result_file.h"
#include "testbench/report/stuck_report.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

const char* type_name(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "float";
    case ElementType::f16:
      return "half";
    case ElementType::bf16:
      return "bfloat16";
    case ElementType::f64:
      return "double";
    case ElementType::i8:
      return "int8";
    case ElementType::i16:
      return "int16";
    case ElementType::i64:
      return "int64";
    case ElementType::i32:
      break;
  }
  return "int32";
}

/// Sets the step between the requested sizes; for one size 1 MiB, as nccl-tests does.
void set_steps(const JobSpec& job, nccl_tests::Report& report) {
  std::vector<std::uint64_t> sizes;
  for (const WorkItem& item : job.items) sizes.push_back(item.size.value);
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  report.min_bytes = *least, report.max_bytes = *most;
  report.step = std::uint64_t{1} << 20;
  if (sizes.size() < 2) return;
  report.step_is_factor = sizes[0] > 0 && sizes[1] % sizes[0] == 0 && sizes[1] > sizes[0];
  report.step = report.step_is_factor ? sizes[1] / sizes[0] : *most - *least;
}

void write(const std::string& file, const std::string& text) {
  if (file == "-") std::cout << text << std::flush;
  if (!file.empty() && file != "-") replace_file(file, text);
}

}  // namespace

NcclReport::NcclReport(const OutputSpec& output, const RunSpec& spec) : text_(output.nccl_text), json_(output.nccl_json) {
  const std::string option = text_.empty() ? "--nccl-json: " : "--nccl-text: ";
  if (spec.jobs.size() != 1 || spec.layer_total)
    throw InputError(option + "a table of nccl-tests has one job and its sizes (legal: one job with size or sizes)");
  const JobSpec& job = spec.jobs.front();
  report_.program = nccl_tests::program_of(job.collective);
  if (report_.program.empty())
    throw InputError(option + "nccl-tests does not measure a " + job.collective +
                     " (legal: allreduce, allgather, reduce_scatter, broadcast, reduce, gather, alltoall, sendrecv)");
  report_.version = TRIBUTARY_VERSION;
  report_.platform = spec.platform.name();
  report_.algorithm = job.algorithm;
  report_.checks_data = spec.data != DataMode::none && spec.mode != SimulationMode::fluid;
  report_.iterations = job.back_to_back;
  set_steps(job, report_);
  for (std::size_t r = 0; r < job.ranks.size(); ++r)
    report_.devices.push_back({static_cast<int>(r), job.ranks[r], spec.platform.name()});
  reduces_ = collective_of(job.collective).reduces;
  if (collective_of(job.collective).rooted) root_ = job.root;
  const collective::Chunking chunking = collective_of(job.collective).chunking;
  const bool parts = chunking == collective::Chunking::parts || chunking == collective::Chunking::pairs;
  if (parts) parts_ = job.ranks.size();
}

void NcclReport::row(const ResultRow& row) {
  if (!is_complete(row.status)) {
    report_.failed.push_back({row.size_bytes, status_name(row.status), read_stuck_report(row.report).cause});
    return;
  }
  report_.rows.push_back({row.size_bytes, row.count / parts_, type_name(row.type),
                          reduces_ ? FieldType<ReduceOp>::print(row.op) : "none", root_,
                          static_cast<double>(row.time) * 1e-6, row.algbw_GBps(), row.busbw_GBps(), row.wrong});
}

void NcclReport::finish() const {
  if (!text_.empty()) write(text_, nccl_tests::text_of(report_));
  if (!json_.empty()) write(json_, nccl_tests::json_of(report_));
}

}  // namespace tributary
