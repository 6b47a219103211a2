#pragma once
/// LateData: accepts data that follow the answer of a part.

#include <cstddef>
#include <string>

namespace tributary {

/// A transaction that allows it has a pointer to this. A part that uses it sets `complete` of the transaction to false.
class LateData {
 public:
  virtual ~LateData() = default;
  /// The data of an answer are complete. `data`: place in the transaction.
  virtual void data_complete(const std::byte* data) = 0;
  /// The part has broken a rule, and answers nothing more. Returns false if the run ends by the error.
  virtual bool part_failed(const std::string& /*why*/) { return false; }
};

}  // namespace tributary
