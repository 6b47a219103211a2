#pragma once
/// LateGpuMemory: a memory of a GPU of an NVSwitch machine that answers reads in or after the call, at the same times.

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "modules/base/sysc/payload_access.h"
#include "modules/gpu/memory_model.h"
#include "modules/link/link_protocol.h"
#include "testbench/test/harness/deferred_memory.h"
#include "testbench/test/harness/late_queue.h"

namespace tributary {

class LateGpuMemory final : public MemoryModel, private tlm::tlm_fw_transport_if<>, private ClockedPart {
 public:
  LateGpuMemory(const char* name, LatencyRule latency, AnswerForm form, AnswerFault fault = AnswerFault::none)
      : MemoryModel(name), latency_(std::move(latency)), form_(form), fault_(fault) {
    socket.bind(*this);
  }

  void resize(std::uint64_t bytes) override { bytes_.assign(bytes, std::byte{}); }
  std::byte* data() override { return bytes_.empty() ? nullptr : bytes_.data(); }
  std::uint64_t size() const override { return bytes_.size(); }
  void reset() override { waiting_.clear(); }

 private:
  struct Waiting {
    Ticket ticket;
    Tick due;
  };

  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!bytes_.empty()) transport_dbg(access);
    if (!access.is_read()) return;
    const Tick begin = kernel_now() + delay.value(), latency = latency_(access.get_address(), begin);
    if (form_ != AnswerForm::annotated)
      if (const auto request = DeferredAnswer::defer(access, *this)) return defer(request->ticket, begin, begin + latency);
    delay += to_sc_time(latency);
  }
  void defer(Ticket ticket, Tick begin, Tick due) {
    if (waiting_.empty()) edge_ = begin;
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.due > due; });
    waiting_.insert(at, {ticket, due});
  }
  Tick next() const override {
    if (waiting_.empty()) return never;
    return form_ == AnswerForm::clocked ? std::min(edge_, waiting_.front().due) : waiting_.front().due;
  }
  void advance(Tick to, AnswerListener& listener) override {
    while (edge_ <= to) edge_ += 1000;
    if (fault_ == AnswerFault::order && waiting_.size() > 1 && waiting_.front().due <= to)
      std::swap(waiting_[0].ticket, waiting_[1].ticket);
    while (!waiting_.empty() && waiting_.front().due <= to) {
      const Waiting first = waiting_.front();
      waiting_.pop_front();
      listener.answered(first.ticket, fault_ == AnswerFault::early ? first.due - 1 : first.due);
      if (fault_ == AnswerFault::unknown) listener.answered(first.ticket, first.due);
    }
  }
  bool out_of_order() const override { return form_ == AnswerForm::unordered; }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& access) override {
    std::byte* const place = bytes_.data() + access.get_address();
    auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
    const unsigned length = access.get_data_length();
    if (access.get_address() + length > bytes_.size()) return 0;
    access.is_read() ? std::memcpy(data, place, length) : std::memcpy(place, data, length);
    return length;
  }

  LatencyRule latency_;
  AnswerForm form_;
  AnswerFault fault_;
  std::vector<std::byte> bytes_;
  std::deque<Waiting> waiting_;  // in order of their times
  Tick edge_ = 0;
};

}  // namespace tributary
