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
    : rate_(line_rate), stored_(stored), cycles_(cycles) {}

Tick AddPipeline::time_of(std::uint64_t clocks) const {
  return quotient_above(static_cast<Wide>(clocks) * NvLink::flit_bytes * second, rate_.value);
}

std::uint64_t AddPipeline::edge_at(Tick time) const {
  return quotient_above(static_cast<Wide>(time) * rate_.value, static_cast<Wide>(NvLink::flit_bytes) * second);
}

/// Returns the clocks from an edge until the block has been written.
std::uint64_t AddPipeline::wait(const Block& block, std::uint64_t edge) const {
  std::uint64_t left = 0;
  for (const Write& w : written_)
    if (w.block == block && w.edge > edge) left = w.edge - edge;
  return left;
}

void AddPipeline::ask(const TableTransaction& t) {
  operand_ = t.packet != nullptr;
  if (!operand_) return;
  asked_ = {nv(*t.packet).address / block_bytes,
            t.command == TableTransaction::Command::push ? TableTransaction::no_requester : t.requester};
}

Tick AddPipeline::answer(TableTransaction& t) {
  const std::uint64_t edge = edge_at(t.now);
  std::uint64_t clocks = 0;
  if (t.evicted != nullptr && !stored_)
    clocks = wait({nv(*t.evicted).address / block_bytes, TableTransaction::no_requester}, edge);
  if (!operand_) return time_of(clocks);
  if (t.answer == Answer::bypassed || t.answer == Answer::missed) return 0;
  if (!stored_) {
    clocks = std::max(clocks, wait(asked_, edge));
    const auto past = std::find_if(written_.begin(), written_.end(), [&](const Write& w) { return w.edge > edge; });
    written_.erase(written_.begin(), past);
    if (t.result == nullptr) written_.push_back({asked_, edge + clocks + cycles_});
  }
  t.timing.interval += time_of(clocks);
  if (t.result != nullptr) return time_of(cycles_);
  return t.evicted != nullptr ? time_of(clocks) : 0;
}

}  // namespace tributary
