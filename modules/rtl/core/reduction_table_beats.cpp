#include "modules/rtl/core/reduction_table_beats.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "modules/nvswitch/core/reduction_table_pins.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

enum Channel : unsigned { request, decisions, sums };
enum Request : unsigned {
  data,
  is_header,
  command,
  first_hop,
  tag,
  requester,
  operands,
  expected,
  beats,
  type,
  op,
  number,
  now
};
struct Decided {
  enum : unsigned { id, answer, entry, evicts, evicted_entry, operands, deadline };
};
enum Sums : unsigned { sum_data, of_request };
constexpr unsigned most_beats = block_bytes / NvLink::flit_bytes;

std::string text_of(const BeatHeader& h) {
  static const char* const names[] = {"push", "allocate", "collect", "expire", "finish"};
  const std::string name = names[static_cast<unsigned>(h.command)];
  return h.command == TableTransaction::Command::expire ? name : name + " of block " + std::to_string(h.tag);
}

}  // namespace

std::vector<RtlBeat> command_beats(const BeatLayout& in, const BeatHeader& h, std::uint8_t id, const std::byte* from,
                                   std::size_t bytes) {
  std::vector<RtlBeat> all{in.make_beat()};
  RtlBeat& header = all.front();
  header.last = h.beats == 0;
  in.set(header, is_header, 1);
  in.set(header, command, static_cast<std::uint64_t>(h.command));
  in.set(header, first_hop, h.first_hop ? 1 : 0);
  in.set(header, tag, h.tag);
  in.set(header, requester, h.requester);
  in.set(header, operands, h.count);
  in.set(header, expected, h.expected);
  in.set(header, beats, h.beats);
  in.set(header, type, static_cast<std::uint64_t>(h.type));
  in.set(header, op, static_cast<std::uint64_t>(h.op));
  in.set(header, number, id);
  in.set(header, now, h.time);
  for (std::size_t k = 0; k < h.beats; ++k) {
    RtlBeat beat = in.make_beat();
    beat.last = k + 1 == h.beats;
    const std::size_t at = k * NvLink::flit_bytes;
    if (from != nullptr && at < bytes)
      std::memcpy(in.bytes(beat, data), from + at, std::min<std::size_t>(NvLink::flit_bytes, bytes - at));
    all.push_back(std::move(beat));
  }
  return all;
}

std::vector<ExpectedBeat> leaving_block(const BeatLayout& out, std::uint8_t id, const std::byte* from, std::size_t bytes) {
  std::vector<ExpectedBeat> all;
  for (std::size_t at = 0; at < bytes; at += NvLink::flit_bytes) {
    ExpectedBeat beat(out);
    beat.beat.last = at + NvLink::flit_bytes >= bytes;
    beat.set(out, of_request, id);
    if (from != nullptr) beat.set_bytes(out, sum_data, 0, from + at, std::min<std::size_t>(NvLink::flit_bytes, bytes - at));
    all.push_back(std::move(beat));
  }
  return all;
}

ReductionTableBeats::ReductionTableBeats(const std::string& name, const RtlBlock& block, Bandwidth line_rate)
    : AnsweredTable(name, static_cast<std::uint32_t>(parameter(reduction_table_pins(), block, "ENTRIES"))),
      block_(block),
      model_(block.make()),
      runner_(name, reduction_table_pins(), block.parameters, *model_, ClockDomain::of_rate(line_rate, NvLink::flit_bytes)),
      pipeline_(runner_) {}

Tick ReductionTableBeats::access(TableTransaction& t) {
  const bool operand = t.packet != nullptr;
  const unsigned flits = operand ? flits_of<NvLink>(*t.packet) : 1;
  const BeatHeader h = beat_header(t);
  if (operand && !nv(*t.packet).flag) check_elements(h.type, h.op);
  const std::uint64_t start = std::max(runner_.clock().edge_at(t.now), free_at_);
  const std::uint64_t edge = pipeline_.begin(start);
  offer(t, h, edge);
  const std::string name = text_of(h);
  const BeatAnswer a = decision(name);
  const std::uint64_t last_sent = runner_.accepted_at(request);
  receive(leaving_beats(t, a), name);
  apply(t, h, a);
  runner_.show_idle();

  const Tick late = latency(t, edge, last_sent);
  if (operand) {
    const std::uint64_t clocks = last_sent + 1 - edge;
    free_at_ = start + clocks;
    t.timing.interval += runner_.clock().cycles(clocks - flits);
  } else {
    free_at_ = start;
    pipeline_.insert(leaving_ == 0 ? 1 : left_at_ + 1 - edge);
  }
  return late;
}

