#include "modules/gpu/memory.h"

#include <cstring>
#include <stdexcept>

#include "modules/base/host/streaming_copy.h"
#include "modules/base/random.h"
#include "modules/base/sysc/payload_access.h"
#include "modules/link/link_protocol.h"

namespace tributary {
namespace {
/// Reads of a GPU mostly ascend, but are too far apart among those of all GPUs for the processor's own prefetcher.
void prefetch(const std::byte* place) {
  constexpr std::size_t ahead = 512, line = 64;
  __builtin_prefetch(place + ahead);
  __builtin_prefetch(place + ahead + line);
}
}  // namespace

Memory::Memory(const sc_core::sc_module_name& name, const MemoryParams& params, std::uint64_t seed, std::uint32_t gpu)
    : MemoryModel(name), params_(params), gpu_(gpu) {
  Memory::reseed(seed);
  socket.bind(*this);
}

void Memory::resize(std::uint64_t bytes) {
  storage_.reset();
  if (bytes != 0) storage_ = make_large_buffer(bytes + stagger());  // not zeroed: each user fills it first
  bytes_ = bytes == 0 ? nullptr : storage_.get() + stagger();
  size_ = bytes;
}

/// Computes once what random_at(seed, stream, index) has in common for all accesses.
void Memory::reseed(std::uint64_t seed) {
  constexpr std::uint64_t stream = 0x6D656D6F7279;  // "memory"
  stream_ = mix64(mix64(seed) ^ (stream + gpu_));
}

void Memory::b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
  if (bytes_ != nullptr && !copy(t)) return t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  t.set_response_status(tlm::TLM_OK_RESPONSE);
  if (t.is_read()) add_latency(delay);
}

void Memory::add_latency(sc_core::sc_time& delay) {
  delay += to_sc_time(params_.latency.value + below(mix64(stream_ ^ index_++), params_.jitter.value));
}

bool Memory::copy(const tlm::tlm_generic_payload& t) {
  if (bytes_ == nullptr) return true;
  // A request of time may copy in vain: looking for its extension would cost each packet more.
  if (t.get_data_length() > size_ || t.get_address() > size_ - t.get_data_length()) return is_timing_only(t);
  auto* const data = reinterpret_cast<std::byte*>(t.get_data_ptr());
  std::byte* const place = bytes_ + t.get_address();
  if (t.is_read()) {
    prefetch(place);
    std::memcpy(data, place, t.get_data_length());
  }
  if (t.is_write()) copy_streaming(place, data, t.get_data_length());
  return true;
}

unsigned Memory::transport_dbg(tlm::tlm_generic_payload& t) { return copy(t) ? t.get_data_length() : 0; }

tlm::tlm_sync_enum Memory::nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  throw std::logic_error(std::string(name()) + " accepts b_transport only");
}

}  // namespace tributary
