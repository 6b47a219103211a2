#include "modules/nic/table_rows.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "modules/link/link_protocol.h"
#include "modules/nic/core/schedule_check.h"

namespace tributary {

TableRows::TableRows(const std::string& nic, Socket& socket) : name_(nic + ".table"), socket_(socket), late_(name_) {}

void TableRows::set_foreign(bool rows_follow) {
  foreign_ = true;
  rows_follow_ = rows_follow;
  access_.offer(late_, true);
  if (rows_follow) access_.let_data_follow();
}

void TableRows::reset() {
  written_.clear();
  following_.clear();
  late_.reset();
}

void TableRows::write(std::uint32_t row, const EntryCode& code) {
  EntryCode bytes = code;
  access_.offer_next(false);
  access_.transport(socket_, tlm::TLM_WRITE_COMMAND, row * sizeof code, bytes.data(), sizeof code, 0);
  if (foreign_) written_.write(row, code);
  if (!access_.is_ok())
    throw ScheduleTableError(name_ + " refuses row " + std::to_string(row) + " of a schedule (" + access_.response() + ")");
}

AccessTime TableRows::transport(std::uint32_t row, EntryCode& code, Tick ahead) {
  const AccessTime time =
      access_.transport(socket_, tlm::TLM_READ_COMMAND, row * sizeof code, code.data(), sizeof code, ahead);
  if (!access_.is_ok())
    throw ScheduleTableError(name_ + " has no row " + std::to_string(row) + " (" + access_.response() + ")");
  return time;
}

AccessTime TableRows::read(std::uint32_t row, EntryCode& code, Tick now, AnswerListener& listener) {
  access_.offer_next(true);
  if (rows_follow_) return read_following(row, code, now, listener);
  const AccessTime time = transport(row, code, ahead_of_kernel(now));
  if (__builtin_expect(time.pending(), 0)) late_.defer(*access_.part(), now, listener);
  check(row, code);
  return time;
}

AccessTime TableRows::read_following(std::uint32_t row, EntryCode& code, Tick now, AnswerListener& listener) {
  code = written(row);
  Following& following = following_.emplace_back(Following{0, row, {}, &listener});
  const AccessTime time = transport(row, following.code, ahead_of_kernel(now));
  if (!time.pending() || !access_.data_follow()) {
    code = following.code;
    check(row, code);
    following_.pop_back();
    if (time.pending()) late_.defer(*access_.part(), now, listener);
    return time;
  }
  following.ticket = late_.ticket();
  late_.defer(*access_.part(), now, static_cast<AnswerListener&>(*this), true);
  return time;
}

EntryCode TableRows::look(std::uint32_t row) {
  if (rows_follow_) return written(row);
  EntryCode code;
  access_.offer_next(false);
  transport(row, code, 0);
  check(row, code);
  return code;
}

const EntryCode& TableRows::written(std::uint32_t row) const {
  const EntryCode* const known = written_.find(row);
  if (known == nullptr)
    throw ScheduleTableError(name_ + " answers in kernel time, and row " + std::to_string(row) +
                             " was not written by its NIC (legal: schedules with entries)");
  return *known;
}

void TableRows::check(std::uint32_t row, const EntryCode& code) const {
  if (!foreign_) return;
  if (const std::optional<std::string> breach = written_.breach(row, code))
    throw std::logic_error(name_ + " breaks the rule `answer`: " + *breach);
}

void TableRows::answered(Ticket ticket, Tick when) {
  const auto at = std::find_if(following_.begin(), following_.end(), [&](const Following& f) { return f.ticket == ticket; });
  at->listener->answered(ticket, when);
}

void TableRows::completed(Ticket ticket) {
  const auto at = std::find_if(following_.begin(), following_.end(), [&](const Following& f) { return f.ticket == ticket; });
  check(at->row, at->code);
  following_.erase(at);
}

}  // namespace tributary
