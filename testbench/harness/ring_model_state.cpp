#include "testbench/harness/ring_model.h"

namespace tributary {

template <class Archive>
void RingModel::exchange(Archive& archive, Frame& frame) {
  RoceHeader& h = frame.header;
  // Packs the small fields into one number: kind, flags, rank.
  std::uint64_t small = static_cast<std::uint64_t>(h.kind) | std::uint64_t{h.tagged} << 4 |
                        std::uint64_t{h.ack_request} << 5 | std::uint64_t{h.rank} << 6;
  archive(small, h.psn, h.extra, h.address, h.source, h.destination, h.queue_pair, frame.value);
  h.kind = static_cast<FrameKind>(small & 15);
  h.tagged = small >> 4 & 1;
  h.ack_request = small >> 5 & 1;
  h.rank = static_cast<std::uint16_t>(small >> 6);
}

// Skips banks without a bit, whose contents are written before they are read.
void RingModel::save(const Aggregator& a, StateWriter& out) const {
  a.table.save(out);
  a.translations.save(out);
  a.translation.save(out);
  a.slots.save(out);
  for (std::uint32_t slot = 0; slot < a.slots.size(); ++slot)
    for (unsigned r = 0; r < a.ranks; ++r)
      if ((a.slots.bitmap(slot) >> r & 1) != 0) {
        Frame frame = a.banks[std::size_t{slot} * a.ranks + r];
        exchange(out, frame);
      }
}

void RingModel::load(Aggregator& a, StateReader& in) {
  a.table.load(in);
  a.translations.load(in);
  a.translation.load(in);
  a.slots.load(in);
  for (std::uint32_t slot = 0; slot < a.slots.size(); ++slot)
    for (unsigned r = 0; r < a.ranks; ++r)
      if ((a.slots.bitmap(slot) >> r & 1) != 0) exchange(in, a.bank(slot, r));
}

void RingModel::save(unsigned part, std::string& text) const {
  StateWriter out(text);
  if (part < config_.ranks) {
    const Host& h = hosts_[part];
    h.send.save(out), h.receive.save(out), h.window.save(out);
    return;
  }
  part -= config_.ranks;
  if (part < accelerators()) return save(part < config_.racks ? leaves_[part] : spine_.front(), out);
  const RingQueue<Frame>& channel = channels_[part - accelerators()];
  for (std::uint32_t i = 0; i < channel.size(); ++i) {
    Frame frame = channel[i];
    exchange(out, frame);
  }
}

void RingModel::load(unsigned part, const std::string& text) {
  StateReader in(text);
  if (part < config_.ranks) {
    Host& h = hosts_[part];
    h.send.load(in), h.receive.load(in), h.window.load(in);
    return;
  }
  part -= config_.ranks;
  if (part < accelerators()) return load(part < config_.racks ? leaves_[part] : spine_.front(), in);
  RingQueue<Frame>& channel = channels_[part - accelerators()];
  channel.clear();
  for (Frame frame; !in.empty();) {
    exchange(in, frame);
    channel.push(frame);
  }
}

}  // namespace tributary
