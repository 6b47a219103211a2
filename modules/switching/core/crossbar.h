#pragma once
/// Crossbar: which packet may cross to a free output of a switch, and how long it takes its input and its output.

#include <array>
#include <cstdint>
#include <vector>

#include "modules/base/bits.h"
#include "modules/link/core/serializer.h"
#include "modules/switching/core/arbiter.h"

namespace tributary {

/// Whether an output has room for a packet.
enum class Room : std::uint8_t { none, there, not_known };

/// All queues of an input share one way into the crossbar, and all packets for an output one way out of it. A requester is a
/// queue of an input (number = class x inputs + input); it asks for the outputs of its packets. Free outputs choose in
/// rounds, in turn; each grants its requesters round robin among those that compete for the same resource (a VC's queue, a
/// buffer), and these resources in turn. A packet that does not fit keeps its turn, and a refused request changes nothing of
/// the order. The Shape of a switch gives its sizes, and what it keeps with each input and output:
///
///     static constexpr unsigned inputs = 16, outputs = 16, classes = 2, resources = 2;
///     static constexpr bool replicates = false;  // a packet may cross to several outputs at once
///     struct Input {};
///     struct Output {};
///
/// and its Policy the rules of its own, as functions that are called without indirection:
///
///     bool competes(requester, output);              // its first packet for that output: not while another has its VC
///     unsigned resource(requester, output);          // that it needs there, below `resources`
///     Room room(requester, output, now);             // for it
///     void refused(output, now);                     // there was a request, and room for none
///     Crossing take(requester, output);              // takes the packet off its queue. At least:
///                                                    //   struct Crossing { unsigned flits, resource;
///                                                    //     Tick tail;    // its last flit is there
///                                                    //     bool more; }  // others of this queue are for that output
///     void look_at_next(requester, now);             // what stood behind it in its queue
///     void cross(requester, output, const Crossing&, now, end);  // it crosses from now to end
///     bool replicates();                             // packets may, in this switch
///     bool replicates(requester, output);            // its first packet for that output may: to all ...
///     bool is_copy(requester, output, other);        // ... where the first packet for `other` is a copy of it
///
/// What is not inline is in crossbar_impl.h, for the one source that instantiates the switch.
template <class Shape>
class Crossbar {
 public:
  static constexpr unsigned inputs = Shape::inputs, requesters = Shape::classes * inputs;
  using Requesters = Bits<requesters>;
  using Outputs = Bits<Shape::outputs>;

  struct alignas(64) Input : Shape::Input {
    Input(Bandwidth rate, unsigned flit_size) : line(rate, flit_size) {}
    Serializer line;
    Tick transfer_end = never;  ///< never: idle
    Outputs beside;             ///< outputs that its packet reaches in the same crossing
    std::uint8_t output = 0;    ///< that it crosses to
    bool busy() const { return transfer_end != never; }
  };
  struct alignas(32) Output {  // two in a cache line where there is little state
    Requesters wanted_by;      ///< requesters with a packet for it
    std::array<RoundRobin, Shape::resources> grants;
    std::uint16_t turn = 0;  ///< resource that comes first
    typename Shape::Output state;
  };

  /// Its inputs are numbered as they are added.
  void add_input(Bandwidth rate, unsigned flit_size) { inputs_.emplace_back(rate, flit_size); }
  void reset();

  /// All queues of an input.
  static constexpr Requesters requesters_of(unsigned input) { return of_first_input().shifted(input); }
  Input& input(unsigned i) { return inputs_[i]; }
  const Input& input(unsigned i) const { return inputs_[i]; }
  typename Shape::Output& output(unsigned o) { return outputs_[o].state; }
  const typename Shape::Output& output(unsigned o) const { return outputs_[o].state; }
  /// Outputs that a requester, or an input, asks for.
  const Outputs& wants(unsigned requester) const { return wants_[requester]; }
  Outputs wants_of(unsigned input) const {
    Outputs all;
    for (unsigned requester = input; requester < requesters; requester += inputs) all |= wants_[requester];
    return all;
  }
  /// Outputs that have refused a packet for want of room, and granted none since.
  const Outputs& blocked() const { return blocked_; }
  /// A match may have become possible.
  bool changed() const { return changed_.any(); }
  /// A round is not yet over.
  bool undecided() const { return undecided_.any(); }

  /// A requester has a packet for that output. It has its chance when its input is idle: when a crossing ends, or by ask().
  void want(unsigned requester, unsigned output) {
    wants_[requester] |= Outputs::of(output);
    outputs_[output].wanted_by |= Requesters::of(requester);
  }
  /// The same, at the next match if its input is idle now.
  void ask(unsigned requester, unsigned output) {
    want(requester, output);
    changed_ |= Outputs::of(output).only_if(idle_requesters_[requester]);
  }
  /// All that an idle input wants, at the next match.
  void ask_again(unsigned input) { changed_ |= wants_of(input); }
  void room_freed(unsigned output) { changed_ |= blocked_ & Outputs::of(output); }

  /// Grants all that can be granted now. False: of an output it is not known whether it has room. The round ends there, and
  /// the next match goes on with it. For a function of the policy that is not inlined itself: one pointer serves both there.
  template <class Policy>
  [[gnu::always_inline]] bool match(Policy& policy, Tick now) {
    if constexpr (Shape::replicates)
      if (__builtin_expect(policy.replicates(), 0)) return match_and_replicate(policy, now);
    return match_all<false>(policy, now);
  }
  /// The packet of that input has crossed.
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
  [[gnu::always_inline]] void transfer(Policy& policy, unsigned requester, unsigned output, Tick now);
  template <class Policy>
  [[gnu::noinline]] bool find_copies(Policy& policy, unsigned requester, unsigned output, Tick now);
  template <class Policy>
  [[gnu::noinline]] void transfer_copies(Policy& policy, unsigned requester, Tick now);
  void took_turn(unsigned requester, unsigned output, unsigned resource, bool more);

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
