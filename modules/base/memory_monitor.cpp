#include "modules/base/memory_monitor.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tributary {

MemoryMonitor::MemoryMonitor(Setup setup, unsigned row_bytes)
    : TransactionMonitor(std::move(setup)),
      row_bytes_(row_bytes),
      rows_(row_bytes == 1 ? ~std::uint64_t{0} : config_number("table_entries", ~std::uint64_t{0})) {}

std::string MemoryMonitor::request() const {
  return std::string("command ") + (asked_.writes ? "write, " : "read, ") + (row_bytes_ == 1 ? "address " : "row ") +
         std::to_string(asked_.address / row_bytes_) + ", bytes " + std::to_string(asked_.bytes);
}

void MemoryMonitor::ask(const MonitoredAccess& t, Tick now) {
  begin(now);
  asked_ = t;
  if (!t.writes || !t.with_data) return;
  const std::uint64_t end = t.address + t.bytes;
  if (end > data_.size()) data_.resize(end), written_.resize(end, 0);
  std::copy_n(t.data, t.bytes, data_.begin() + static_cast<std::ptrdiff_t>(t.address));
  std::fill_n(written_.begin() + static_cast<std::ptrdiff_t>(t.address), t.bytes, std::uint8_t{1});
}

void MemoryMonitor::check(const MonitoredAccess& t, Tick interval, Tick latency) {
  if (t.response == MonitoredAccess::Response::none) fail("answer", "no response status is set");
  if (t.writes != asked_.writes || t.bytes != asked_.bytes || t.data != asked_.data || t.address != asked_.address)
    fail("keep", "the command, address, data pointer or length of the request are changed");
  check_times(interval, latency);
  check_rows(t);
  const bool ok = t.response == MonitoredAccess::Response::ok;
  if (!asked_.with_data) return;
  if (ok && !asked_.writes) check_data(t);
  if (!ok && asked_.writes)
    std::fill_n(written_.begin() + static_cast<std::ptrdiff_t>(asked_.address), asked_.bytes, std::uint8_t{0});
}

void MemoryMonitor::check_rows(const MonitoredAccess& t) const {
  if (row_bytes_ == 1) {
    if (t.response == MonitoredAccess::Response::refused) fail("address", "refuses address " + std::to_string(t.address));
    return;
  }
  const std::uint64_t row = t.address / row_bytes_;
  if (t.response == MonitoredAccess::Response::refused && row < rows_)
    fail("row", "refuses row " + std::to_string(row) + "; legal: accepts rows below " + std::to_string(rows_));
}

/// Bytes that have not been written may have any value.
void MemoryMonitor::check_data(const MonitoredAccess& t) const {
  for (std::uint64_t at = t.address; at < std::min<std::uint64_t>(t.address + t.bytes, data_.size()); ++at) {
    const std::uint64_t i = at - t.address;
    if (written_[at] == 0 || t.data[i] == data_[at]) continue;
    fail("data", "byte " + std::to_string(i) + " is " + std::to_string(std::to_integer<unsigned>(t.data[i])) +
                     " in place of " + std::to_string(std::to_integer<unsigned>(data_[at])) + ", which was written");
    return;
  }
}

}  // namespace tributary
