#pragma once
/// Crossbar: matches packets to free outputs of a switch, and holds input and output for the time of a transfer.

#include <array>
#include <cstdint>
#include <vector>

#include "modules/base/bits.h"
#include "modules/link/core/serializer.h"
#include "modules/switching/core/arbiter.h"
#include "modules/switching/core/crossbar_arbiter.h"

namespace tributary {

/// Room of an output for a packet: none, enough, or unknown until its link may run further.
enum class Room : std::uint8_t { none, there, not_known };

/// The arbiter of a user in a crossbar, and the requests that it is asked about.
template <bool own_arbiter>
class ArbiterSeat {
 public:
  void set_arbiter(CrossbarArbiter* arbiter) { arbiter_ = arbiter; }

 protected:
  CrossbarArbiter* arbiter_ = nullptr;
  std::vector<CrossbarArbiter::Request> requests_;
};
template <>
class ArbiterSeat<false> {
 public:
  void set_arbiter(CrossbarArbiter*) {}
};

/// All queues of an input share one crossbar input, and all packets for an output one crossbar output. A requester is a
/// queue of an input (number = class x inputs + input); it requests the outputs of its packets. Free outputs choose in
/// rounds, in turn. Each grants its requesters round robin among those that compete for the same resource (a VC's queue, a
/// buffer), and these resources round robin. A packet that does not fit keeps its turn, and a refused request does not
/// change the order. The Shape of a switch gives its sizes, and the state that it keeps for each input and output:
///
///     static constexpr unsigned inputs = 16, outputs = 16, classes = 2, resources = 2;
///     static constexpr bool replicates = false;  // a packet may cross to several outputs in one transfer
///     struct Input {};
///     struct Output {};
///
/// Its Policy adds the rules of the switch, as functions that are called without indirection:
///
///     bool competes(requester, output);              // false while another requester owns the VC of its first packet
///     unsigned resource(requester, output);          // resource that this packet needs there, below `resources`
///     Room room(requester, output, now);             // room for this packet
///     void refused(output, now);                     // all requests for the output were refused for lack of room
///     Crossing take(requester, output);              // removes the packet from its queue. At least:
///                                                    //   struct Crossing { unsigned flits, resource;
///                                                    //     Tick tail;    // arrival of its last flit
///                                                    //     bool more; }  // the queue has more packets for that output
///     void look_at_next(requester, now);             // the next packet of the queue is now its first
///     void cross(requester, output, const Crossing&, now, end);  // the packet crosses from now to end
///     bool replicates();                             // true if this switch replicates in the crossbar
///     bool replicates(requester, output);            // true if the first packet for that output may reach all outputs ...
///     bool is_copy(requester, output, other);        // ... whose first packet is a copy of it
///
/// A crossbar with `own_arbiter` asks a CrossbarArbiter, if it has one, for every choice, in place of the turns among
/// resources and requesters. Definitions that are not inline are in crossbar_impl.h, for the one source that instantiates
/// the switch.
template <class Shape, bool own_arbiter = false>
class Crossbar : ArbiterSeat<own_arbiter> {
 public:
  static constexpr unsigned inputs = Shape::inputs, requesters = Shape::classes * inputs;
  using Requesters = Bits<requesters>;
  using Outputs = Bits<Shape::outputs>;

  struct alignas(64) Input : Shape::Input {
    Input(Bandwidth rate, unsigned flit_size) : line(rate, flit_size) {}
    Serializer line;
    Tick transfer_end = never;  ///< never: idle
    Outputs beside;             ///< further outputs that its packet reaches in the same crossing
    std::uint8_t output = 0;    ///< output of the present crossing
    bool busy() const { return transfer_end != never; }
  };
  struct alignas(32) Output {  // two per cache line if the state is small
    Requesters wanted_by;      ///< requesters with a packet for this output
    std::array<RoundRobin, Shape::resources> grants;
    std::uint16_t turn = 0;  ///< resource with the next turn
    typename Shape::Output state;
  };

  using ArbiterSeat<own_arbiter>::set_arbiter;
  /// Adds an input; inputs are numbered in order of addition.
  void add_input(Bandwidth rate, unsigned flit_size) { inputs_.emplace_back(rate, flit_size); }
  void reset();

