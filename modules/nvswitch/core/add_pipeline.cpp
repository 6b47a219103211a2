#include "modules/nvswitch/core/add_pipeline.h"

#include <algorithm>

#include "modules/base/host/wide.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

using Answer = TableTransaction::Answer;

constexpr std::uint64_t second = 1'000'000'000'000;

std::uint64_t quotient_above(Wide dividend, Wide divisor) {
  return static_cast<std::uint64_t>((dividend + divisor - 1) / divisor);
}

}  // namespace

AddPipeline::AddPipeline(unsigned cycles, Bandwidth line_rate, bool stored)
    : rate_(line_rate), stored_(stored), latency_(time_of(cycles)) {}

Tick AddPipeline::time_of(std::uint64_t clocks) const {
  return quotient_above(static_cast<Wide>(clocks) * NvLink::flit_bytes * second, rate_.value);
}

/// Returns the time of the whole clocks from `now` until the block has been written.
Tick AddPipeline::wait(const Block& block, Tick now) const {
  Tick left = 0;
  for (const Write& w : written_)
    if (w.block == block && w.when > now) left = w.when - now;
  const Wide flit = static_cast<Wide>(NvLink::flit_bytes) * second;
  return time_of(quotient_above(static_cast<Wide>(left) * rate_.value, flit));
}

void AddPipeline::ask(const TableTransaction& t) {
  operand_ = t.packet != nullptr;
  if (!operand_) return;
  asked_ = {nv(*t.packet).address / block_bytes,
            t.command == TableTransaction::Command::push ? TableTransaction::no_requester : t.requester};
}

Tick AddPipeline::answer(TableTransaction& t) {
  Tick waits = 0;
  if (t.evicted != nullptr && !stored_)
    waits = wait({nv(*t.evicted).address / block_bytes, TableTransaction::no_requester}, t.now);
  if (!operand_) return waits;
  if (t.answer == Answer::bypassed || t.answer == Answer::missed) return 0;
  if (!stored_) {
    waits = std::max(waits, wait(asked_, t.now));
    const auto past = std::find_if(written_.begin(), written_.end(), [&](const Write& w) { return w.when > t.now; });
    written_.erase(written_.begin(), past);
    if (t.result == nullptr) written_.push_back({asked_, t.now + waits + latency_});
  }
  t.timing.interval += waits;
  if (t.result != nullptr) return latency_;
  return t.evicted != nullptr ? waits : 0;
}

}  // namespace tributary
