#include "modules/netreduce/core/tree_sends.h"

#include <algorithm>
#include <string>
#include <utility>

#include "modules/ethernet/core/aggregation_bytes.h"
#include "modules/netreduce/core/part_answers.h"

namespace tributary {
namespace {

/// Checks a translation: a sum goes up from a leaf, and from a root to its members.
void check_translation(const CtEntry* entry, const AggregationRing& ring) {
  require_answer("ctt", entry != nullptr || ring.role != TreeRole::root,
                 [&] { return name_of(ring) + ": no translation of a connection that was preset"; });
  if (entry == nullptr) return;
  for (const CtTarget& target : entry->to) {
    const bool member = std::any_of(ring.members.begin(), ring.members.end(), [&](const AggregationRing::Member& m) {
      return m.connection.source == target.connection.destination;
    });
    require_answer("ctt", ring.role == TreeRole::root ? member : target.connection == ring.upward(), [&] {
      return name_of(ring) + ": a translation to station " + std::to_string(target.connection.destination) +
             "; legal: " + (ring.role == TreeRole::root ? "members of the ring" : "the accelerator above");
    });
  }
}

unsigned port_to(const AggregationRing& ring, const ConnectionKey& to) {
  if (ring.role == TreeRole::leaf) return ring.uplink;
  for (const AggregationRing::Member& m : ring.members)
    if (m.connection.source == to.destination) return m.port;
  return 0;
}

}  // namespace

void TreeSends::clear() {
  rings_.clear();
  learner_.part.clear();
  translations_.clear();
  queue_.clear();
}

void TreeSends::add(const AggregationRing& ring) {
  Ring added{&ring, LeafTranslation(ring, params_.ctt.learn), {}};
  for (unsigned m = 0; m < ring.ranks(); ++m) added.member_of[word_of(ring.members[m].connection)] = m;
  rings_.push_back(std::move(added));
  if (ring.role == TreeRole::root) preset(ring);
}

void TreeSends::preset(const AggregationRing& ring) {
  for (const AggregationRing::Member& from : ring.members)
    for (const AggregationRing::Member& to : ring.members) {
      CtTransaction t;
      t.command = CtTransaction::Command::preset;
      t.from = from.connection;
      t.to = {ring.station, to.connection.source, ring.ring};
      learner_.part.configure(t);
    }
}

// ---- learning from first packets

void TreeSends::learn(const SlotCommit& c) {
  Ring& ring = rings_[c.ring];
  const RoceHeader& first = roce(*c.frame);
  if (!ring.translation.learn(*ring.config, c.member, first, c.again, learner_, c.when)) return;
  Packet* const frame = make_result(pool_, FrameKind::notification, 0, nullptr, 0, c.frame->born);
  RoceHeader& h = roce(*frame) = first;
  h.kind = FrameKind::notification;
  h.ack_request = 0;
  output_.send(ring.config->uplink, frame, c.when + latency());
}

void TreeSends::notified(unsigned ring, const RoceHeader& first, Tick now) {
  rings_[ring].translation.notified(*rings_[ring].config, first, learner_, now);
}

// ---- up, and from the root to its leaves

void TreeSends::send_sums(const SlotCommit& c, std::uint32_t slot, Tick ready) {
  if (__builtin_expect(queue_.used(), 0)) return plan_sums(c, slot, ready);
  const AggregationRing& ring = *rings_[c.ring].config;
  targets_.clear();
  Tick answered = ready;
  unsigned ecn = 0;
  Tick born = 0;
  for (unsigned m = 0; m < ring.ranks(); ++m) {
    CtTransaction t;
    t.from = ring.members[m].connection;
    t.now = ready;
    answered = std::max(answered, translations_.answer(t));
    check_translation(t.entry, ring);
    if (t.entry == nullptr) continue;
    add_targets(*t.entry);
    const SlotStorage::Header header = storage_.header(c.ring, slot, m, ready);
    answered = std::max(answered, header.when);
    ecn = std::max<unsigned>(ecn, header.entry.header.ecn);
    born = std::max(born, header.entry.born);
  }
  for (const ConnectionKey& to : targets_) {
    const unsigned bytes = ring.pattern.by_packet() ? sum_bytes(c, storage_.sum_bytes(c.ring, slot), to) : ring.mtu;
    Packet* const frame =
        make_result(pool_, FrameKind::aggregate, bytes, storage_.sum(c.ring, slot), header_bytes(c.offset), born);
    storage_.framed(c.ring, slot, *frame, header_bytes(c.offset));
    send_sum(c, to, ecn, frame, clock_.edge(answered));
  }
}

void TreeSends::add_targets(const CtEntry& entry) {
  for (const CtTarget& target : entry.to)
    if (std::find(targets_.begin(), targets_.end(), target.connection) == targets_.end())
      targets_.push_back(target.connection);
}

void TreeSends::send_sum(const SlotCommit& c, const ConnectionKey& to, unsigned ecn, Packet* frame, Tick ready) {
  const AggregationRing& ring = *rings_[c.ring].config;
  RoceHeader& h = roce(*frame);
  h.source = to.source;
  h.destination = to.destination;
  h.udp_port = ring.ring;
  h.ring = ring.ring;
  h.rank = ring.number;
  h.psn = c.offset;
  h.extra = c.message;
  h.ecn = ecn & 3u;
  h.from_above = ring.role == TreeRole::root;
  output_.send(port_to(ring, to), frame, ready);
}

/// Returns the payload of a sum of that many bytes to `to`: none if no rank there receives it.
unsigned TreeSends::sum_bytes(const SlotCommit& c, unsigned bytes, const ConnectionKey& to) const {
  const AggregationRing& ring = *rings_[c.ring].config;
  if (ring.role == TreeRole::leaf) return bytes;
  for (unsigned m = 0; m < ring.ranks(); ++m)
    if (ring.members[m].connection.source == to.destination) return ring.leaf_receives(m, c.message, c.offset) ? bytes : 0;
  return 0;
}

/// A sum whose connections are translated. It has the bytes and headers of its slot at its commit: a newer message may take
/// the slot meanwhile.
class TreeSends::Sum : public TranslationQueue::Request {
 public:
  Sum(TreeSends& tree, const SlotCommit& c, std::uint32_t slot, Tick ready) : tree_(tree), commit_(c) {
    const AggregationRing& ring = *tree.rings_[c.ring].config;
    at = ready;
    for (unsigned m = 0; m < ring.ranks(); ++m) {
      from.push_back(ring.members[m].connection);
      headers_.push_back(tree.storage_.header(c.ring, slot, m, ready));
    }
    for_each_port(ring, [&](unsigned port) { tree.output_.hold_room(port, wire_bytes(ring)); });
    bytes_ = ring.pattern.by_packet() ? tree.storage_.sum_bytes(c.ring, slot) : ring.mtu;
    frame_ =
        make_result(tree.pool_, FrameKind::aggregate, bytes_, tree.storage_.sum(c.ring, slot), header_bytes(c.offset), 0);
    tree.storage_.framed(c.ring, slot, *frame_, header_bytes(c.offset));
  }
  ~Sum() override { frame_->release(); }
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;

