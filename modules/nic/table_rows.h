#pragma once
/// TableRows: a NIC's side of the socket of its schedule table.

#include <deque>
#include <string>
#include <tlm>

#include "modules/base/late_answers.h"
#include "modules/base/sysc/payload_access.h"
#include "modules/nic/core/nic_ports.h"
#include "modules/nic/core/written_rows.h"

namespace tributary {

/// Rows that a table of a user returns are compared with those that were written here. Such a table may answer later. If the
/// bytes of a row follow its answer, the NIC goes on with the row as it was written, and compares it when it is complete.
class TableRows : public TablePort, private AnswerListener {
 public:
  using Socket = tlm::tlm_initiator_socket<32>;

  /// `nic`: name in errors, to which `.table` is added.
  TableRows(const std::string& nic, Socket& socket);

  /// The table at the socket is not the model's own. `rows_follow`: the bytes of its rows follow the answers, and it cannot
  /// be read in no time. Call during construction.
  void set_foreign(bool rows_follow);
  /// Forgets the rows that were written: other initiators may load the table.
  void clear() { written_.clear(); }
  LateAnswers& late() { return late_; }
  void reset();

  // TablePort
  void write(std::uint32_t row, const EntryCode& code) override;
  AccessTime read(std::uint32_t row, EntryCode& code, Tick now, AnswerListener& listener) override;
  EntryCode look(std::uint32_t row) override;

 private:
  struct Following {
    Ticket ticket;
    std::uint32_t row;
    EntryCode code;
    AnswerListener* listener;
  };
  AccessTime transport(std::uint32_t row, EntryCode& code, Tick ahead);
  AccessTime read_following(std::uint32_t row, EntryCode& code, Tick now, AnswerListener& listener);
  const EntryCode& written(std::uint32_t row) const;
  void check(std::uint32_t row, const EntryCode& code) const;
  // AnswerListener: rows whose bytes follow
  void answered(Ticket ticket, Tick when) override;
  void completed(Ticket ticket) override;

  std::string name_;
  Socket& socket_;
  LateAnswers late_;
  PayloadAccess access_{"schedule table"};
  bool foreign_ = false, rows_follow_ = false;
  WrittenRows written_;
  std::deque<Following> following_;  // rows that are not complete, in order
};

}  // namespace tributary
