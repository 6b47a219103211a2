#pragma once
/// ChunkSums: partial sums of a NIC for observers: the first element of each, operand by operand.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "modules/base/element.h"
#include "modules/packet/reduction_event.h"

namespace tributary {

/// A sum begins with the node's own chunk when the first chunk of a child is complete, grows by one operand when the
/// reduction unit has added one, is complete with the last, and ends when it is sent. Elements are added here in that
/// order, while data are added packet by packet on arrival. Stores nothing while it is not observed.
class ChunkSums {
 public:
  bool observed() const { return __builtin_expect(latest_.observed(), 0); }

  /// Begins an operation.
  void begin(std::uint16_t node, ElementType type, ReduceOp op);
  /// Records the first packet of a chunk from `from`: its data, and the sum in memory before they are added there.
  void operand(std::uint16_t chunk, std::uint16_t from, const std::byte* data, const std::byte* sum);
  /// A chunk is complete. `expected`: operands of the complete sum, the node's own included.
  void queued(Tick now, std::uint16_t chunk, std::size_t expected);
  void added(Tick now, std::uint16_t chunk, std::uint16_t from);
  void sent(Tick now, std::uint16_t chunk);
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  struct alignas(8) Element {
    std::array<std::byte, 8> bytes = {};
  };
  struct Sum {
    std::optional<Element> value = {};
    std::map<std::uint16_t, Element> operands = {};  // operands not yet added, by sender
    std::uint16_t count = 0, expected = 0;           // 0: not begun
  };
  Element element(const std::byte* data) const;
  void fire(Tick now, ReductionEvent::Kind kind, std::uint16_t chunk, const Sum& sum, std::uint16_t source,
            const Element* operand) const;

  std::uint16_t node_ = 0;
  ElementType type_ = ElementType::f32;
  ReduceOp op_ = ReduceOp::sum;
  std::map<std::uint16_t, Sum> sums_;  // by number of the chunk
  ReductionProbe latest_;
};

}  // namespace tributary
