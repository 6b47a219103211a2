#pragma once
/// ObservedModule: facet of a module that shows the transactions of a block.

namespace tributary {

class ObservedModule {
 public:
  virtual ~ObservedModule() = default;
};

}  // namespace tributary
