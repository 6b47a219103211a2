#pragma once
/// Arena: storage that the devices of one platform use in turn, so that each finds it in the cache where the one before has
/// left it. Platforms do not share one, so two of them in a process do not know of each other.

#include <map>
#include <memory>
#include <typeindex>

namespace tributary {

/// A handle: copies mean the same arena. A device that is given none makes one of its own. Not for several threads.
class Arena {
 public:
  /// The one T of this arena, made when it is first asked for; stands while a handle does.
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
