#pragma once
/// SizedCore: a core whose sets of ports are as wide as its number of ports needs.

#include <memory>
#include <utility>

namespace tributary {

/// `Core<ports>` for up to so many ports; `narrow`, in which these sets are single words, is the fast one.
template <template <unsigned> class Core, unsigned narrow, unsigned wide>
class SizedCore {
 public:
  /// The narrower for so many ports, made of `arguments`. More than `wide` are for that core to refuse.
  template <class... Arguments>
  explicit SizedCore(unsigned ports, Arguments&&... arguments) {
    if (ports <= narrow)
      narrow_ = std::make_unique<Core<narrow>>(std::forward<Arguments>(arguments)...);
    else
      wide_ = std::make_unique<Core<wide>>(std::forward<Arguments>(arguments)...);
  }
  /// f(core): compiled for both.
  template <class F>
  decltype(auto) with(F&& f) const {
    if (__builtin_expect(narrow_ != nullptr, 1)) return f(*narrow_);
    return f(*wide_);
  }

 private:
  std::unique_ptr<Core<narrow>> narrow_;
  std::unique_ptr<Core<wide>> wide_;
};

}  // namespace tributary
