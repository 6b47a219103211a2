#pragma once
/// SizedCore: selects between two instances of a core template by the number of ports.

#include <memory>
#include <utility>

namespace tributary {

/// `Core<ports>` serves up to `ports` ports; `narrow`, whose port sets are single words, is the fast one.
template <template <unsigned> class Core, unsigned narrow, unsigned wide>
class SizedCore {
 public:
  /// Creates the narrowest core for `ports` ports from `arguments`. The core itself must refuse more than `wide` ports.
  template <class... Arguments>
  explicit SizedCore(unsigned ports, Arguments&&... arguments) {
    if (ports <= narrow)
      narrow_ = std::make_unique<Core<narrow>>(std::forward<Arguments>(arguments)...);
    else
      wide_ = std::make_unique<Core<wide>>(std::forward<Arguments>(arguments)...);
  }
  /// Calls f(core); f is compiled for both cores.
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
