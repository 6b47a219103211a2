#pragma once
/// PartPlace: the place for the devices of a family in a platform of another family.

namespace tributary {

/// Both families know a type that is derived from it.
class PartPlace {
 public:
  virtual ~PartPlace() = default;
};

}  // namespace tributary
