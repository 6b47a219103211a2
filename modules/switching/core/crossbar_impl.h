#pragma once
/// Crossbar: definitions of rounds, choices and grants, for the sources that instantiate it.

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "modules/switching/core/crossbar.h"

namespace tributary {

// A round stops at an output whose room is unknown, and continues in the next match.
template <class Shape, bool own_arbiter>
template <bool replicates, class Policy>
inline bool Crossbar<Shape, own_arbiter>::match_all(Policy& policy, Tick now) {
  Outputs left = std::exchange(undecided_, Outputs());
  for (;;) {
    while (left.any()) {
      const unsigned output = left.first_from(first_output_);
      const unsigned winner = choose(policy, output, now);
      bool copies = false, known = winner != not_known;
      if constexpr (replicates) {
        copies = winner < not_known && policy.replicates(winner, output);
        if (copies) known = find_copies(policy, winner, output, now);
      }
      if (__builtin_expect(!known, 0)) {
        undecided_ = left;
        return false;
      }
      left &= ~Outputs::of(output);
      if (winner != none) transfer(policy, winner, output, now);
      if constexpr (replicates)
        if (copies) transfer_copies(policy, winner, now), left &= idle_outputs_;
      left &= ~changed_;  // another requester has the turn there: considered in the next round
    }
    if (!(changed_ & idle_outputs_).any()) break;
    left = changed_ & idle_outputs_;
    changed_ = {};
  }
  changed_ = {};  // a busy output is considered again when it is free
  return true;
}

template <class Shape, bool own_arbiter>
template <class Policy>
inline unsigned Crossbar<Shape, own_arbiter>::choose(Policy& policy, unsigned output, Tick now) {
  const Requesters left = outputs_[output].wanted_by & idle_requesters_;
  if (!left.any()) return none;
  if constexpr (own_arbiter)
    if (this->arbiter_ != nullptr) return ask_arbiter(policy, output, left, now);
  if (__builtin_expect(left.several(), 0)) return choose_in_turn(policy, output, left, now);
  const unsigned requester = left.first();  // the usual case
  if (!policy.competes(requester, output)) return none;
  const Room room = policy.room(requester, output, now);
  if (room != Room::none) return room == Room::there ? requester : not_known;
  blocked_ |= Outputs::of(output);
  policy.refused(output, now);
  return none;
}

// Each resource has its own round-robin pointer: with a common one, the requester after the last winner of another resource
// would always have priority. A packet that does not fit holds its turn, so that small packets cannot starve it.
template <class Shape, bool own_arbiter>
template <class Policy>
unsigned Crossbar<Shape, own_arbiter>::choose_in_turn(Policy& policy, unsigned output, const Requesters& all, Tick now) {
  const Output& out = outputs_[output];
  std::array<Requesters, Shape::resources> competing{};  // by resource
  unsigned asking = 0;                                   // a bit per resource
  all.for_each([&](unsigned requester) {
    if (!policy.competes(requester, output)) return;
    const unsigned resource = policy.resource(requester, output);
    competing[resource] |= Requesters::of(requester);
    asking |= 1u << resource;
  });
  if (asking == 0) return none;
  while (asking != 0) {
    const unsigned resource = first_from(asking, out.turn);
    const unsigned requester = out.grants[resource].pick(competing[resource]);
    const Room room = policy.room(requester, output, now);
    if (room != Room::none) return room == Room::there ? requester : not_known;
    blocked_ |= Outputs::of(output);
    asking &= ~(1u << resource);
  }
  policy.refused(output, now);
  return none;
}

// Requests without room are removed with all others for the same resource, as in choose_in_turn().
template <class Shape, bool own_arbiter>
template <class Policy>
unsigned Crossbar<Shape, own_arbiter>::ask_arbiter(Policy& policy, unsigned output, const Requesters& all, Tick now) {
  auto& requests = this->requests_;
  requests.clear();
  all.for_each([&](unsigned requester) {
    if (!policy.competes(requester, output)) return;
    requests.push_back({requester % inputs, requester / inputs, policy.resource(requester, output)});
  });
  if (requests.empty()) return none;
  while (!requests.empty()) {
    const std::size_t index = this->arbiter_->choose(output, requests, now);
    assert(index < requests.size());
    const CrossbarArbiter::Request chosen = requests[index];
    const unsigned requester = chosen.queue * inputs + chosen.input;
    const Room room = policy.room(requester, output, now);
    if (room != Room::none) return room == Room::there ? requester : not_known;
    blocked_ |= Outputs::of(output);
    requests.erase(std::remove_if(requests.begin(), requests.end(),
                                  [&](const CrossbarArbiter::Request& r) { return r.resource == chosen.resource; }),
                   requests.end());
  }
  policy.refused(output, now);
  return none;
}

// Only grants move the turns: a refused request must not change the state of arbitration.
template <class Shape, bool own_arbiter>
inline void Crossbar<Shape, own_arbiter>::took_turn(unsigned requester, unsigned output, unsigned resource, bool more,
                                                    Tick now) {
  Output& out = outputs_[output];
  if constexpr (own_arbiter)
    if (this->arbiter_ != nullptr) this->arbiter_->granted(output, {requester % inputs, requester / inputs, resource}, now);
  out.grants[resource].granted(requester);
  out.turn = static_cast<std::uint16_t>(resource + 1u);
  blocked_ &= ~Outputs::of(output);
  first_output_ = (output + 1) % Shape::outputs;
  if (more) return;
  wants_[requester] &= ~Outputs::of(output);
  out.wanted_by &= ~Requesters::of(requester);
}

template <class Shape, bool own_arbiter>
template <class Policy>
inline void Crossbar<Shape, own_arbiter>::transfer(Policy& policy, unsigned requester, unsigned output, Tick now) {
  const auto packet = policy.take(requester, output);
  took_turn(requester, output, packet.resource, packet.more, now);
  const unsigned i = requester % inputs;
  Input& input = inputs_[i];
  const Tick end = input.transfer_end = input.line.serve(now, packet.flits, packet.tail);
  input.output = static_cast<std::uint8_t>(output);
  idle_outputs_ &= ~Outputs::of(output);
  idle_requesters_ &= ~requesters_of(i);
  policy.look_at_next(requester, now);
  if (blocked_.any()) changed_ |= blocked_ & wants_of(i);  // another requester has the turn where this packet did not fit
  policy.cross(requester, output, packet, now, end);
}

// Finds the outputs that would serve the same packet next, each by its own order of turns. Returns false if it is unknown
// whether one of them has room.
template <class Shape, bool own_arbiter>
template <class Policy>
bool Crossbar<Shape, own_arbiter>::find_copies(Policy& policy, unsigned requester, unsigned output, Tick now) {
  bool known = true;
  copies_to_ = {};
  (wants_[requester] & idle_outputs_ & ~Outputs::of(output)).for_each([&](unsigned other) {
    if (!known || !policy.is_copy(requester, output, other)) return;
    const unsigned winner = choose(policy, other, now);
    if (winner == not_known) known = false;
    if (winner == requester) copies_to_ |= Outputs::of(other);
  });
  return known;
}

// Adds the copies to the crossing that has just begun. Input and outputs are free again when it ends.
template <class Shape, bool own_arbiter>
template <class Policy>
void Crossbar<Shape, own_arbiter>::transfer_copies(Policy& policy, unsigned requester, Tick now) {
  Input& input = inputs_[requester % inputs];
  const Tick end = input.transfer_end;
  input.beside = copies_to_;
  idle_outputs_ &= ~copies_to_;
  std::exchange(copies_to_, Outputs()).for_each([&](unsigned output) {
    const auto packet = policy.take(requester, output);
    took_turn(requester, output, packet.resource, packet.more, now);
    policy.cross(requester, output, packet, now, end);
  });
}

template <class Shape, bool own_arbiter>
inline void Crossbar<Shape, own_arbiter>::end_crossing(unsigned i) {
  Input& input = inputs_[i];
  input.transfer_end = never;
  idle_outputs_ |= Outputs::of(input.output);
  idle_requesters_ |= requesters_of(i);
  const bool wanted = (outputs_[input.output].wanted_by & idle_requesters_).any();
  changed_ |= wants_of(i) | Outputs::of(input.output).only_if(wanted);
  if constexpr (Shape::replicates)
    if (__builtin_expect(input.beside.any(), 0)) {
      idle_outputs_ |= input.beside;
      changed_ |= std::exchange(input.beside, Outputs());
    }
}

template <class Shape, bool own_arbiter>
void Crossbar<Shape, own_arbiter>::reset() {
  for (Input& input : inputs_) {
    static_cast<typename Shape::Input&>(input) = {};
    input.line.reset();
    input.transfer_end = never;
    input.beside = {};
  }
  outputs_.fill({});
  if constexpr (own_arbiter)
    if (this->arbiter_ != nullptr) this->arbiter_->reset();
  wants_.fill({});
  idle_requesters_ = Requesters::all();
  idle_outputs_ = Outputs::all();
  blocked_ = changed_ = undecided_ = copies_to_ = {};
  first_output_ = 0;
}

}  // namespace tributary
