#include "modules/base/sysc/payload_access.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "modules/base/sysc/wait_error.h"

namespace tributary {
namespace {

/// Accepts payloads that are given back, and keeps them.
struct Owner : tlm::tlm_mm_interface {
  void free(tlm::tlm_generic_payload*) override {}
};

/// Removes what a call that an exception has ended has left in a payload: simple_target_socket puts a memory manager and an
/// extension there that lie on its stack, which is gone. Returns true if there was a memory manager.
bool clean(tlm::tlm_generic_payload& payload) {
  payload.resize_extensions();
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i) payload.set_extension(i, nullptr);
  const bool managed = payload.has_mm();
  Owner owner;
  payload.set_mm(&owner);
  while (payload.get_ref_count() > 0) payload.release();
  payload.set_mm(nullptr);
  return managed;
}

std::string target(const char* kind, const char* socket) { return std::string("the ") + kind + " bound to " + socket; }

}  // namespace

std::byte* PayloadAccess::direct_memory(Socket& socket, std::uint64_t bytes) {
  payload_.set_command(tlm::TLM_WRITE_COMMAND);
  payload_.set_address(0);
  tlm::tlm_dmi direct;
  const bool granted = socket->get_direct_mem_ptr(payload_, direct) && direct.is_read_write_allowed() &&
                       direct.get_start_address() == 0 && (bytes == 0 || direct.get_end_address() >= bytes - 1);
  return granted ? reinterpret_cast<std::byte*>(direct.get_dmi_ptr()) : nullptr;
}

/// Adds or removes the mark, and offers a late answer. A payload without data has the scratch buffer, at least one byte, and
/// a length of 32 bits.
void PayloadAccess::extend(bool timing_only, std::uint64_t bytes) {
  if (answers_ != nullptr) deferred_.begin(offers_ && (timing_only || with_data_));
  if (timing_only && !timing_only_) payload_.set_extension<TimingOnly>(&mark_);
  if (!timing_only && timing_only_) payload_.clear_extension<TimingOnly>();
  timing_only_ = timing_only;
  special_ = timing_only || answers_ != nullptr;
  if (!timing_only) return;
  bytes = std::clamp<std::uint64_t>(bytes, 1, ~0u);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(scratch_.of(bytes)));
  payload_.set_data_length(static_cast<unsigned>(bytes));
  payload_.set_streaming_width(static_cast<unsigned>(bytes));
}

/// Call in the handler of an exception.
void PayloadAccess::fail(const char* socket) {
  const bool converts = clean(payload_);
  payload_.set_extension<RequestInterval>(&interval_);
  if (answers_ != nullptr) payload_.set_extension<DeferredAnswer>(&deferred_);
  timing_only_ = false;
  special_ = answers_ != nullptr;
  try {
    throw;
  } catch (const sc_core::sc_report& report) {
    const bool lacks = std::strstr(report.get_msg(), "no blocking transport callback") != nullptr;
    if (converts || lacks)
      throw std::logic_error(target(kind_, socket) + " has no b_transport" + (converts ? ", only nb_transport_fw" : "") +
                             "; legal: a target with b_transport, or an AtTarget in between");
    report_wait(report, kind_, socket);
  }
}

void PayloadAccess::refuse_delay(const char* socket) const {
  throw std::logic_error(target(kind_, socket) + " reduces the delay of b_transport; legal: add to it");
}

void PayloadAccess::refuse_response(const char* socket, const char* what) const {
  const bool none = payload_.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE;
  throw std::runtime_error(target(kind_, socket) + (none ? " gave no response to " : " refused ") + what + " (" +
                           response() + ")");
}

}  // namespace tributary
