#pragma once
/// TreeSends: frames of an accelerator in a tree: sums on the way up, results on the way down, notifications (Liu et
/// al., 3.3; docs/systems/netreduce.md#trees).

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "modules/base/probe.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_clock.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/netreduce/core/frame_output.h"
#include "modules/netreduce/core/leaf_translation.h"
#include "modules/netreduce/core/slot_storage.h"
#include "modules/netreduce/core/timed_part.h"
#include "modules/netreduce/core/translation_queue.h"

namespace tributary {

/// Sums go up and results go down over virtual connections, whose frames carry message and offset instead of a PSN. `ring`:
/// index among the rings of the accelerator.
class TreeSends {
 public:
  /// Connections to hosts of a leaf over which a result from above continues.
  struct Targets {
    const CtEntry* entry = nullptr;  ///< null: none is known
    Tick ready = 0;                  ///< the frames may leave
  };

  TreeSends(const AcceleratorParams& params, const AcceleratorClock& clock, PartPort<CtTransaction>& translations,
            SlotStorage& storage, PacketPool& pool, FrameOutput& output)
      : params_(params),
        clock_(clock),
        learner_(translations, clock, queue_),
        translations_(translations, clock),
        queue_(learner_.part, translations_, clock),
        storage_(storage),
        pool_(pool),
        output_(output) {}

  /// Receives results from above whose targets were not known.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The targets of a result are known at `now`. Takes the reference of the result.
    virtual void result_translated(Packet* result, unsigned ring, std::uint32_t slot, const Targets& targets, Tick requested,
                                   Tick now) = 0;
  };
  /// Lets the table answer later. Call it during construction.
  void offer(LateAnswers& answers, Tick ahead) { queue_.offer(answers, ahead); }
  /// Requests to the table, and its answers.
  TranslationQueue& queue() { return queue_; }
  const TranslationQueue& queue() const { return queue_; }

  void clear();
  /// Adds one more ring, which outlives its stay, and presets the connections of a root: they are known at job
  /// initialisation.
  void add(const AggregationRing& ring);

  /// A first packet of a member of a leaf has arrived: learns its connection, and notifies the leaf of its destination.
  void learn(const SlotCommit& c);
  /// A notification of another leaf has arrived.
  void notified(unsigned ring, const RoceHeader& first, Tick now);

  /// Sends the sum of a slot up from a leaf, or from a root to its leaves: one frame for each connection that the
  /// connections of the members translate to. Duplicates are sent once.
  void send_sums(const SlotCommit& c, std::uint32_t slot, Tick ready);

  Targets targets(unsigned ring, Tick now);
  /// As targets() at `now` or later, for a result from above. Takes its reference.
  void ask_targets(unsigned ring, Packet* result, std::uint32_t slot, Tick now, Listener& listener);
  /// Sends a result from above to all targets. The header is that of a gradient that has passed here, or is computed from a
  /// first packet of its connection.
  void send_down(unsigned ring, const Targets& targets, const Packet& result, std::uint32_t slot);
  /// Returns the index of the member with that connection; `none` if there is no such member.
  static constexpr unsigned none = ~0u;
  unsigned member_of(unsigned ring, const ConnectionKey& connection) const {
    const auto found = rings_[ring].member_of.find(word_of(connection));
    return found == rings_[ring].member_of.end() ? none : found->second;
  }

  SignalProbe misses;  ///< a result lacks a connection to a host here (offset of its packet)

 private:
  struct Ring {
    const AggregationRing* config;
    LeafTranslation translation;
    std::unordered_map<std::uint64_t, unsigned> member_of;  // by connection
  };
  Tick latency() const { return clock_.cycles(params_.lookup_cycles + params_.mac_cycles); }
  void preset(const AggregationRing& ring);
  class Sum;
  class Result;
  void plan_sums(const SlotCommit& c, std::uint32_t slot, Tick ready);
  void add_targets(const CtEntry& entry);
  unsigned sum_bytes(const SlotCommit& c, unsigned bytes, const ConnectionKey& to) const;
  void send_sum(const SlotCommit& c, const ConnectionKey& to, unsigned ecn, Packet* frame, Tick ready);
  void send_down(unsigned ring, const CtTarget& target, const Packet& result, std::uint32_t slot, Tick ready);

  const AcceleratorParams& params_;
  const AcceleratorClock& clock_;
  /// The table learns and translates at the same time.
  struct Learner final : PartPort<CtTransaction> {
    Learner(PartPort<CtTransaction>& table, const AcceleratorClock& clock, TranslationQueue& requests)
        : part(table, clock), queue(requests) {}
    Tick access(CtTransaction& t) override {
      if (queue.used()) return queue.learn(t), 0;
      const Tick requested = t.now;
      return part.answer(t) - requested;
    }
    TimedPart<CtTransaction> part;
    TranslationQueue& queue;
  } learner_;
  TimedPart<CtTransaction> translations_;
  TranslationQueue queue_;
  SlotStorage& storage_;
  PacketPool& pool_;
  FrameOutput& output_;
  std::vector<Ring> rings_;
  std::vector<ConnectionKey> targets_;  // targets of the sum that is being sent
};

}  // namespace tributary
