#include "modules/nvswitch/core/beat_sequencer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "modules/base/host/wide.h"
#include "modules/link/core/serializer.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
BeatSequencer::BeatSequencer(std::string name, BeatTable& table, Bandwidth line_rate)
    : AnsweredTable(std::move(name), table.capacity()),
      table_(table),
      rate_(line_rate),
      flit_time_(Serializer(line_rate, NvLink::flit_bytes).flit_time()) {}

void BeatSequencer::access(TableTransaction& t) {
  edges_ = 0;
  out_.clear();
  const auto due =
      static_cast<std::uint64_t>(static_cast<Wide>(t.now) * rate_.value / (NvLink::flit_bytes * 1'000'000'000'000ull));
  clock_ = std::max(clock_, due);
  const unsigned flits = t.packet == nullptr ? 0u : flits_of<NvLink>(*t.packet);
  const BeatHeader h = beat_header(t);
  apply(t, h, ask(h));
  if (flits != 0 && edges_ > flits) t.timing.interval += (edges_ - flits) * flit_time_;
}

// ---- beats

BeatTable::Out BeatSequencer::edge(In in) {
  require(edges_ < patience, "needs more than " + std::to_string(patience) + " clocks for a command");
  in.clock = clock_++;
  ++edges_, ++all_edges_;
  const Out out = table_.clock(in);
  if (out.data_valid) out_.push_back(out.data);
  return out;
}

BeatAnswer BeatSequencer::ask(const BeatHeader& header) {
  In in;
  in.header_valid = true;
  in.header = header;
  Out out;
  do out = edge(in);
  while (!out.ready);
  while (!out.answer_valid) out = edge({});
  require(out_.empty(), "returns data before its answer");
  return out.answer;
}

void BeatSequencer::send_data(const Packet& operand) {
  std::array<std::byte, block_bytes> data{};
  if (operand.payload != nullptr) std::memcpy(data.data(), operand.payload, operand.payload_bytes);
  for (unsigned k = 0; k < beats_of(operand); ++k) {
    In in;
    in.data_valid = true;
    std::memcpy(&in.data, data.data() + k * NvLink::flit_bytes, NvLink::flit_bytes);
    while (!edge(in).ready) {
    }
  }
}

void BeatSequencer::receive_data(Packet& packet) {
  while (out_.size() < beats_of(packet)) edge({});
  require(out_.size() == beats_of(packet), "returns more beats than the block has");
  if (packet.payload == nullptr) return;
  for (unsigned k = 0; k < beats_of(packet); ++k) {
    const unsigned at = k * NvLink::flit_bytes;
    std::memcpy(packet.payload + at, &out_[k], std::min<std::size_t>(NvLink::flit_bytes, packet.payload_bytes - at));
  }
}

void BeatSequencer::reset() {
  forget();
  table_.reset();
}

}  // namespace tributary
