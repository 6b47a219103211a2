#include "modules/base/sysc/at_target.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace tributary {
namespace {

bool in_thread() {
  const sc_core::sc_curr_proc_kind kind = sc_core::sc_get_current_process_handle().proc_kind();
  return kind == sc_core::SC_THREAD_PROC_ || kind == sc_core::SC_CTHREAD_PROC_;
}

/// A transaction that is completed without END_RESP waits in the queue under this phase.
constexpr tlm::tlm_phase_enum completed = tlm::END_RESP;

}  // namespace

AtTarget::AtTarget(const sc_core::sc_module_name& name, std::uint32_t burst)
    : sc_module(name), burst_(burst), phases_("phases", this, &AtTarget::on_phase) {
  in.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  out.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  SC_HAS_PROCESS(AtTarget);
  SC_METHOD(request_next);
  sensitive << begin_;
  dont_initialize();
}

/// Extensions of bursts that are still in flight belong to their initiators.
AtTarget::~AtTarget() {
  for (const auto& burst : payloads_)
    for (unsigned i = 0; burst->access != nullptr && i < tlm::max_num_extensions(); ++i) burst->set_extension(i, nullptr);
}

void AtTarget::b_transport(Payload& payload, sc_core::sc_time& delay) {
  if (DeferredAnswer::in_kernel_time(payload) && transport_for_device(payload, delay)) return;
  Access access(payload);
  if (in_thread())
    transport_in_thread(access, delay);
  else
    transport_at_once(access, delay);
  payload.set_response_status(access.status);
}

/// Returns false if the target must answer within the call.
bool AtTarget::transport_for_device(Payload& payload, const sc_core::sc_time& delay) {
  const bool copies = !is_timing_only(payload);
  if (copies && out->transport_dbg(payload) != payload.get_data_length()) return false;
  if (const auto request = DeferredAnswer::defer(payload, *this)) return defer(payload, delay, *request), true;
  if (!copies && out->transport_dbg(payload) != payload.get_data_length()) return false;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return true;
}

/// The payload belongs to the device, which uses it again.
void AtTarget::defer(const Payload& payload, const sc_core::sc_time& delay, const DeferredAnswer::Request& request) {
  devices_.push_back(std::make_unique<DeviceAccess>());
  DeviceAccess& access = *devices_.back();
  access.request = request;
  access.payload.set_command(payload.get_command());
  access.payload.set_address(payload.get_address());
  access.data.reset(new unsigned char[payload.get_data_length()]);
  access.payload.set_data_ptr(access.data.get());
  access.payload.set_data_length(payload.get_data_length());
  access.payload.set_streaming_width(payload.get_data_length());
  access.payload.set_extension<TimingOnly>(&mark_);
  for (Burst* burst : bursts_of(access)) {
    burst->begin = sc_core::sc_time_stamp() + delay;
    waiting_.push_back(burst);
  }
  request_next();
}

void AtTarget::transport_in_thread(Access& access, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  for (Burst* burst : bursts_of(access)) waiting_.push_back(burst);
  request_next();
  while (access.left != 0) sc_core::wait(access.done);
}

/// Requests the bursts one after another, each when the one before has responded.
void AtTarget::transport_at_once(Access& access, sc_core::sc_time& delay) {
  sc_core::sc_time now = delay;
  bool first = true;
  if (request_ != nullptr) refuse_late_answer();
  for (Burst* burst : bursts_of(access)) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    request_ = burst;
    const tlm::tlm_sync_enum answer = out->nb_transport_fw(*burst, phase, now);
    const bool responds = answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP;
    if (answer != tlm::TLM_COMPLETED && !responds) refuse_late_answer();
    if (std::exchange(first, false)) delay = now;
    if (responds) {
      phase = tlm::END_RESP;
      sc_core::sc_time at = now;
      out->nb_transport_fw(*burst, phase, at);
    }
    request_ = nullptr;
    finish(*burst);
  }
}

/// A burst ends at a multiple of its length, as in DRAM. Accesses with byte enables or a streaming width are not split.
std::vector<AtTarget::Burst*> AtTarget::bursts_of(Access& access) {
  const Payload& whole = access.whole;
  const std::uint64_t length = whole.get_data_length();
  const bool split = burst_ != 0 && whole.get_byte_enable_ptr() == nullptr && whole.get_streaming_width() >= length;
  std::vector<Burst*> bursts;
  std::uint64_t offset = 0;
  do {
    const std::uint64_t left = length - offset;
    const std::uint64_t bytes =
        split ? std::min<std::uint64_t>(left, burst_ - (whole.get_address() + offset) % burst_) : left;
    bursts.push_back(make(access, offset, bytes));
    offset += bytes;
  } while (offset < length);
  access.left = bursts.size();
  return bursts;
}