  void translated(const std::vector<LateTranslation>& answers, Tick when) override {
    const AggregationRing& ring = *tree_.rings_[commit_.ring].config;
    tree_.targets_.clear();
    Tick answered = when, born = 0;
    unsigned ecn = 0;
    for (std::size_t m = 0; m < answers.size(); ++m) {
      const CtEntry* const entry = answers[m].known ? &answers[m].entry : nullptr;
      check_translation(entry, ring);
      if (entry == nullptr) continue;
      tree_.add_targets(*entry);
      answered = std::max(answered, headers_[m].when);
      ecn = std::max<unsigned>(ecn, headers_[m].entry.header.ecn);
      born = std::max(born, headers_[m].entry.born);
    }
    for_each_port(ring, [&](unsigned port) { tree_.output_.release_room(port, wire_bytes(ring), when); });
    for (const ConnectionKey& to : tree_.targets_)
      tree_.send_sum(commit_, to, ecn, copy(ring, to, born), tree_.clock_.edge(answered));
  }

 private:
  static unsigned wire_bytes(const AggregationRing& ring) {
    return EthernetFrame::wire_bytes(FrameKind::aggregate, ring.mtu);
  }
  template <class Each>
  static void for_each_port(const AggregationRing& ring, Each&& each) {
    if (ring.role == TreeRole::leaf) return each(ring.uplink);
    for (const AggregationRing::Member& m : ring.members) each(m.port);
  }
  Packet* copy(const AggregationRing& ring, const ConnectionKey& to, Tick born) const {
    const unsigned bytes = ring.pattern.by_packet() ? tree_.sum_bytes(commit_, bytes_, to) : bytes_;
    const unsigned skip = header_bytes(commit_.offset);
    Packet* const frame = make_result(tree_.pool_, FrameKind::aggregate, bytes, frame_->payload, skip, born);
    tree_.storage_.framed_as(*frame_, *frame, skip);
    return frame;
  }

