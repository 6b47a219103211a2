#include "modules/netreduce/core/ct_table.h"

#include <algorithm>

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
      break;
    case CtTransaction::Command::translate:
      t.entry = find(t.from);
      break;
  }
  return 0;
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
  for (auto entry = entries_.begin(); entry != entries_.end();)
    entry = entry->second.preset ? std::next(entry) : entries_.erase(entry);
}

void CtTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "learn", learnt_, SignalKind::strobe, 64,
                       "a connection gets an entry (stations, queue pair)");
}

}  // namespace tributary
