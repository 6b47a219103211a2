#include "testbench/report/csv_report.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"
#include "testbench/report/result_summary.h"

namespace tributary {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

CsvReport::CsvReport(const std::string& path, const RunSpec& spec) : spec_(spec), path_(path), out_(&std::cout) {
  if (path != "-") {
    file_.open(path, std::ios::binary | std::ios::trunc);
    out_ = &file_;
  }
  line(
      "platform,collective,algorithm,ranks,label,size_bytes,count,type,redop,time_ns,algbw_GBps,busbw_GBps,wrong,status,"
      "wire_bytes,bound_GBps,peak_link,peak_link_utilisation" +
      std::string(spec.jobs.size() == 1 ? "" : ",job,start_ns") + (spec.iterations == 0 ? "" : ",iteration,tuned") +
      ",limit,limit_module,limit_share,limit_parameter");
}

void CsvReport::row(const ResultRow& row) {
  const LinkUse* peak = peak_link(row);
  const JobSpec& job = row.job ? *row.job : spec_.jobs.front();
  std::vector<std::string> cells{spec_.platform,
                                 job.collective,
                                 job.algorithm,
                                 std::to_string(job.ranks.size()),
                                 row.label,
                                 std::to_string(row.size_bytes),
                                 std::to_string(row.count),
                                 FieldType<ElementType>::print(row.type),
                                 FieldType<ReduceOp>::print(row.op),
                                 nanoseconds(row.time),
                                 print_real(row.algbw_GBps()),
                                 print_real(row.busbw_GBps()),
                                 row.wrong ? std::to_string(*row.wrong) : "",
                                 status_name(row.status),
                                 std::to_string(row.wire_bytes),
                                 print_real(row.bound_GBps),
                                 peak ? peak->name : "",
                                 peak ? print_real(peak->utilisation) : ""};
  if (row.job) cells.insert(cells.end(), {std::to_string(row.job_index), nanoseconds(job.start.value)});
  if (row.iteration) cells.insert(cells.end(), {std::to_string(*row.iteration), tuned_text(row)});
  if (row.limit)
    cells.insert(cells.end(),
                 {name_of(row.limit->cause), row.limit->module, print_real(row.limit->share), row.limit->parameter});
  else
    cells.insert(cells.end(), 4, "");
  std::string text;
  for (const std::string& cell : cells) text += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  line(text);
}

void CsvReport::line(const std::string& text) {
  errno = 0;
  *out_ << text << "\n" << std::flush;
  if (*out_) return;
  throw std::runtime_error("cannot write '" + path_ + "'" + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace tributary
