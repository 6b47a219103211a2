#pragma once
/// SizedCore: selects among instances of a core template by the number of ports.

#include <memory>
#include <utility>

namespace tributary {

/// `Core<ports>` serves up to `ports` ports; `narrow`, whose port sets are single words, is the fast one. `widest` is 0
/// where there are two instances.
template <template <unsigned> class Core, unsigned narrow, unsigned wide, unsigned widest = 0>
class SizedCore {
 public:
  /// Creates the narrowest core for `ports` ports from `arguments`. The core itself must refuse more than the
  /// widest has.
  template <class... Arguments>
  explicit SizedCore(unsigned ports, Arguments&&... arguments) {
    if (ports <= narrow)
      narrow_ = std::make_unique<Core<narrow>>(std::forward<Arguments>(arguments)...);
    else if (ports <= wide || widest == 0)
      wide_ = std::make_unique<Core<wide>>(std::forward<Arguments>(arguments)...);
    else
      widest_ = std::make_unique<Widest>(std::forward<Arguments>(arguments)...);
  }
  /// Calls f(core); f is compiled for all cores.
  template <class F>
  decltype(auto) with(F&& f) const {
    if (__builtin_expect(narrow_ != nullptr, 1)) return f(*narrow_);
    if constexpr (widest != 0)
      if (wide_ == nullptr) return f(*widest_);
    return f(*wide_);
  }

 private:
  using Widest = Core<widest != 0 ? widest : wide>;
  std::unique_ptr<Core<narrow>> narrow_;
  std::unique_ptr<Core<wide>> wide_;
  std::unique_ptr<Widest> widest_;
};

}  // namespace tributary
