#pragma once
/// Probe: a point of observation in a core, to which observers attach. Costs one branch without an observer.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeindex>
#include <vector>

#include "modules/base/probe_guard.h"
#include "modules/base/units.h"

namespace tributary {

/// The first argument is by convention the exact time of the decision (Tick), which may be ahead of kernel time inside a
/// window.
template <class... Args>
class Probe {
 public:
  using Function = void (*)(void* observer, Args...);

  Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  void operator()(Args... args) const {
    if (__builtin_expect(observed(), 0)) fire(args...);
  }
  bool observed() const { return first_ != nullptr; }

  /// `observer` must outlive the probe's last firing. Observers are called in the order in which they attached.
  void attach(void* observer, Function function) {
    std::unique_ptr<Sink>* last = &first_;
    while (*last != nullptr) last = &(*last)->next;
    last->reset(new Sink{observer, function, nullptr, nullptr, false});
  }
  /// Assigns a guard to the observers that have attached since the last call; null: their exceptions reach the model.
  void guard_new(ProbeGuard* guard) {
    for (Sink* s = first_.get(); s != nullptr; s = s->next.get()) {
      if (!s->settled) s->guard = guard;
      s->settled = true;
    }
  }

 private:
  struct Sink {
    void* observer;
    Function function;
    std::unique_ptr<Sink> next;
    ProbeGuard* guard;
    bool settled;  ///< guard_new() has been called
  };
  [[gnu::noinline, gnu::cold]] void fire(Args... args) const {
    for (const Sink* s = first_.get(); s != nullptr; s = s->next.get())
      if (s->guard == nullptr)
        s->function(s->observer, args...);
      else
        s->guard->call([&] { s->function(s->observer, args...); });
  }

  std::unique_ptr<Sink> first_;  // one word, null without observers, as blocks have many probes
};

/// A numeric quantity that changes at exact times (level: occupancy, credits, tag), or an event with a number (strobe:
/// allocation of tag x, eviction of tag y).
using SignalProbe = Probe<Tick, std::uint64_t>;

/// level: the value itself. strobe: an event with a number. delta: a change of the value (two's complement), for quantities
/// whose future changes are known early (a credit that returns at t); an observer sums them in order of time. real: a level
/// whose 64 bits are a double.
enum class SignalKind : std::uint8_t { level, strobe, delta, real };

/// Returns a negative delta.
inline std::uint64_t minus(unsigned change) { return ~std::uint64_t{change} + 1; }

/// Returns the bits of a signal whose largest value is `most`.
constexpr unsigned bits_up_to(std::uint64_t most) {
  unsigned bits = 1;
  while (bits < 64 && most >> bits != 0) ++bits;
  return bits;
}
/// Bits of a signal that shows a counter without a limit of its own: the model counts in 32 bits.
inline constexpr unsigned counter_bits = 32;

/// All probes of a platform by hierarchical name, for instance `dgx2.switch0_2.port5.table.occupancy`.
class ProbeDirectory {
 public:
  struct Entry {
    std::type_index type;
    void* probe;
    SignalKind kind;                     ///< signals only
    unsigned width;                      ///< signals: bits; others: rows that the probe covers
    const char* about;                   ///< description, one line
    const char* const* names = nullptr;  ///< packet probes: opcode names from 0 on; signals: names of values; ends with null
    void (*guard_new)(void* probe, ProbeGuard* guard) = nullptr;
    unsigned lane = 0;  ///< lane of its device: probes of several lanes fire at the same time
  };

  /// `about` must be a literal; it is not copied, as a large machine has 80 000 probes.
  template <class P>
  void add(const std::string& name, P& probe, const char* about, unsigned rows = 0, const char* const* names = nullptr) {
    insert(name, {typeid(P), &probe, SignalKind::strobe, rows, about, names, &guard_new_of<P>});
  }
  /// `names`: of the values of an enumeration, from 0 on; ends with null.
  void add_signal(const std::string& name, SignalProbe& probe, SignalKind kind, unsigned width, const char* about,
                  const char* const* names = nullptr) {
    insert(name, {typeid(SignalProbe), &probe, kind, width, about, names, &guard_new_of<SignalProbe>});
  }

  /// Sets the lane of the probes that are added from now on.
  void set_lane(unsigned lane) { lane_ = lane; }

  /// Calls f(name, probe) or f(name, probe, lane) for each probe of type P, in order of names.
  template <class P, class F>
  void for_each(F&& f) const {
    for (const auto& [name, e] : entries_)
      if (e.type == std::type_index(typeid(P))) {
        if constexpr (std::is_invocable_v<F, const std::string&, P&, unsigned>)
          f(name, *static_cast<P*>(e.probe), e.lane);
        else
          f(name, *static_cast<P*>(e.probe));
      }
  }
  const std::map<std::string, Entry>& entries() const { return entries_; }
  /// Probe::guard_new of all probes.
  void guard_new(ProbeGuard* guard) const {
    for (const auto& [name, e] : entries_)
      if (e.guard_new != nullptr) e.guard_new(e.probe, guard);
  }

 private:
  template <class P>
  static void guard_new_of(void* probe, ProbeGuard* guard) {
    static_cast<P*>(probe)->guard_new(guard);
  }
  void insert(const std::string& name, const Entry& e) {
    const auto [entry, is_new] = entries_.emplace(name, e);
    entry->second.lane = lane_;
    if (!is_new) throw std::logic_error("two probes named " + name);
  }
  std::map<std::string, Entry> entries_;
  unsigned lane_ = 0;
};

/// Returns true if `text` matches: `*` matches any run of characters (dots included), `?` one character, any other
/// character itself.
bool glob_match(const std::string& pattern, const std::string& text);

}  // namespace tributary
