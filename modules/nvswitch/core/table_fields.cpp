#include "modules/nvswitch/core/table_fields.h"

namespace tributary {
namespace {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

const char* const commands[] = {"push", "allocate", "collect", "expire", "finish", nullptr};
const char* const answers[] = {"inserted", "merged", "completed", "refused", "missed", "bypassed", "nothing", nullptr};

}  // namespace

void TableFields::request(FieldVisitor& v, TableTransaction& t) {
  v.name("command", t.command, commands);
  v.number("address", t.address);
  v.number("requester", t.requester);
  v.number("expected", t.expected);
  v.flag("first_hop", t.first_hop);
  visit_operand(v, "packet", t.packet, pool_);
  if (v.sets()) check(t);
}

/// A record may hold any sequence: the rules that a port keeps are checked.
void TableFields::check(const TableTransaction& t) {
  const bool carries = t.command == Command::push || t.command == Command::collect;
  if (carries && t.packet == nullptr) throw FieldError("field `packet.opcode` is missing");
  if (!carries && t.packet != nullptr) throw FieldError("a command without a packet has one");
  if (carries) {
    const bool data = t.packet->payload != nullptr;
    if (with_data_.value_or(data) != data) throw FieldError("some packets have data, others none");
    with_data_ = data;
  }
  if (t.command != Command::finish) return;
  if (completed_ == 0) throw FieldError("`finish` without a completed block");
  --completed_;
}

void TableFields::answer(FieldVisitor& v, const TableTransaction& t) const {
  TableTransaction x = t;
  v.name("answer", x.answer, answers);
  v.number("count", x.count);
  visit_sum(v, "result", x.result);
  visit_sum(v, "evicted", x.evicted);
  v.time("next_timeout", x.next_timeout);
}

void TableFields::dispose(TableTransaction& t) {
  if (t.answer == Answer::completed) ++completed_;
  if (t.packet != nullptr && (t.answer == Answer::missed || t.answer == Answer::bypassed)) t.packet->release();
  if (t.result != nullptr) t.result->release();
  if (t.evicted != nullptr) t.evicted->release();
}

}  // namespace tributary