AtTarget::Burst* AtTarget::make(Access& access, std::uint64_t offset, std::uint64_t bytes) {
  if (idle_.empty()) {
    payloads_.push_back(std::make_unique<Burst>(static_cast<tlm::tlm_mm_interface*>(this)));
    idle_.push_back(payloads_.back().get());
  }
  Burst* const burst = idle_.back();
  idle_.pop_back();
  Payload& whole = access.whole;
  burst->access = &access;
  burst->begin = sc_core::SC_ZERO_TIME;
  burst->acquire();
  burst->set_command(whole.get_command());
  burst->set_address(whole.get_address() + offset);
  burst->set_data_ptr(whole.get_data_ptr() == nullptr ? nullptr : whole.get_data_ptr() + offset);
  burst->set_data_length(static_cast<unsigned>(bytes));
  burst->set_streaming_width(std::min(whole.get_streaming_width(), static_cast<unsigned>(bytes)));
  burst->set_byte_enable_ptr(whole.get_byte_enable_ptr());
  burst->set_byte_enable_length(whole.get_byte_enable_length());
  burst->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  burst->set_dmi_allowed(false);
  whole.resize_extensions(), burst->resize_extensions();
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i)
    if (auto* const extension = whole.get_extension(i)) burst->set_extension(i, extension);
  return burst;
}

/// A burst may be requested when the request before has ended.
void AtTarget::request_next() {
  if (request_ != nullptr || waiting_.empty()) return;
  Burst* const burst = waiting_.front();
  if (burst->begin > sc_core::sc_time_stamp()) return begin_.notify(burst->begin - sc_core::sc_time_stamp());
  waiting_.pop_front();
  request_ = burst;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = out->nb_transport_fw(*burst, phase, delay);
  if (answer == tlm::TLM_UPDATED) phases_.notify(*burst, phase, delay);
  if (answer == tlm::TLM_COMPLETED) phases_.notify(*burst, completed, delay);
}

/// Phases take effect at their own times. Extended phases are ignored.
tlm::tlm_sync_enum AtTarget::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) phases_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

/// BEGIN_RESP also ends the request, if END_REQ was left out.
void AtTarget::on_phase(Payload& payload, const tlm::tlm_phase& phase) {
  if (request_ == &payload) request_ = nullptr;
  if (phase == tlm::BEGIN_RESP) {
    tlm::tlm_phase end = tlm::END_RESP;
    sc_core::sc_time none = sc_core::SC_ZERO_TIME;
    out->nb_transport_fw(payload, end, none);
  }
  if (phase != tlm::END_REQ) finish(static_cast<Burst&>(payload));
  request_next();
}

void AtTarget::finish(Burst& burst) {
  Access& access = *burst.access;
  if (access.status == tlm::TLM_OK_RESPONSE) access.status = burst.get_response_status();
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i)
    if (auto* const extension = access.whole.get_extension(i); extension == burst.get_extension(i))
      burst.set_extension(i, nullptr);
  burst.access = nullptr;
  burst.release();
  const bool last = --access.left == 0;
  if (last) access.done.notify(sc_core::SC_ZERO_TIME);
  if (access.request.listener != nullptr) answer(access);
  if (!last) return;
  const auto of_device = std::find_if(devices_.begin(), devices_.end(), [&](const auto& d) { return d.get() == &access; });
  if (of_device != devices_.end()) devices_.erase(of_device);
}

/// The first burst of a device's access has responded.
void AtTarget::answer(Access& access) {
  if (access.status != tlm::TLM_OK_RESPONSE) {
    access.whole.set_response_status(access.status);
    throw std::runtime_error("the target bound to " + std::string(out.name()) + " refused a request (" +
                             access.whole.get_response_string() + ")");
  }
  const DeferredAnswer::Request request = std::exchange(access.request, {0, nullptr});
  request.listener->answered(request.ticket, sc_core::sc_time_stamp().value());
}

std::size_t AtTarget::unanswered() const {
  return static_cast<std::size_t>(
      std::count_if(devices_.begin(), devices_.end(), [](const auto& d) { return d->request.listener != nullptr; }));
}

void AtTarget::forget() {
  for (const auto& access : devices_) access->request.listener = nullptr;
}

/// The target has released a burst, too.
void AtTarget::free(Payload* payload) {
  payload->reset();
  idle_.push_back(static_cast<Burst*>(payload));
}

void AtTarget::refuse_late_answer() {
  throw std::logic_error(
      "the target bound to " + std::string(out.name()) +
      " answers after nb_transport_fw has returned, and a device cannot wait; legal: TLM_COMPLETED, or TLM_UPDATED with "
      "BEGIN_RESP and an annotated time; in kernel time also an answer to a request, and data by transport_dbg");
}

tlm::tlm_sync_enum AtTarget::nb_transport_fw(Payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  throw std::logic_error(std::string(name()) + " accepts b_transport only");
}

bool AtTarget::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& direct) {
  return out->get_direct_mem_ptr(payload, direct);
}

void AtTarget::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  in->invalidate_direct_mem_ptr(first, last);
}

}  // namespace tributary
