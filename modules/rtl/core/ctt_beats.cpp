#include "modules/rtl/core/ctt_beats.h"

#include <stdexcept>
#include <utility>

#include "modules/netreduce/core/ctt_pins.h"

namespace tributary {
namespace {

enum Channel : unsigned { request, answer };
// Fields of a first packet follow each other, from `first` on, in both channels.
enum First : unsigned { valid, message, psn, address, rank, port };
enum Request : unsigned { command, from, to, direction, first, messages = first + 6, id };
enum Answered : unsigned { known, of_direction, preset, target, of_first, answered_id = of_first + 6 };

std::uint64_t bits_of(const ConnectionKey& c) {
  return std::uint64_t{c.source} << 40 | std::uint64_t{c.destination} << 24 | (c.queue_pair & 0xFFFFFFu);
}

ConnectionKey connection_of(std::uint64_t bits) {
  return {static_cast<std::uint16_t>(bits >> 40), static_cast<std::uint16_t>(bits >> 24),
          static_cast<std::uint32_t>(bits & 0xFFFFFFu)};
}

}  // namespace

RtlBeat command_beat(const BeatLayout& in, const CtTransaction& t, std::uint8_t number) {
  RtlBeat beat = in.make_beat();
  in.set(beat, command, static_cast<std::uint64_t>(t.command));
  in.set(beat, from, bits_of(t.from));
  in.set(beat, to, bits_of(t.to));
  in.set(beat, direction, static_cast<std::uint64_t>(t.direction));
  in.set(beat, first + valid, t.first.valid);
  in.set(beat, first + message, t.first.message);
  in.set(beat, first + psn, t.first.psn);
  in.set(beat, first + address, t.first.address);
  in.set(beat, first + rank, t.first.rank);
  in.set(beat, first + port, t.first.udp_port);
  in.set(beat, messages, t.known_messages);
  in.set(beat, id, number);
  return beat;
}

std::vector<ExpectedBeat> target_beats(const BeatLayout& out, const CtTransaction& t, std::uint8_t number) {
  const bool translates = t.command == CtTransaction::Command::translate;
  std::vector<ExpectedBeat> all(translates && t.entry != nullptr ? t.entry->to.size() : 1, ExpectedBeat(out));
  for (std::size_t k = 0; k < all.size(); ++k) {
    ExpectedBeat& beat = all[k];
    beat.beat.last = k + 1 == all.size();
    beat.set(out, answered_id, number);
    if (t.command == CtTransaction::Command::learn) beat.set(out, known, t.added);
    if (!translates) continue;
    beat.set(out, known, t.entry != nullptr);
    if (t.entry == nullptr) continue;
    const CtTarget& one = t.entry->to[k];
    beat.set(out, of_direction, static_cast<std::uint64_t>(t.entry->direction));
    beat.set(out, preset, t.entry->preset);
    beat.set(out, target, bits_of(one.connection));
    const bool has_first = !one.firsts.empty() && one.firsts.front().valid;
    beat.set(out, of_first + valid, has_first);
    if (!has_first) continue;
    const FirstPacket& packet = one.firsts.front();
    beat.set(out, of_first + message, packet.message);
    beat.set(out, of_first + psn, packet.psn);
    beat.set(out, of_first + address, packet.address);
    beat.set(out, of_first + rank, packet.rank);
    beat.set(out, of_first + port, packet.udp_port);
  }
  return all;
}

void require_affine(const std::string& name, const AcceleratorParams& params) {
  if (params.ctt.learn != CtLearning::affine)
    throw std::invalid_argument(name +
                                ": a connection translation table in RTL answers with one first packet of a connection "
                                "(legal: netreduce.accelerator.ctt.learn=affine)");
}

std::uint64_t command_of(const BeatLayout& out, const RtlBeat& beat) { return out.get(beat, answered_id); }

bool is_known(const BeatLayout& out, const RtlBeat& beat) { return out.get(beat, known) != 0; }

void add_target(const BeatLayout& out, const RtlBeat& beat, CtEntry& entry) {
  if (entry.to.empty()) {
    entry.direction = static_cast<CtDirection>(out.get(beat, of_direction));
    entry.preset = out.get(beat, preset) != 0;
  }
  CtTarget one{connection_of(out.get(beat, target))};
  if (out.get(beat, of_first + valid) != 0)
    one.firsts.push_back({static_cast<std::uint32_t>(out.get(beat, of_first + message)),
                          static_cast<std::uint32_t>(out.get(beat, of_first + psn)), out.get(beat, of_first + address),
                          static_cast<std::uint16_t>(out.get(beat, of_first + rank)),
                          static_cast<std::uint16_t>(out.get(beat, of_first + port)), true});
  entry.to.push_back(std::move(one));
}

CttBeats::CttBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params)
    : lookup_cycles_(params.lookup_cycles), unit_(name, ctt_pins(), block, params.clock.value) {
  require_affine(name, params);
}

Tick CttBeats::access(CtTransaction& t) {
  unit_.begin(t.now);
  unit_.offer(request, command_beat(unit_.channel(request), t, ++id_));
  const unsigned beats = unit_.run_to_last(answer, "request " + std::to_string(id_));
  const BeatChannel& out = unit_.channel(answer);
  for (unsigned k = 0; k < beats; ++k) {
    const std::uint64_t from_request = command_of(out, unit_.answer(k));
    unit_.require(from_request == id_,
                  "answers request " + std::to_string(from_request) + " in place of " + std::to_string(id_));
  }
  const bool found = is_known(out, unit_.answer(0));
  early_ = {};
  if (t.command != CtTransaction::Command::translate) {
    t.added = found;
    if (t.command == CtTransaction::Command::preset) unit_.end_in_no_time();
    return 0;
  }
  t.entry = found ? entry_of(t.from, beats) : nullptr;
  const ClockDomain& clock = unit_.clock();
  return beyond_nominal(clock.cycles(unit_.answered(beats - 1) - clock.edge_at(t.now)), clock.cycles(lookup_cycles_),
                        early_.latency);
}

const CtEntry* CttBeats::entry_of(const ConnectionKey& key, unsigned beats) {
  CtEntry& entry = entries_[word_of(key)];
  entry.to.clear();
  for (unsigned k = 0; k < beats; ++k) add_target(unit_.channel(answer), unit_.answer(k), entry);
  return &entry;
}

void CttBeats::reset() {
  unit_.reset();
  entries_.clear();
  id_ = 0;
}

}  // namespace tributary