  TreeSends& tree_;
  SlotCommit commit_;  // without its frame
  std::vector<SlotStorage::Header> headers_;
  unsigned bytes_ = 0;
  Packet* frame_ = nullptr;
};

/// The table is asked when the headers are loaded.
void TreeSends::plan_sums(const SlotCommit& c, std::uint32_t slot, Tick ready) {
  queue_.translate(std::make_unique<Sum>(*this, c, slot, ready));
}

// ---- down to the hosts of a leaf

TreeSends::Targets TreeSends::targets(unsigned ring, Tick now) {
  CtTransaction t;
  t.from = rings_[ring].config->downward();
  t.now = now;
  const Tick answered = translations_.answer(t);
  return {t.entry, clock_.edge(answered) + latency()};
}

/// A result from above whose targets are looked up.
class TreeSends::Result : public TranslationQueue::Request {
 public:
  Result(const TreeSends& tree, unsigned ring, Packet* frame, std::uint32_t slot, Tick now, Listener& listener)
      : tree_(tree), ring_(ring), slot_(slot), frame_(frame), listener_(listener) {
    from = {tree.rings_[ring].config->downward()};
    at = now;
    for (const AggregationRing::Receiver& r : receivers()) tree.output_.hold_room(r.port, frame->wire_bytes);
  }
  ~Result() override {
    if (frame_ != nullptr) frame_->release();
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  void translated(const std::vector<LateTranslation>& answers, Tick when) override {
    for (const AggregationRing::Receiver& r : receivers()) tree_.output_.release_room(r.port, frame_->wire_bytes, when);
    const CtEntry* const entry = answers.front().known ? &answers.front().entry : nullptr;
    listener_.result_translated(std::exchange(frame_, nullptr), ring_, slot_, {entry, when + tree_.latency()}, at, when);
  }

 private:
  const std::vector<AggregationRing::Receiver>& receivers() const { return tree_.rings_[ring_].config->receivers; }

  const TreeSends& tree_;
  unsigned ring_;
  std::uint32_t slot_;
  Packet* frame_;
  Listener& listener_;
};

void TreeSends::ask_targets(unsigned ring, Packet* result, std::uint32_t slot, Tick now, Listener& listener) {
  queue_.translate(std::make_unique<Result>(*this, ring, result, slot, now, listener));
}

void TreeSends::send_down(unsigned ring, const Targets& targets, const Packet& result, std::uint32_t slot) {
  for (const CtTarget& target : targets.entry->to) send_down(ring, target, result, slot, targets.ready);
}

void TreeSends::send_down(unsigned ring, const CtTarget& target, const Packet& result, std::uint32_t slot, Tick ready) {
  const AggregationRing& r = *rings_[ring].config;
  const RoceHeader& above = roce(result);
  const std::uint32_t offset = above.psn, message = above.extra;
  const AggregationRing::Receiver* const receiver = r.receiver(target.connection.destination);
  const unsigned member = member_of(ring, target.connection);
  if (receiver == nullptr) return;
  const auto bytes_for = [&](unsigned rank) {
    return r.pattern.by_packet() ? r.pattern.result_bytes(r.receiver_of(rank), message, offset, result.payload_bytes)
                                 : r.mtu;
  };
  // A header packet has no elements from above.
  const std::byte* const sum = r.pattern.by_packet() && offset == 0 ? storage_.sum(ring, slot) : result.payload;
  if (member != none) {
    const auto [entry, loaded] = storage_.latest_header(ring, slot, member, ready);
    Packet* const frame =
        make_result(pool_, entry.header.kind, bytes_for(r.members[member].rank), sum, header_bytes(offset), entry.born);
    roce(*frame) = entry.header;
    roce(*frame).ecn = std::max<unsigned>(entry.header.ecn, above.ecn) & 3u;
    if (frame->payload != nullptr && offset == 0)
      storage_.copy_aggregation_header(ring, slot, member, frame->payload, ready);
    return output_.send(receiver->port, frame, clock_.edge(loaded));
  }
  const FirstPacket* const first = target.first_of(message);
  if (first == nullptr) return misses(ready, offset);
  RoceHeader h = LeafTranslation::header(r, target, *first, message, offset);
  h.ecn = above.ecn;
  Packet* const frame = make_result(pool_, h.kind, bytes_for(first->rank), sum, header_bytes(offset), result.born);
  roce(*frame) = h;
  if (frame->payload != nullptr && offset == 0)
    store_aggregation_header({r.ring, first->rank, message, static_cast<std::uint16_t>(r.message_packets)}, frame->payload);
  output_.send(receiver->port, frame, ready);
}

}  // namespace tributary
