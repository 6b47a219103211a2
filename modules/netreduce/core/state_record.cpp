#include "modules/netreduce/core/state_record.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

StateRecord::StateRecord(const Config& config)
    : config_(config),
      messages_(config.rules.slots == SlotCount::window ? config.window : 2 * config.window),
      all_(config.ranks >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << config.ranks) - 1) {
  if (config.ranks == 0 || config.ranks > 64) throw std::invalid_argument("a slot must have 1 to 64 ranks");
  if (messages_ == 0 || config.message_packets == 0) throw std::invalid_argument("a ring must have slots");
  slots_.resize(std::size_t{messages_} * config.message_packets);
}

StateRecord::Verdict StateRecord::arrive(std::uint32_t message, std::uint32_t offset, unsigned rank, Tick now) {
  if (rank >= config_.ranks || offset >= config_.message_packets) {
    refused(now, message);
    return {};
  }
  const std::uint32_t number = slot_of(message, offset);
  Slot& slot = slots_[number];
  const std::uint64_t bit = std::uint64_t{1} << rank;
  Verdict v = config_.rules.rule == SlotRule::tag ? arrive_tagged(slot, message, bit, now)
                                                  : arrive_untagged(slot, message, offset, bit, now);
  v.slot = number;
  const SignalProbe* const probes[] = {&stored, &completed, &duplicate, &stale, &refused};
  (*probes[static_cast<unsigned>(v.arrival)])(now, number);
  return v;
}

StateRecord::Verdict StateRecord::arrive_tagged(Slot& slot, std::uint32_t message, std::uint64_t bit, Tick now) {
  const auto newer = static_cast<std::int32_t>(message - slot.message);
  if (slot.used && newer < 0) return {Arrival::stale, Emission::none, false, 0};
  if (!slot.used || newer > 0) {
    set_bitmap(slot, 0, now);
    slot.used = true;
    slot.message = message;
  }
  if (slot.bitmap == all_) return {Arrival::duplicate, again(slot, bit), false, 0};
  set_bitmap(slot, slot.bitmap | bit, now);
  if (slot.bitmap == all_) return {Arrival::completed, Emission::all, true, 0};
  return {Arrival::stored, Emission::none, true, 0};
}

// A slot does not know its message: its contents are taken for those of the packet's message, and the packet always writes
// its bank.
StateRecord::Verdict StateRecord::arrive_untagged(Slot& slot, std::uint32_t message, std::uint32_t offset, std::uint64_t bit,
                                                  Tick now) {
  const SlotRule rule = config_.rules.rule;
  const bool was_full = slot.bitmap == all_;
  slot.used = true;
  slot.message = message;
  set_bitmap(slot, slot.bitmap | bit, now);
  if (rule == SlotRule::any) clear_ahead(message, offset, all_, now);
  if (rule == SlotRule::bit) clear_ahead(message, offset, bit, now);
  if (slot.bitmap != all_) return {Arrival::stored, Emission::none, true, 0};
  if (rule == SlotRule::full || (rule == SlotRule::full1 && !was_full)) clear_ahead(message, offset, all_, now);
  if (was_full) return {Arrival::duplicate, again(slot, bit), true, 0};
  return {Arrival::completed, Emission::all, true, 0};
}

void StateRecord::clear_ahead(std::uint32_t message, std::uint32_t offset, std::uint64_t bits, Tick now) {
  Slot& slot = slots_[slot_of(message + config_.window, offset)];
  set_bitmap(slot, slot.bitmap & ~bits, now);
}

StateRecord::Emission StateRecord::again(Slot& slot, std::uint64_t bit) const {
  if (!config_.tree) return config_.rules.reemit == Reemission::all ? Emission::all : Emission::sender;
  if (config_.rules.reemit_tree == TreeReemission::all) return Emission::all;
  const bool begins = slot.round == 0 || (slot.round & bit) != 0;
  slot.round = begins ? bit : slot.round | bit;
  return begins ? Emission::all : Emission::none;
}

void StateRecord::set_bitmap(Slot& slot, std::uint64_t bitmap, Tick now) {
  const auto is_filling = [this](std::uint64_t b) { return b != 0 && b != all_; };
  const unsigned filling = filling_, full = full_;
  filling_ = filling_ - is_filling(slot.bitmap) + is_filling(bitmap);
  full_ = full_ - (slot.bitmap == all_) + (bitmap == all_);
  if (slot.bitmap == 0) slot.since = now;
  if (bitmap != all_) slot.round = 0;
  slot.bitmap = bitmap;
  if (filling_ != filling) filling_probe(now, filling_);
  if (full_ != full) done_probe(now, full_);
}

std::vector<StateRecord::Waiting> StateRecord::waiting() const {
  std::vector<Waiting> list;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const Slot& s = slots_[i];
    if (s.bitmap != 0 && s.bitmap != all_)
      list.push_back({s.message, i % config_.message_packets, all_ & ~s.bitmap, s.since});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Waiting& a, const Waiting& b) { return static_cast<std::int32_t>(a.message - b.message) < 0; });
  return list;
}

std::string StateRecord::text(const Waiting& w) const {
  std::string missing;
  unsigned count = 0;
  for (unsigned r = 0; r < config_.ranks; ++r)
    if ((w.missing >> r & 1) != 0) missing += (count++ == 0 ? " " : ", ") + std::to_string(r);
  return "message " + std::to_string(w.message) + ", packet " + std::to_string(w.offset) + ": " +
         std::to_string(config_.ranks - count) + " of " + std::to_string(config_.ranks) + " ranks, missing rank" +
         (count == 1 ? "" : "s") + missing;
}

void StateRecord::save(StateWriter& out) const {
  for (const Slot& s : slots_) {
    out(s.used);
    if (s.used) out(s.message, s.bitmap, s.round);
  }
}

void StateRecord::load(StateReader& in) {
  reset();
  for (Slot& s : slots_) {
    in(s.used);
    if (!s.used) continue;
    in(s.message, s.bitmap, s.round);
    full_ += s.bitmap == all_;
    filling_ += s.bitmap != 0 && s.bitmap != all_;
  }
}

void StateRecord::reset() {
  slots_.assign(slots_.size(), Slot{});
  filling_ = full_ = 0;
}

void StateRecord::describe(ProbeDirectory& directory, const std::string& prefix) {
  const auto strobe = [&](const char* name, SignalProbe& probe, const char* about) {
    directory.add_signal(prefix + "slot." + name, probe, SignalKind::strobe, 32, about);
  };
  strobe("stored", stored, "a packet is stored, others are missing (slot)");
  strobe("completed", completed, "the last packet of a slot has arrived (slot)");
  strobe("duplicate", duplicate, "a packet arrives again at a full slot (slot)");
  strobe("stale", stale, "a packet of an older message than its slot's is dropped (slot)");
  strobe("refused", refused, "a packet with an unknown rank or offset is dropped (MsgID)");
  directory.add_signal(prefix + "slots.filling", filling_probe, SignalKind::level, counter_bits,
                       "slots with packets of some ranks");
  directory.add_signal(prefix + "slots.done", done_probe, SignalKind::level, counter_bits,
                       "slots with packets of all ranks");
}

}  // namespace tributary
