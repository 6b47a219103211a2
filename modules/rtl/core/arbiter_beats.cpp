#include "modules/rtl/core/arbiter_beats.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/nvswitch/core/arbiter_pins.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

enum Channel : unsigned { requests_for, take, grant };
enum Requests : unsigned { for_output, req, resources, room };
enum Take : unsigned { taken_output, taken_requester, taken_resource };
constexpr unsigned resources_with_room = 3;

void set_bits(std::uint8_t* bytes, unsigned at, unsigned value) {
  bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | value << at % 8);
}

unsigned requester_of(const CrossbarArbiter::Request& request, unsigned inputs) {
  return request.queue * inputs + request.input;
}

}  // namespace

RtlBeat requests_beat(const BeatLayout& in, unsigned output, const std::vector<CrossbarArbiter::Request>& all,
                      unsigned inputs) {
  RtlBeat beat = in.make_beat();
  unsigned offered = 0;
  for (const CrossbarArbiter::Request& r : all) {
    set_bits(in.bytes(beat, req), requester_of(r, inputs), 1);
    set_bits(in.bytes(beat, resources), 2 * requester_of(r, inputs), r.resource);
    offered |= 1u << r.resource;
  }
  in.set(beat, for_output, output);
  in.set(beat, room, offered & ((1u << resources_with_room) - 1));
  return beat;
}

RtlBeat take_beat(const BeatLayout& in, unsigned output, const CrossbarArbiter::Request& request, unsigned inputs) {
  RtlBeat beat = in.make_beat();
  in.set(beat, taken_output, output);
  in.set(beat, taken_requester, requester_of(request, inputs));
  in.set(beat, taken_resource, request.resource);
  return beat;
}

ArbiterBeats::ArbiterBeats(const RtlBlock& block, const CrossbarArbiterConfig& config)
    : model_(make_model(block, config.device + ".arbiter")),
      runner_(config.device + ".arbiter", arbiter_pins(), block.parameters, *model_,
              ClockDomain::of_rate(config.crossbar, NvLink::flit_bytes)) {
  const std::uint64_t requesters = parameter(arbiter_pins(), block, "REQUESTERS");
  inputs_ = static_cast<unsigned>(requesters / config.queues);
  if (requesters % config.queues != 0 || inputs_ < config.ports || requesters > 256)
    throw std::invalid_argument(runner_.name() + ": an arbiter in RTL with REQUESTERS=" + std::to_string(requesters) +
                                " has another number of requesters (legal: " + std::to_string(config.queues) +
                                " x inputs, from " + std::to_string(config.queues * config.ports) + " to 256)");
  while (runner_.clock().cycles(registers_ + 1) <= config.arbitration) ++registers_;
}

void ArbiterBeats::offer(unsigned channel, RtlBeat beat, Tick now) {
  beat.edge = std::max(runner_.edge(), runner_.clock().edge_at(now));
  runner_.run_to(beat.edge);
  runner_.forget();
  runner_.offer(channel, std::move(beat));
}

std::size_t ArbiterBeats::choose(unsigned output, const std::vector<Request>& requests, Tick now) {
  offer(requests_for, requests_beat(runner_.channel(requests_for), output, requests, inputs_), now);
  const std::uint64_t edge = runner_.edge(), number = runner_.expected(grant);
  runner_.expect(grant, 1);
  runner_.run_until_answered("requests for output " + std::to_string(output));
  runner_.show_idle();
  const RtlBeat& granted = runner_.beat(grant, number);
  if (granted.edge > edge + registers_)
    fail("grants " + std::to_string(granted.edge - edge) + " clocks after the requests (legal: " +
         std::to_string(registers_) + ", those of nvswitch.switch.crossbar.arbitration)");
  const std::uint64_t winner = runner_.channel(grant).get(granted, 0);
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requester_of(requests[i], inputs_) == winner) return i;
  fail("grants output " + std::to_string(output) + " to requester " + std::to_string(winner) +
       ", which does not request it");
}

void ArbiterBeats::granted(unsigned output, const Request& request, Tick now) {
  offer(take, take_beat(runner_.channel(take), output, request, inputs_), now);
  runner_.run_edge();
  runner_.show_idle();
}

void ArbiterBeats::fail(const std::string& what) const {
  throw std::logic_error(runner_.name() + " breaks the rule `answer`: " + what);
}

}  // namespace tributary