  /// Returns all queues of an input.
  static constexpr Requesters requesters_of(unsigned input) {
    if constexpr (inputs <= 64) return of_first_input().shifted(input);
    Requesters all;
    for (unsigned c = 0; c < Shape::classes; ++c) all |= Requesters::of(c * inputs + input);
    return all;
  }
  Input& input(unsigned i) { return inputs_[i]; }
  const Input& input(unsigned i) const { return inputs_[i]; }
  typename Shape::Output& output(unsigned o) { return outputs_[o].state; }
  const typename Shape::Output& output(unsigned o) const { return outputs_[o].state; }
  /// Outputs requested by a requester or an input.
  const Outputs& wants(unsigned requester) const { return wants_[requester]; }
  Outputs wants_of(unsigned input) const {
    Outputs all;
    for (unsigned requester = input; requester < requesters; requester += inputs) all |= wants_[requester];
    return all;
  }
  /// Outputs that have refused a packet for lack of room, and granted none since.
  const Outputs& blocked() const { return blocked_; }
  /// Returns true if a new match may be possible.
  bool changed() const { return changed_.any(); }
  /// Returns true if a round has not ended.
  bool undecided() const { return undecided_.any(); }

  /// Records a packet of a requester for that output. It is considered when its input is idle: at the end of a crossing, or
  /// by ask().
  void want(unsigned requester, unsigned output) {
    wants_[requester] |= Outputs::of(output);
    outputs_[output].wanted_by |= Requesters::of(requester);
  }
  /// As want(), and considers it at the next match if the input is idle now.
  void ask(unsigned requester, unsigned output) {
    want(requester, output);
    changed_ |= Outputs::of(output).only_if(idle_requesters_[requester]);
  }
  /// Considers all requests of an idle input at the next match.
  void ask_again(unsigned input) { changed_ |= wants_of(input); }
  void room_freed(unsigned output) { changed_ |= blocked_ & Outputs::of(output); }

  /// Makes all grants that are possible now. Returns false if it is unknown whether some output has room; the round stops
  /// there, and the next match continues it. Call from a function of the policy that is not inlined itself, so that one
  /// pointer serves both.
  template <class Policy>
  [[gnu::always_inline]] bool match(Policy& policy, Tick now) {
    if constexpr (Shape::replicates)
      if (__builtin_expect(policy.replicates(), 0)) return match_and_replicate(policy, now);
    return match_all<false>(policy, now);
  }
  /// Ends the crossing of that input.
  void end_crossing(unsigned input);

 private:
  static constexpr unsigned none = ~0u, not_known = none - 1;
  static constexpr Requesters of_first_input() {
    Requesters all;
    for (unsigned c = 0; c < Shape::classes; ++c) all |= Requesters::of(c * inputs);
    return all;
  }

  template <bool replicates, class Policy>
  [[gnu::always_inline]] bool match_all(Policy& policy, Tick now);
  template <class Policy>
  [[gnu::noinline]] bool match_and_replicate(Policy& policy, Tick now) {
    return match_all<true>(policy, now);
  }
  template <class Policy>
  [[gnu::always_inline]] unsigned choose(Policy& policy, unsigned output, Tick now);
  template <class Policy>
  unsigned choose_in_turn(Policy& policy, unsigned output, const Requesters& all, Tick now);
  template <class Policy>
  unsigned ask_arbiter(Policy& policy, unsigned output, const Requesters& all, Tick now);
  template <class Policy>
  [[gnu::always_inline]] void transfer(Policy& policy, unsigned requester, unsigned output, Tick now);
  template <class Policy>
  [[gnu::noinline]] bool find_copies(Policy& policy, unsigned requester, unsigned output, Tick now);
  template <class Policy>
  [[gnu::noinline]] void transfer_copies(Policy& policy, unsigned requester, Tick now);
  void took_turn(unsigned requester, unsigned output, unsigned resource, bool more, Tick now);

  Requesters idle_requesters_ = Requesters::all();
  Outputs idle_outputs_ = Outputs::all();
  Outputs blocked_;
  Outputs changed_;  // outputs for which a match may have become possible
  Outputs undecided_;
  Outputs copies_to_;  // outputs that grant further copies of the packet whose crossing begins
  unsigned first_output_ = 0;
  alignas(64) std::array<Output, Shape::outputs> outputs_;
  std::array<Outputs, requesters> wants_{};
  std::vector<Input> inputs_;
};

}  // namespace tributary
