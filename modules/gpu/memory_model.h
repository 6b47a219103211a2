#pragma once
/// MemoryModel: interface of a platform to a GPU's memory, besides its socket.

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <tlm>

namespace tributary {

/// A target of b_transport with the generic payload that adds its latency to the delay and returns immediately; it never
/// waits. The delay that a read adds is the time until its data are available; that of a write is ignored, as a write is
/// visible immediately. RequestInterval, if the model adds to it, keeps the memory busy for the next access. The data of an
/// access with TimingOnly (payload_access.h) do not matter. A user's model binds `socket` to itself.
class MemoryModel : public sc_core::sc_module {
 public:
  /// Unbound at a GPU whose memory_socket the user binds.
  tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> socket{"socket"};

  /// Allocates storage; with 0 bytes only timing is simulated.
  virtual void resize(std::uint64_t bytes) = 0;
  /// Returns the storage, which begins with address 0; null if there is none. A host reads and writes it in zero time.
  virtual std::byte* data() = 0;
  virtual std::uint64_t size() const = 0;
  virtual void reset() = 0;
  /// An operation begins while no other is in flight: restarts the random numbers as after reset().
  virtual void begin_operation() {}
  /// Changes the random seed.
  virtual void reseed(std::uint64_t) {}

 protected:
  explicit MemoryModel(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace tributary
