#include "modules/rtl/core/clt_beats.h"

#include <utility>

#include "modules/netreduce/core/clt_pins.h"

namespace tributary {
namespace {

enum Channel : unsigned { request, answer };
enum Request : unsigned { update, source, destination, queue_pair, psn, ring, rank, message, message_packets, id };
enum Answered : unsigned { answered_id, verdict, of_ring, of_rank, of_message, offset };

}  // namespace

RtlBeat lookup_beat(const BeatLayout& in, const ClTransaction& t, std::uint8_t number) {
  RtlBeat beat = in.make_beat();
  in.set(beat, update, t.command == ClTransaction::Command::update);
  in.set(beat, source, t.connection.source);
  in.set(beat, destination, t.connection.destination);
  in.set(beat, queue_pair, t.connection.queue_pair);
  in.set(beat, psn, t.psn);
  in.set(beat, ring, t.header.ring);
  in.set(beat, rank, t.header.rank);
  in.set(beat, message, t.header.message);
  in.set(beat, message_packets, t.header.message_packets);
  in.set(beat, id, number);
  return beat;
}

ExpectedBeat located_beat(const BeatLayout& out, const SlotAddress& address, std::uint8_t number) {
  ExpectedBeat beat(out);
  beat.set(out, answered_id, number);
  beat.set(out, verdict, static_cast<std::uint64_t>(address.verdict));
  if (address.verdict != SlotAddress::Verdict::found) return beat;
  beat.set(out, of_ring, address.ring);
  beat.set(out, of_rank, address.rank);
  beat.set(out, of_message, address.message);
  beat.set(out, offset, address.offset);
  return beat;
}

SlotAddress address_of(const BeatLayout& out, const RtlBeat& beat) {
  SlotAddress address;
  address.verdict = static_cast<SlotAddress::Verdict>(out.get(beat, verdict));
  address.ring = static_cast<std::uint16_t>(out.get(beat, of_ring));
  address.rank = static_cast<std::uint16_t>(out.get(beat, of_rank));
  address.message = static_cast<std::uint32_t>(out.get(beat, of_message));
  address.offset = static_cast<std::uint32_t>(out.get(beat, offset));
  return address;
}

std::uint64_t lookup_of(const BeatLayout& out, const RtlBeat& beat) { return out.get(beat, answered_id); }

CltBeats::CltBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params)
    : lookup_cycles_(params.lookup_cycles), unit_(name, clt_pins(), block, params.clock.value) {}

Tick CltBeats::access(ClTransaction& t) {
  RtlBeat beat = lookup_beat(unit_.channel(request), t, ++id_);
  unit_.begin(t.now);
  unit_.offer(request, std::move(beat));
  unit_.run(answer, 1, "request " + std::to_string(id_));

  const BeatChannel& out = unit_.channel(answer);
  const RtlBeat& found = unit_.answer(0);
  const std::uint64_t from_request = lookup_of(out, found);
  unit_.require(from_request == id_,
                "answers request " + std::to_string(from_request) + " in place of " + std::to_string(id_));
  t.address = address_of(out, found);
  const ClockDomain& clock = unit_.clock();
  return beyond_nominal(clock.cycles(unit_.answered(0) - clock.edge_at(t.now)), clock.cycles(lookup_cycles_),
                        early_.latency);
}

void CltBeats::reset() {
  unit_.reset();
  id_ = 0;
}

}  // namespace tributary
