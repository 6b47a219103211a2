#pragma once
/// Arena: storage shared by the devices of one platform, so that each device finds it in the cache. Platforms never share
/// an arena, so that two platforms in one process are independent.

#include <map>
#include <memory>
#include <typeindex>

namespace tributary {

/// A handle: copies refer to the same arena. A device that gets no arena creates its own. Not thread-safe.
class Arena {
 public:
  /// Returns the arena's only T, created on first use; it lives as long as any handle.
  template <class T>
  T& of() const {
    std::shared_ptr<void>& part = (*parts_)[typeid(T)];
    if (part == nullptr) part = std::make_shared<T>();
    return *static_cast<T*>(part.get());
  }

 private:
  using Parts = std::map<std::type_index, std::shared_ptr<void>>;
  std::shared_ptr<Parts> parts_ = std::make_shared<Parts>();
};

}  // namespace tributary
