#include "modules/nvswitch/core/table_view.h"

#include <cstring>

#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;
using Kind = ReductionEvent::Kind;

}  // namespace

void TableView::follow(ReductionProbe& own) {
  own.attach(this, [](void* view, Tick, const ReductionEvent&) { static_cast<TableView*>(view)->shown_ = true; });
}

TableView::Block TableView::block_of(const TableTransaction& t) {
  if (t.packet == nullptr) return {t.address / block_bytes, t.requester};
  return {nv(*t.packet).address / block_bytes, t.command == Command::push ? TableTransaction::no_requester : t.requester};
}

void TableView::ask(const TableTransaction& t) {
  shown_ = false;
  if (!events.observed()) return;
  operand_ = {};
  if (t.command != Command::finish) asked_ = block_of(t);
  if (t.packet == nullptr) return;
  operand_.type = nv(*t.packet).type;
  operand_.source = nv(*t.packet).source;
  operand_.operands = nv(*t.packet).count;
  if (t.packet->payload == nullptr || nv(*t.packet).flag) return;  // a flag carries no element
  std::memcpy(data_.data(), t.packet->payload, data_.size());
  operand_.operand = data_.data();
}

void TableView::answer(const TableTransaction& t) {
  if (!events.observed() || shown_) return;
  if (t.evicted != nullptr)
    leave(t.command == Command::expire ? Kind::timed_out : Kind::evicted,
          {nv(*t.evicted).address / block_bytes, TableTransaction::no_requester}, *t.evicted, t);
  const bool accepted = t.answer == Answer::inserted || t.answer == Answer::merged || t.answer == Answer::completed;
  if (t.command == Command::finish) {
    const Block block = block_of(t);
    if (leaves(block)) free(block, t.now);
  } else if (accepted && t.command != Command::expire) {
    add(t);
  }
  if (t.result != nullptr) leave(Kind::completed, asked_, *t.result, t);
}

TableView::Entry& TableView::entry(const Block& block) {
  const auto [it, first] = entries_.try_emplace(block);
  if (first && free_.empty()) it->second.number = used_++;
  if (first && !free_.empty()) it->second.number = free_.extract(free_.begin()).value();
  return it->second;
}

void TableView::add(const TableTransaction& t) {
  if (leaves(asked_)) free(asked_, t.now);  // a table may use it at once
  const bool first = entries_.count(asked_) == 0;
  Entry& e = entry(asked_);
  if (t.expected != 0) e.expected = t.expected;
  e.count = static_cast<std::uint16_t>(e.count + operand_.operands);
  operand_.kind = first ? Kind::allocated : Kind::merged;
  show(operand_, asked_, e, t.now);
}

/// A completed entry is occupied until its last flit has left.
void TableView::leave(Kind kind, const Block& block, const Packet& sum, const TableTransaction& t) {
  ReductionEvent event;
  event.kind = kind;
  event.type = nv(sum).type;
  event.value = nv(sum).flag ? nullptr : sum.payload;
  Entry& e = entry(block);
  e.count = t.count;
  show(event, block, e, t.now);
  if (kind == Kind::completed)
    e.leaving = true;
  else
    free(block, t.now);
}

bool TableView::leaves(const Block& block) const {
  const auto it = entries_.find(block);
  return it != entries_.end() && it->second.leaving;
}

void TableView::free(const Block& block, Tick now) {
  const auto it = entries_.find(block);
  ReductionEvent event;
  event.kind = Kind::freed;
  show(event, block, it->second, now);
  free_.insert(it->second.number);
  entries_.erase(it);
}

void TableView::show(ReductionEvent event, const Block& block, const Entry& entry, Tick now) const {
  if (entry.number >= rows_) return;
  event.entry = entry.number;
  event.block = block.first;
  event.count = entry.count;
  event.expected = entry.expected;
  events(now, event);
}

void TableView::reset() {
  entries_.clear();
  free_.clear();
  used_ = 0;
}

}  // namespace tributary
