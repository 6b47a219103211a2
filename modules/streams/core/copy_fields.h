#pragma once
/// The calls of a copy engine as transactions, and their fields by name (docs/block_records.md#copy-engine).

#include <vector>

#include "modules/base/field_values.h"
#include "modules/streams/core/copy_command.h"

namespace tributary {

/// A call of the engine while it processes an input.
struct CopyCall {
  enum class Kind : std::uint8_t { memory, burst, done };
  Kind kind = Kind::memory;
  Tick time = 0;
  Tick latency = 0;  ///< memory
  Burst burst;       ///< burst
  std::uint32_t copy = 0;
};

/// An input of the engine, and the calls with which it answers.
struct CopyInput {
  enum class Kind : std::uint8_t { submit, room, left };
  Kind kind = Kind::submit;
  Tick now = 0;
  CopyCommand command;   ///< submit
  Burst burst;           ///< room, left
  bool accepts = false;  ///< submit: the engine accepts another copy immediately
  std::vector<CopyCall> calls;
};

class CopyFields {
 public:
  void request(FieldVisitor& v, CopyInput& input) const;
  void answer(FieldVisitor& v, const CopyInput& input) const;
  /// Returns the latencies of the memory in an answer, in order.
  static std::vector<Tick> latencies(const FieldValues& answer);
};

}  // namespace tributary
