#pragma once
/// MemoryModel: what a platform needs of a GPU's memory beside its socket.

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <tlm>

namespace tributary {

/// A target of b_transport with the generic payload that adds its latency to the delay and returns at once; it never waits.
/// The delay of a read is the time after which its data are there, that of a write means nothing: a write is visible at
/// once. A null data pointer asks for the timing alone. A user's model binds `socket` to itself.
class MemoryModel : public sc_core::sc_module {
 public:
  /// Stays unbound at a GPU whose memory_socket the user binds.
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> socket{"socket"};

  /// Provides storage; without it (0 bytes) only timing is simulated.
  virtual void resize(std::uint64_t bytes) = 0;
  /// The bytes as they are now, from address 0 on: a host fills and reads them in no time. Null without storage.
  virtual std::byte* data() = 0;
  virtual std::uint64_t size() const = 0;
  virtual void reset() = 0;
  /// An operation of several begins, and no other is under way: random numbers are those that follow a reset().
  virtual void begin_operation() {}
  /// Other random numbers from now on.
  virtual void reseed(std::uint64_t) {}

 protected:
  explicit MemoryModel(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace tributary
