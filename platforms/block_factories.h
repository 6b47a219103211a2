#pragma once
/// BlockFactories: modules of an architect's own, by the names of the blocks of a platform that they stand in for.

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

/// A block that can be replaced: its name, and the type of the factory that makes it. The blocks of a platform stand in
/// `blocks.h` of its folder.
template <class Factory>
struct BlockSlot {
  const char* name;
};

/// A row of `list blocks`.
struct BlockInfo {
  std::string name, about;
};

/// A number that differs where the sizes of what a factory takes and makes do: a library that was built against other
/// headers does not fit.
template <class Module, class... Arguments>
constexpr std::uint64_t layout_of(const std::function<std::unique_ptr<Module>(Arguments...)>*) {
  std::uint64_t mixed = sizeof(Module);
  ((mixed = mixed * 1'099'511'628'211u + sizeof(std::remove_reference_t<Arguments>)), ...);
  return mixed;
}

class BlockFactories {
 public:
  /// Throws std::invalid_argument when the block has a factory already.
  template <class Factory>
  void add(const BlockSlot<Factory>& slot, std::common_type_t<Factory> make) {
    insert(slot.name, {std::move(make), layout_of(static_cast<const Factory*>(nullptr))});
  }
  /// Null when the block stays as it is. Throws std::invalid_argument when the factory was built against other headers.
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
  /// Adds those of `others`, or the one that is named. Throws std::invalid_argument when it is not there, or here already.
  void add(const BlockFactories& others);
  void add(const BlockFactories& others, const std::string& name);

 private:
  struct Entry {
    std::any make;
    std::uint64_t layout;
  };
  void insert(const std::string& name, const Entry& entry) {
    if (!entries_.emplace(name, entry).second) throw std::invalid_argument("block " + name + " is replaced twice");
  }

  std::map<std::string, Entry> entries_;
};

}  // namespace tributary
