#include "testbench/test/harness/own_table.h"

#include <algorithm>
#include <stdexcept>

#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {
using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;
std::uint64_t block_of(const Packet* p) { return nv(*p).address / block_bytes; }
}  // namespace

void OwnTable::b_transport(TableTransaction& t, sc_core::sc_time& delay) {
  delay += sc_core::sc_time::from_value(faults_.latency);
  if (t.command == Command::push) push(t);
  if (t.command == Command::finish) --completing_;
  if (t.command == Command::expire && !entries_.empty() && entries_.front().stamp + config_.timeout <= t.now) {
    timeouts(t.now, block_of(entries_.front().sum));
    give(t, t.evicted, entries_.begin());
    t.answer = Answer::inserted;
  }
  if (t.command == Command::allocate || t.command == Command::collect) throw std::logic_error("this table cannot pull");
  t.next_timeout = entries_.empty() ? never : entries_.front().stamp + config_.timeout;
}

void OwnTable::push(TableTransaction& t) {
  const auto e = std::find_if(entries_.begin(), entries_.end(),
                              [&](const Entry& one) { return nv(*one.sum).address == nv(*t.packet).address; });
  if (e == entries_.end()) return insert(t);
  if (++operands_ != faults_.leak) return merge(t, e);
  t.packet->release();
  t.answer = Answer::merged;
}

void OwnTable::insert(TableTransaction& t) {
  if (entries_.size() + completing_ == config_.bytes / block_bytes) {
    evictions(t.now, block_of(entries_.front().sum));
    give(t, t.evicted, entries_.begin());
  }
  allocations(t.now, block_of(t.packet));
  entries_.push_back({t.packet, nv(*t.packet).count, t.expected, t.now});
  t.answer = Answer::inserted;
}

void OwnTable::merge(TableTransaction& t, std::list<Entry>::iterator e) {
  const NvHeader& h = nv(*t.packet);
  if (e->sum->payload != nullptr) apply(h.op, h.type, e->sum->payload, t.packet->payload, t.packet->payload_bytes);
  e->count += h.count;
  e->stamp = t.now;
  merges(t.now, block_of(e->sum));
  t.packet->release();
  entries_.splice(entries_.end(), entries_, e);
  t.answer = Answer::merged;
  if (e->count < e->expected) return;
  completions(t.now, block_of(e->sum));
  give(t, t.result, e);
  ++completing_;
  t.answer = Answer::completed;
}

void OwnTable::give(TableTransaction& t, Packet*& to, std::list<Entry>::iterator e) {
  to = e->sum;
  t.count = static_cast<std::uint16_t>(e->count);
  entries_.erase(e);
}

std::vector<std::string> OwnTable::waiting() const {
  std::vector<std::string> lines;
  for (const Entry& e : entries_)
    if (!faults_.silent)
      lines.push_back("block " + std::to_string(block_of(e.sum)) + ": " + std::to_string(e.count) + " of " +
                      std::to_string(e.expected));
  return lines;
}

void OwnTable::reset() {
  for (const Entry& e : entries_) e.sum->release();
  entries_.clear();
  completing_ = 0;
  operands_ = 0;
  ++resets_;
}

}  // namespace tributary
