#pragma once
/// RingModel: hosts of a ring and their accelerators, of the real cores, without time (docs/systems/netreduce.md#loss).

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/netreduce/core/cl_table.h"
#include "modules/netreduce/core/message_window.h"
#include "modules/netreduce/core/state_record.h"
#include "modules/roce/core/receive_queue.h"
#include "modules/roce/core/send_queue.h"

namespace tributary {

/// Rank r sends to rank r + 1. Its packets go to the accelerator of its rack, and sums come back with the packets' headers;
/// in several racks leaves send their sums to a spine, and the spine its sums to all leaves. FIFO channels join the cores;
/// which of them moves next is the caller's choice. Payloads are one number, and a sum that is accepted is compared with the
/// right one.
class RingModel {
 public:
  struct Config {
    unsigned ranks = 2;            ///< H, of all racks
    unsigned racks = 1;            ///< equal parts of the ring
    unsigned window = 1;           ///< N
    unsigned message_packets = 1;  ///< MsgLen
    unsigned messages = 3;
    std::uint32_t first_message = 0;
    std::uint32_t first_psn = Psn::mask - 1;  ///< of connection 0; that of connection r is 1000 r later
    std::uint32_t ack_interval = 256;
    AggregationParams rules{};
    bool overwrites = false;  ///< results overwrite gradients: what is sent again is read again
    std::size_t room = 0;     ///< packets that a channel holds; 0: any number
  };
  /// Channels come in this order: one of the first three kinds for each connection, two for each leaf if there is a spine.
  enum class ChannelKind : std::uint8_t {
    gradient,  ///< rank r to its leaf
    result,    ///< leaf of rank r + 1 to rank r + 1
    answer,    ///< rank r + 1 to rank r: ACK, NACK
    sum,       ///< leaf to spine
    total      ///< spine to leaf
  };
  struct Step {
    enum class Kind : std::uint8_t { send, deliver, lose, duplicate, timeout };
    Kind kind = Kind::send;
    std::uint16_t index = 0;  ///< rank of send and timeout, else channel
  };

  explicit RingModel(const Config& config);

  unsigned ranks() const { return config_.ranks; }
  unsigned channels() const { return static_cast<unsigned>(channels_.size()); }
  unsigned channel(ChannelKind kind, unsigned index) const;
  unsigned in_flight(unsigned channel) const { return channels_[channel].size(); }
  std::uint64_t carried(unsigned channel) const { return carried_[channel]; }  ///< packets that went in so far

  /// A packet can leave the rank's queue; the head of a channel can be delivered; a rank has packets to send again.
  bool can_send(unsigned rank) const { return hosts_[rank].send.ready() && has_room(rank); }
  bool can_deliver(unsigned channel) const;
  bool can_time_out(unsigned rank) const;
  void take(const Step& step);
  std::string text(const Step& step) const;

  /// All ranks have all results, all messages are acknowledged, and no packet is on its way.
  bool finished() const;
  std::uint64_t wrong_sums() const { return wrong_; }
  std::string waiting() const;

  /// A rank accepts packet `offset` of `message`.
  Probe<unsigned, std::uint32_t, std::uint32_t> accepted;
  /// The cores, for their probes.
  SendQueue& send_queue(unsigned rank) { return hosts_[rank].send; }
  ReceiveQueue& receive_queue(unsigned rank) { return hosts_[rank].receive; }
  ClTable& table(unsigned leaf) { return leaves_[leaf].table; }
  StateRecord& slots(unsigned leaf) { return leaves_[leaf].slots; }

  /// The state in parts: ranks, accelerators, channels. Steps note which parts they touch.
  unsigned parts() const { return config_.ranks + accelerators() + channels(); }
  void save(unsigned part, std::string& out) const;
  void load(unsigned part, const std::string& in);
  const std::vector<std::uint8_t>& touched() const { return touched_; }  ///< 1 by part
  void forget_touched() { touched_.assign(parts(), 0); }

 private:
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
    Aggregator(const Config& config, unsigned ranks);
    Frame& bank(std::uint32_t slot, unsigned rank) { return banks[std::size_t{slot} * ranks + rank]; }
    std::uint32_t sum(std::uint32_t slot);
    unsigned ranks;
    ClTable table;
    StateRecord slots;
    std::vector<Frame> banks;  // by slot and rank
  };
  bool tree() const { return config_.racks > 1; }
  unsigned accelerators() const { return config_.racks + (tree() ? 1 : 0); }
  unsigned hosts_of_rack() const { return config_.ranks / config_.racks; }
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
  void at_spine(unsigned leaf, const Frame& frame);
  void down_leaf(unsigned leaf, const Frame& frame);
  void at_receiver(unsigned connection, const Frame& frame);
  void at_sender(unsigned connection, const Frame& frame);
  template <class Archive>
  static void exchange(Archive& archive, Frame& frame);
  void save(const Aggregator& a, StateWriter& out) const;
  void load(Aggregator& a, StateReader& in);

  Config config_;
  std::deque<Host> hosts_;
  std::deque<Aggregator> leaves_, spine_;  // one spine at most
  std::vector<RingQueue<Frame>> channels_;
  std::vector<std::uint8_t> touched_;
  std::vector<std::uint64_t> carried_;  // by channel
  std::uint64_t wrong_ = 0;
};

}  // namespace tributary
