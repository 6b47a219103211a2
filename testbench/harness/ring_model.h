#pragma once
/// RingModel: hosts of a ring and their accelerators, built from the real cores, without time
/// (docs/systems/netreduce.md#loss).

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/netreduce/core/aggregation_ring.h"
#include "modules/netreduce/core/cl_table.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/netreduce/core/leaf_translation.h"
#include "modules/netreduce/core/message_window.h"
#include "modules/netreduce/core/state_record.h"
#include "modules/roce/core/receive_queue.h"
#include "modules/roce/core/send_queue.h"

namespace tributary {

/// Rank r sends to rank r + 1. Its packets go to the accelerator of its rack, and sums return with the packets'
/// headers. With several racks, leaves send their sums to a spine, and the spine sends its sums to all leaves. Each leaf
/// learns its connections from first packets and from notifications, as it does in hardware. FIFO channels connect the
/// cores; the caller selects which one moves next. Payloads are single numbers, and each accepted sum is compared with the
/// expected one.
class RingModel {
 public:
  struct Config {
    unsigned ranks = 2;            ///< H, over all racks
    unsigned racks = 1;            ///< equal parts of the ring
    unsigned window = 1;           ///< N
    unsigned message_packets = 1;  ///< MsgLen
    unsigned messages = 3;
    std::uint32_t first_message = 0;
    std::uint32_t first_psn = Psn::mask - 1;  ///< connection 0; connection r starts 1000 r later
    std::uint32_t ack_interval = 256;
    AggregationParams rules{};
    CtLearning learn = CtLearning::affine;
    bool overwrites = false;  ///< results overwrite gradients: a retransmission reads memory again
    std::size_t room = 0;     ///< capacity of a channel in packets; 0: unlimited
  };
  /// Channels are ordered by kind: one of each of the first three kinds per connection, and three per leaf if there is
  /// a spine.
  enum class ChannelKind : std::uint8_t {
    gradient,  ///< rank r to its leaf
    result,    ///< leaf of rank r + 1 to rank r + 1
    answer,    ///< rank r + 1 to rank r: ACK, NACK
    sum,       ///< leaf to spine
    total,     ///< spine to leaf
    notice     ///< leaf of rank r to the next leaf: notification of a first packet
  };
  struct Step {
    enum class Kind : std::uint8_t { send, deliver, lose, duplicate, timeout };
    Kind kind = Kind::send;
    std::uint16_t index = 0;  ///< rank for send and timeout, otherwise channel
  };

  explicit RingModel(const Config& config);

  unsigned ranks() const { return config_.ranks; }
  unsigned channels() const { return static_cast<unsigned>(channels_.size()); }
  unsigned channel(ChannelKind kind, unsigned index) const;
  ChannelKind kind(unsigned channel) const;
  unsigned in_flight(unsigned channel) const { return channels_[channel].size(); }
  std::uint64_t carried(unsigned channel) const { return carried_[channel]; }  ///< packets that have entered so far

  /// True if a packet can leave the rank's queue; the head of a channel can be delivered; a rank has packets to
  /// retransmit.
  bool can_send(unsigned rank) const { return hosts_[rank].send.ready() && has_room(rank); }
  bool can_deliver(unsigned channel) const;
  bool can_time_out(unsigned rank) const;
  void take(const Step& step);
  std::string text(const Step& step) const;

  /// True if all ranks have all results, all messages are acknowledged, and no packet is in flight.
  bool finished() const;
  std::uint64_t wrong_sums() const { return wrong_; }
  std::uint64_t misses() const { return misses_; }  ///< results that lack a connection at a leaf
  std::string waiting() const;

  /// Fires when a rank accepts packet `offset` of `message`.
  Probe<unsigned, std::uint32_t, std::uint32_t> accepted;
  /// Access to the cores for their probes.
  SendQueue& send_queue(unsigned rank) { return hosts_[rank].send; }
  ReceiveQueue& receive_queue(unsigned rank) { return hosts_[rank].receive; }
  ClTable& table(unsigned leaf) { return leaves_[leaf].table; }
  StateRecord& slots(unsigned leaf) { return leaves_[leaf].slots; }

  /// Parts of the state: ranks, accelerators, channels. Steps mark the parts that they change.
  unsigned parts() const { return config_.ranks + accelerators() + channels(); }
  void save(unsigned part, std::string& out) const;
  void load(unsigned part, const std::string& in);
  const std::vector<std::uint8_t>& touched() const { return touched_; }  ///< 1 for each changed part
  void forget_touched() { touched_.assign(parts(), 0); }

  /// Returns the PSN of the first packet of a connection.
  static std::uint32_t first_psn(const Config& c, unsigned connection) { return Psn::add(c.first_psn, 1000 * connection); }

 private:
  static constexpr std::uint32_t queue_pair = 7;
  struct Frame {
    RoceHeader header{};
    std::uint32_t value = 0;
  };
  struct Host {
    Host(const Config& config, unsigned rank);
    SendQueue send;
    ReceiveQueue receive;
    MessageWindow window;
  };
  struct Aggregator {
    Aggregator(const Config& config, unsigned ranks, AggregationRing configured);
    Frame& bank(std::uint32_t slot, unsigned rank) { return banks[std::size_t{slot} * ranks + rank]; }
    std::uint32_t sum(std::uint32_t slot);
    unsigned ranks;
    AggregationRing ring;
    ClTable table;
    CtTable translations;
    LeafTranslation translation;
    StateRecord slots;
    std::vector<Frame> banks;  // by slot and rank
  };
  bool tree() const { return config_.racks > 1; }
  unsigned accelerators() const { return config_.racks + (tree() ? 1 : 0); }
  unsigned hosts_of_rack() const { return config_.ranks / config_.racks; }
  AggregationRing leaf_ring(unsigned leaf) const;
  unsigned successor(unsigned rank) const { return rank + 1 == config_.ranks ? 0 : rank + 1; }
  bool has_room(unsigned channel) const { return config_.room == 0 || channels_[channel].size() < config_.room; }
  bool has_room(ChannelKind kind, unsigned first, unsigned count) const;
  void push(unsigned channel, const Frame& frame);
  RoceHeader header(unsigned connection, std::uint32_t message, std::uint32_t offset) const;
  std::uint32_t gradient(unsigned rank, std::uint32_t message, std::uint32_t offset) const;
  std::uint32_t total(std::uint32_t message, std::uint32_t offset) const;
  void post(unsigned rank);
  void send(unsigned rank);
  void deliver(unsigned channel, bool keep);
  void at_leaf(unsigned leaf, const Frame& frame);
  void learn(unsigned leaf, unsigned member, const Frame& first, bool again);
  void at_spine(unsigned leaf, const Frame& frame);
  void at_next_leaf(unsigned leaf, const Frame& notice);
  void down_leaf(unsigned leaf, const Frame& frame);
  void at_receiver(unsigned connection, const Frame& frame);
  void at_sender(unsigned connection, const Frame& frame);
  template <class Archive>
  static void exchange(Archive& archive, Frame& frame);
  void save(const Aggregator& a, StateWriter& out) const;
  void load(Aggregator& a, StateReader& in);

  Config config_;
  std::deque<Host> hosts_;
  std::deque<Aggregator> leaves_, spine_;  // at most one spine
  std::vector<RingQueue<Frame>> channels_;
  std::vector<std::uint8_t> touched_;
  std::vector<std::uint64_t> carried_;  // by channel
  std::uint64_t wrong_ = 0, misses_ = 0;
};

}  // namespace tributary
