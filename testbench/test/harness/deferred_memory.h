#pragma once
/// DeferredMemory: a memory of a NIC or a server that answers requests in or after the call, at the same times.

#include <algorithm>
#include <deque>
#include <functional>

#include "modules/base/sysc/memory_module.h"
#include "modules/base/sysc/payload_access.h"
#include "modules/link/link_protocol.h"

namespace tributary {

/// Latency of an access at `address` that begins at `begin`.
using LatencyRule = std::function<Tick(std::uint64_t address, Tick begin)>;

enum class AnswerForm {
  annotated,  ///< within the call
  deferred,   ///< later, in the order of requests
  clocked,    ///< as deferred, with an edge each ns while a request waits
  unordered,  ///< later, in the order of their times
};

class DeferredMemory : public DirectMemory, private ClockedPart {
 public:
  /// `deferred`: counts the answers that follow later; may be null.
  DeferredMemory(const char* name, unsigned index, LatencyRule latency, AnswerForm form, unsigned* deferred = nullptr)
      : DirectMemory(name, Time{0}, index), latency_(std::move(latency)), form_(form), deferred_(deferred) {}

  void reset() override { waiting_.clear(); }

 private:
  struct Waiting {
    DeferredAnswer::Request request;
    Tick due;
  };

  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override {
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    const Tick begin = kernel_now() + delay.value(), latency = latency_(access.get_address(), begin);
    if (form_ != AnswerForm::annotated)
      if (const auto request = DeferredAnswer::defer(access, *this)) return defer(*request, begin, begin + latency);
    delay += to_sc_time(latency);
  }
  void defer(const DeferredAnswer::Request& request, Tick begin, Tick due) {
    if (waiting_.empty()) edge_ = begin;
    if (form_ != AnswerForm::unordered && !waiting_.empty()) due = std::max(due, waiting_.back().due);
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) { return w.due > due; });
    waiting_.insert(at, {request, due});
    if (deferred_ != nullptr) ++*deferred_;
  }
  Tick next() const override {
    if (waiting_.empty()) return never;
    return form_ == AnswerForm::clocked ? std::min(edge_, waiting_.front().due) : waiting_.front().due;
  }
  void advance(Tick to, AnswerListener& listener) override {
    while (edge_ <= to) edge_ += 1000;
    while (!waiting_.empty() && waiting_.front().due <= to) {
      const Waiting first = waiting_.front();
      waiting_.pop_front();
      listener.answered(first.request.ticket, first.due);
    }
  }
  bool out_of_order() const override { return form_ == AnswerForm::unordered; }

  LatencyRule latency_;
  AnswerForm form_;
  unsigned* deferred_;
  std::deque<Waiting> waiting_;  // in order of their times
  Tick edge_ = 0;
};

}  // namespace tributary