void ReductionTableBeats::offer(const TableTransaction& t, const BeatHeader& h, std::uint64_t edge) {
  const std::byte* const payload = t.packet == nullptr ? nullptr : t.packet->payload;
  const std::size_t bytes = t.packet == nullptr ? 0 : t.packet->payload_bytes;
  for (RtlBeat& beat : command_beats(runner_.channel(request), h, ++id_, payload, bytes)) {
    beat.edge = edge;
    runner_.offer(request, std::move(beat));
  }
}

/// Runs until the command has been accepted and decided. Beats may leave before the decision is known.
BeatAnswer ReductionTableBeats::decision(const std::string& name) {
  first_ = runner_.expected(sums);
  const std::uint64_t number = runner_.expected(decisions);
  runner_.expect(decisions, 1);
  runner_.expect(sums, most_beats);
  runner_.run_until_passed(request, name);
  runner_.run_until_passed(decisions, name);
  const BeatChannel& out = runner_.channel(decisions);
  const RtlBeat& beat = runner_.beat(decisions, number);
  require_answer(out.get(beat, Decided::id) == id_, "decides command " + std::to_string(out.get(beat, Decided::id)) +
                                                        " in place of " + std::to_string(id_) + ", the " + name);
  decided_at_ = beat.edge;
  return {static_cast<TableTransaction::Answer>(out.get(beat, Decided::answer)),
          static_cast<std::uint32_t>(out.get(beat, Decided::entry)),
          out.get(beat, Decided::evicts) != 0,
          static_cast<std::uint32_t>(out.get(beat, Decided::evicted_entry)),
          static_cast<std::uint16_t>(out.get(beat, Decided::operands)),
          out.get(beat, Decided::deadline)};
}

/// Runs until the beats that leave because of the command have left.
void ReductionTableBeats::receive(unsigned count, const std::string& name) {
  leaving_ = count;
  runner_.expect_in_all(sums, first_ + count);
  runner_.run_until_passed(sums, name);
  before_ = left_at_;
  const BeatChannel& out = runner_.channel(sums);
  for (unsigned k = 0; k < count; ++k) {
    const RtlBeat& beat = runner_.beat(sums, first_ + k);
    require_answer(out.get(beat, of_request) == id_, "sends data of command " + std::to_string(out.get(beat, of_request)) +
                                                         " in place of " + std::to_string(id_) + ", the " + name);
    require_answer(beat.last == (k + 1 == count), "beat " + std::to_string(k) + " of " + std::to_string(count) + " of the " +
                                                      name + (beat.last ? " has" : " has no") + " `m_last`");
    left_at_ = beat.edge;
  }
}

void ReductionTableBeats::receive_data(Packet& packet) {
  if (packet.payload == nullptr) return;
  const BeatChannel& out = runner_.channel(sums);
  for (unsigned k = 0; k < leaving_; ++k) {
    const std::size_t at = std::size_t{k} * NvLink::flit_bytes;
    if (at < packet.payload_bytes)
      std::memcpy(packet.payload + at, out.bytes(runner_.beat(sums, first_ + k), sum_data),
                  std::min<std::size_t>(NvLink::flit_bytes, packet.payload_bytes - at));
  }
}

/// Evicted beats leave from the clock after the header on, or when earlier ones have left; sums with the beats of their last
/// operand.
Tick ReductionTableBeats::latency(const TableTransaction& t, std::uint64_t edge, std::uint64_t last_sent) {
  std::uint64_t nominal = last_sent, left = last_sent;
  if (t.evicted != nullptr)
    nominal = std::max(edge, before_) + leaving_, left = left_at_;
  else if (t.result != nullptr)
    left = left_at_;
  else if (t.packet != nullptr)
    left = decided_at_;  // a packet that bypasses the table
  early_ = {};
  const bool leaves = t.evicted != nullptr || t.result != nullptr;
  if (leaves && left < nominal) early_.latency = runner_.clock().cycles(nominal - left);
  return left > nominal ? runner_.clock().cycles(left - nominal) : 0;
}

void ReductionTableBeats::require_answer(bool holds, const std::string& what) const {
  if (!holds) runner_.fail("answer", what);
}

void ReductionTableBeats::reset() {
  forget();
  runner_.reset();
  pipeline_.reset();
  id_ = 0;
  free_at_ = decided_at_ = first_ = before_ = left_at_ = 0;
  leaving_ = 0;
}

void ReductionTableBeats::describe(ProbeDirectory& directory, const std::string& prefix) {
  TableProbes::describe(directory, prefix, capacity());
  runner_.describe(directory, prefix + "rtl.");
}

}  // namespace tributary
