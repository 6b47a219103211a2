#include "testbench/report/csv_report.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "testbench/report/plot/csv_cell.h"

namespace tributary {

CsvReport::CsvReport(const std::string& path, const RunSpec& spec)
    : spec_(spec), fields_(csv_fields(spec)), path_(path), out_(&std::cout) {
  if (path != "-") {
    file_.open(path, std::ios::binary | std::ios::trunc);
    out_ = &file_;
  }
  std::string header;
  for (const ResultField* field : fields_) header += (header.empty() ? "" : ",") + csv_cell(field->name);
  line(header);
}

void CsvReport::row(const ResultRow& row) {
  std::string text;
  for (const ResultField* field : fields_) text += (field == fields_.front() ? "" : ",") + csv_cell(field->csv(spec_, row));
  line(text);
}

void CsvReport::line(const std::string& text) {
  errno = 0;
  *out_ << text << "\n" << std::flush;
  if (*out_) return;
  throw std::runtime_error("cannot write '" + path_ + "'" + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace tributary
