#include "modules/netreduce/core/ct_table.h"

#include <algorithm>
#include <map>

namespace tributary {

const FirstPacket* CtTarget::first_of(std::uint32_t message) const {
  if (firsts.empty()) return nullptr;
  const FirstPacket& first = firsts[message % firsts.size()];
  return first.valid && (firsts.size() == 1 || first.message == message) ? &first : nullptr;
}

const CtEntry* CtTable::find(const ConnectionKey& from) const {
  const auto found = entries_.find(word_of(from));
  return found == entries_.end() ? nullptr : &found->second;
}

Tick CtTable::access(CtTransaction& t) {
  switch (t.command) {
    case CtTransaction::Command::preset:
      t.added = add(t, true);
      break;
    case CtTransaction::Command::learn:
      t.added = add(t, false);
      if (t.added) learnt_(t.now, word_of(t.from));
      occupy(t, 1);
      break;
    case CtTransaction::Command::translate:
      t.entry = find(t.from);
      return occupy(t, t.entry == nullptr ? 1 : t.entry->to.size());
  }
  return 0;
}

/// Returns the time from the request to the last target, beyond that of a translation in one cycle.
Tick CtTable::occupy(CtTransaction& t, std::size_t targets) {
  if (config_.targets == 0) return 0;
  const Tick more = (std::max<std::size_t>(targets, 1) - 1) / config_.targets * config_.clock;
  const Tick start = t.now < latest_ ? t.now : std::max(t.now, free_at_);
  if (t.now >= latest_) latest_ = t.now, free_at_ = start + more + config_.clock;
  t.timing.interval = more;
  return start - t.now + more;
}

bool CtTable::add(const CtTransaction& t, bool preset) {
  const auto [place, made] = entries_.try_emplace(word_of(t.from));
  CtEntry& entry = place->second;
  if (made) entry.direction = t.direction, entry.preset = preset;
  auto target = std::find_if(entry.to.begin(), entry.to.end(), [&](const CtTarget& x) { return x.connection == t.to; });
  const bool added = target == entry.to.end();
  if (added) target = entry.to.insert(target, {t.to});
  if (!t.first.valid) return added;
  if (target->firsts.empty()) target->firsts.resize(t.known_messages);
  target->firsts[t.first.message % t.known_messages] = t.first;
  return added;
}

void CtTable::reset() {
  latest_ = free_at_ = 0;
  for (auto entry = entries_.begin(); entry != entries_.end();)
    entry = entry->second.preset ? std::next(entry) : entries_.erase(entry);
}

void CtTable::save(StateWriter& out) const {
  std::map<std::uint64_t, const CtEntry*> sorted;
  for (const auto& [from, entry] : entries_) sorted.emplace(from, &entry);
  out(sorted.size());
  for (const auto& [from, entry] : sorted) {
    std::vector<const CtTarget*> to;
    for (const CtTarget& target : entry->to) to.push_back(&target);
    std::sort(to.begin(), to.end(), [](const CtTarget* a, const CtTarget* b) { return a->connection < b->connection; });
    out(from, entry->direction, entry->preset, to.size());
    for (const CtTarget* target : to) {
      out(target->connection.source, target->connection.destination, target->connection.queue_pair, target->firsts.size());
      for (const FirstPacket& f : target->firsts) {
        out(f.valid);
        if (f.valid) out(f.message, f.psn, f.address, f.rank, f.udp_port);
      }
    }
  }
}

void CtTable::load(StateReader& in) {
  entries_.clear();
  std::size_t count = 0, targets = 0, firsts = 0;
  for (in(count); count > 0; --count) {
    std::uint64_t from = 0;
    in(from);
    CtEntry& entry = entries_[from];
    in(entry.direction, entry.preset, targets);
    entry.to.resize(targets);
    for (CtTarget& target : entry.to) {
      in(target.connection.source, target.connection.destination, target.connection.queue_pair, firsts);
      target.firsts.resize(firsts);
      for (FirstPacket& f : target.firsts) {
        in(f.valid);
        if (f.valid) in(f.message, f.psn, f.address, f.rank, f.udp_port);
      }
    }
  }
}

void CtTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "learn", learnt_, SignalKind::strobe, 64,
                       "a connection gets an entry (stations, queue pair)");
}

}  // namespace tributary
