#include "modules/blockcheck/core/block_monitor.h"

#include <stdexcept>
#include <utility>

#include "modules/blockcheck/core/record_line.h"

namespace tributary {
namespace {

using Kind = FieldValue::Kind;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::uint64_t number_of(const FieldValues& values, const char* key) {
  const FieldValue* const value = values.find(key);
  return value == nullptr ? 0 : value->number;
}

}  // namespace

BlockMonitor::BlockMonitor(BlockPlace place, Tick most) : place_(std::move(place)), most_(most) {
  if (ends_with(place_.block, ".payloads") || ends_with(place_.block, "nic.table")) data_ = Data::memory;
  if (ends_with(place_.block, ".reduction")) data_ = Data::unit;
  if (ends_with(place_.block, ".combinator")) data_ = Data::combinator;
}

void BlockMonitor::fail(const char* rule, const BlockAccess& access, const std::string& what) const {
  throw std::logic_error(place_.name + " breaks the rule `" + rule + "` at " + std::to_string(access.time) + " ps: " + what +
                         " (request " + std::to_string(access.ticket) + ": " + fields_text(access.request) + ")");
}

void BlockMonitor::accessed(const BlockAccess& access) {
  check_values(access);
  check_times(access);
  if (data_ == Data::memory) check_memory(access);
  if (data_ == Data::unit) check_unit(access);
  if (data_ == Data::combinator) check_combinator(access);
}

void BlockMonitor::check_values(const BlockAccess& access) const {
  for (const FieldValue& value : access.answer)
    if (value.kind == Kind::name && value.text.rfind("undefined ", 0) == 0)
      fail("answer", access, "`" + value.key + "` is " + value.text);
}

void BlockMonitor::check_times(const BlockAccess& access) const {
  const auto check = [&](const char* name, Tick time) {
    if (time > most_)
      fail("latency", access,
           std::string(name) + " of " + std::to_string(time) + " ps; legal: at most " + std::to_string(most_) +
               " ps (--check-latency)");
  };
  check("an interval", access.interval);
  check("a latency", access.latency);
  for (const FieldValue& value : access.answer) {
    const bool planned = value.kind == Kind::time && value.number != never;
    if (planned && (value.key == "done" || ends_with(value.key, ".time")) && value.number < access.time)
      fail("time", access, "`" + value.key + "` is " + std::to_string(value.number) + " ps, before the request");
    if (planned && value.key == "done") check("a latency", value.number - access.time);
  }
}

/// A read returns what has been written.
void BlockMonitor::check_memory(const BlockAccess& access) {
  const FieldValue* const place =
      access.request.find("row") != nullptr ? access.request.find("row") : access.request.find("address");
  const FieldValue* const response = access.answer.find("response");
  if (place == nullptr || response == nullptr || response->text != "ok") return;
  if (const FieldValue* const data = access.request.find("data")) written_[place->number] = data->bytes;
  const FieldValue* const read = access.answer.find("data");
  const auto written = written_.find(place->number);
  if (read == nullptr || written == written_.end()) return;
  for (std::size_t i = 0; i < read->bytes.size() && i < written->second.size(); ++i)
    if (read->bytes[i] != written->second[i])
      fail("data", access, "byte " + std::to_string(i) + " is not the one that was written");
}

void BlockMonitor::check_unit(const BlockAccess& access) const {
  const FieldValue* const sum = access.request.find("sum");
  const FieldValue* const data = access.request.find("data");
  if (sum == nullptr || data == nullptr) return;
  std::vector<std::byte> right = sum->bytes;
  apply(static_cast<ReduceOp>(number_of(access.request, "op")), sum->type, right.data(), data->bytes.data(), right.size());
  check_sum(access, right, sum->type);
}

/// The order of operands matters for sums of floats.
void BlockMonitor::check_combinator(const BlockAccess& access) const {
  const FieldValue* const first = access.request.find("operand0");
  const auto op = static_cast<ReduceOp>(number_of(access.request, "op"));
  if (first == nullptr || (op == ReduceOp::sum && !is_integer(first->type))) return;
  std::vector<std::byte> right(first->bytes.begin() + first->skip, first->bytes.end());
  for (std::uint64_t i = 1; i < number_of(access.request, "operands"); ++i)
    if (const FieldValue* const next = access.request.find("operand" + std::to_string(i)))
      apply(op, first->type, right.data(), next->bytes.data() + next->skip, right.size());
  check_sum(access, right, first->type);
}

void BlockMonitor::check_sum(const BlockAccess& access, const std::vector<std::byte>& right, ElementType type) const {
  const FieldValue* const sum = access.answer.find("sum");
  if (sum == nullptr || sum->bytes.size() != right.size()) fail("data", access, "the sum has another length");
  const std::size_t size = element_size(type);
  for (std::size_t at = 0; at + size <= right.size(); ++at) {
    if (right[at] == sum->bytes[at]) continue;
    const std::size_t lane = at / size;
    fail("data", access,
         "sum[" + std::to_string(lane) + "] is " + element_text(type, &sum->bytes[lane * size]) + " in place of " +
             element_text(type, &right[lane * size]));
  }
}

}  // namespace tributary
