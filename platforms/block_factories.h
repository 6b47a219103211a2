#pragma once
/// BlockFactories: a registry of user-defined modules, keyed by the name of the platform block that each one replaces.

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tributary {

class BlockTap;
class RtlTraces;

/// A replaceable block: its name, and the type of the factory that makes it. Each platform declares its blocks in
/// `blocks.h` of its folder.
template <class Factory>
struct BlockSlot {
  const char* name;
};

/// A row of `list blocks`.
struct BlockInfo {
  std::string name, about;
  std::string header;  ///< declares the factory, the base of its modules and their transactions
};

/// Hash of the sizes of a factory's arguments and product. A mismatch means that a library was built against other
/// headers.
template <class Module, class... Arguments>
constexpr std::uint64_t layout_of(const std::function<std::unique_ptr<Module>(Arguments...)>*) {
  std::uint64_t mixed = sizeof(Module);
  ((mixed = mixed * 1'099'511'628'211u + sizeof(std::remove_reference_t<Arguments>)), ...);
  return mixed;
}

class BlockFactories {
 public:
  /// Registers a factory. Throws std::invalid_argument if the block already has one.
  template <class Factory>
  void add(const BlockSlot<Factory>& slot, std::common_type_t<Factory> make) {
    insert(slot.name, {std::move(make), layout_of(static_cast<const Factory*>(nullptr))});
  }
  /// Returns the factory of a block, or null if the block is not replaced. Throws std::invalid_argument if the factory
  /// was built against other headers.
  template <class Factory>
  const Factory* find(const BlockSlot<Factory>& slot) const {
    const auto found = entries_.find(slot.name);
    if (found == entries_.end()) return nullptr;
    const auto* make = std::any_cast<Factory>(&found->second.make);
    if (make == nullptr || found->second.layout != layout_of(static_cast<const Factory*>(nullptr)))
      throw std::invalid_argument(std::string("block ") + slot.name +
                                  " of a plugin is not of the type that it is here (legal: built against this version)");
    return make;
  }
  std::vector<std::string> names() const;
  /// Adds all factories of `others`, or the one called `name`. Throws std::invalid_argument if the name is unknown or
  /// already registered.
  void add(const BlockFactories& others);
  void add(const BlockFactories& others, const std::string& name);

  /// Registers of RTL begin with random values of this seed, or with zeros if it is 0. A plug-in reads it when it adds its
  /// blocks.
  void random_registers(std::uint64_t seed) { register_seed_ = seed; }
  std::uint64_t register_seed() const { return register_seed_; }
  /// Chooses the blocks in RTL that write all of their signals; null: none. A plug-in reads it when it adds its blocks.
  void trace_rtl(std::shared_ptr<RtlTraces> traces) { rtl_traces_ = std::move(traces); }
  const std::shared_ptr<RtlTraces>& rtl_traces() const { return rtl_traces_; }

  /// Observes instances of blocks, replaced or not.
  void observe(std::shared_ptr<BlockTap> tap) { taps_.push_back(std::move(tap)); }
  /// Returns the taps that observe instances of a block.
  std::vector<std::shared_ptr<BlockTap>> taps_of(const std::string& name) const;
  const std::vector<std::shared_ptr<BlockTap>>& taps() const { return taps_; }

 private:
  struct Entry {
    std::any make;
    std::uint64_t layout;
  };
  void insert(const std::string& name, const Entry& entry) {
    if (!entries_.emplace(name, entry).second) throw std::invalid_argument("block " + name + " is replaced twice");
  }

  std::map<std::string, Entry> entries_;
  std::vector<std::shared_ptr<BlockTap>> taps_;
  std::uint64_t register_seed_ = 0;
  std::shared_ptr<RtlTraces> rtl_traces_;
};

}  // namespace tributary
