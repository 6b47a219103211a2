#pragma once
/// ObservedTarget: passes the transactions of a device to a TargetModule, and shows them to a monitor and to observers.
/// TargetDriver: passes transactions that are made from values to a TargetModule.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element_limits.h"
#include "modules/base/sysc/deferred_answer.h"
#include "modules/base/sysc/request_interval.h"
#include "modules/base/sysc/target_module.h"
#include "modules/base/sysc/wait_error.h"
#include "modules/base/transaction_timing.h"
#include "modules/blockcheck/core/late_forwarder.h"
#include "modules/blockcheck/core/late_watch.h"
#include "modules/blockcheck/core/observed_block.h"
#include "modules/blockcheck/core/observed_module.h"
#include "modules/blockcheck/core/shadow_pins.h"

namespace tributary {

/// Initiator without a backward path.
template <class Protocol>
class TargetAccess : private tlm::tlm_bw_transport_if<Protocol> {
 public:
  using Transaction = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;

  explicit TargetAccess(TargetModule<Protocol>& target) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<Protocol>&>(*this));
    socket.bind(target.socket);
  }
  tlm::tlm_initiator_socket<32, Protocol> socket{"out"};

 private:
  tlm::tlm_sync_enum nb_transport_bw(Transaction&, Phase&, sc_core::sc_time&) override { return tlm::TLM_COMPLETED; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// LateAnswer of a transaction, in the form of DeferredAnswer.
struct LateAnswerView {
  LateAnswer* answer;

  explicit operator bool() const { return answer != nullptr; }
  AnswerListener* listener() const { return answer->listener; }
  void set_listener(AnswerListener* listener) const { answer->listener = listener; }
  ClockedPart* part() const { return answer->part; }
  void set_part(ClockedPart& part) const { answer->part = &part; }
  bool data_follow() const { return answer->data_follow; }
  Ticket ticket() const { return answer->ticket; }
  const LateAnswerView* operator->() const { return this; }
  const LateAnswerView& operator*() const { return *this; }
};
/// Returns the member or extension by which a target answers an access later; null if it answers within the call.
template <class Transaction>
LateAnswerView late_answer_of(Transaction& t) {
  return {t.late.listener == nullptr ? nullptr : &t.late};
}
inline DeferredAnswer* late_answer_of(tlm::tlm_generic_payload& access) {
  return DeferredAnswer::is_offered(access) ? access.get_extension<DeferredAnswer>() : nullptr;
}

template <class Protocol, class Fields>
class ObservedTarget : public TargetModule<Protocol>, public ElementLimits, public DeferringBlock, public ObservedModule {
 public:
  using Transaction = typename Protocol::tlm_payload_type;
  using Monitor = TransactionMonitor<typename Fields::Monitored>;

  /// `monitor`: null if the answers are not checked.
  ObservedTarget(const sc_core::sc_module_name& name, std::unique_ptr<TargetModule<Protocol>> target,
                 BlockObservers observers, std::shared_ptr<Monitor> monitor = nullptr)
      : TargetModule<Protocol>(name),
        target_(std::move(target)),
        early_(dynamic_cast<const EarlyAnswers*>(target_.get())),
        out_(*target_),
        observed_(std::move(observers)),
        monitor_(std::move(monitor)) {}

  std::vector<std::string> waiting() const override { return target_->waiting(); }
  void reset() override {
    target_->reset();
    observed_.reset();
    if (monitor_) monitor_->restart();
  }
  void describe(ProbeDirectory& directory) override {
    target_->describe(directory);
    observed_.describe(directory);
  }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    tributary::check_elements(target_.get(), type, op, operands);
    observed_.check_elements(type, op, operands);
  }
  bool may_defer() const override {
    const auto* const facet = dynamic_cast<const DeferringBlock*>(target_.get());
    return facet != nullptr && facet->may_defer();
  }

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override {
    // The time of the kernel depends on how far devices run ahead.
    if (fields_.timed(t)) time_ = (sc_core::sc_time_stamp() + delay).value();
    if (observed_.observed()) {
      FieldReader request(observed_.ask(time_));
      fields_.request(request, t);
    }
    if (monitor_) monitor_->ask(Fields::monitored(t), time_);
    const sc_core::sc_time before = delay;
    const auto late = late_answer_of(t);
    AnswerListener* const device = late ? late->listener() : nullptr;
    if (late) late->set_listener(listen(device));
    out_.socket->b_transport(t, delay);
    if (late) late->set_listener(device);
    const bool follows = late && late->part() != nullptr;
    if (follows) forward(*late);
    const Tick latency = (delay - before).value();
    if (monitor_) monitor_->check(Fields::monitored(t), interval_of(t), latency);
    if (!observed_.observed()) return;
    FieldReader answer(observed_.answer());
    fields_.answer(answer, t);
    follows ? observed_.deferred(late->ticket(), interval_of(t))
            : observed_.answered(interval_of(t), latency, early_time(early_));
  }
  /// Returns the listener of the block: the monitor is shown an answer first, then the observers, then the device.
  AnswerListener* listen(AnswerListener* device) {
    if (observed_.observed()) device = late_.before(device);
    return monitor_ ? watch_.before(device) : device;
  }
  /// The block has deferred its answer. The device is given the part that shows it.
  template <class Late>
  void forward(Late& late) {
    if (observed_.observed() && late.data_follow())
      throw std::invalid_argument(std::string(target_->name()) +
                                  ": the data of its answers follow, so it can be neither recorded nor compared");
    ClockedPart* part = late.part();
    if (monitor_) part = watch_.after(part, late.ticket(), *monitor_);
    late.set_part(observed_.observed() ? *late_.after(part) : *part);
  }
  void answered(Ticket ticket, Tick when) {
    if (BlockAccess* const access = observed_.waiting(ticket)) access->latency = when - std::min(when, access->time);
    observed_.completed(ticket);
  }
  bool get_direct_mem_ptr(Transaction& t, tlm::tlm_dmi& dmi) override { return out_.socket->get_direct_mem_ptr(t, dmi); }
  unsigned transport_dbg(Transaction& t) override { return out_.socket->transport_dbg(t); }

  Fields fields_;
  std::unique_ptr<TargetModule<Protocol>> target_;
  const EarlyAnswers* early_;  // null if the block is never early
  TargetAccess<Protocol> out_;
  ObservedBlock observed_;
  std::shared_ptr<Monitor> monitor_;
  LateWatch watch_;
  LateForwarder late_{{[this](Ticket ticket, Tick when) { answered(ticket, when); }, [](Ticket) {}}};
  Tick time_ = 0;
};

/// The parent of the module that it drives.
template <class Protocol, class Fields>
class TargetDriver : public sc_core::sc_module, public BlockDriver {
 public:
  using Transaction = typename Protocol::tlm_payload_type;
  using Make = std::function<std::unique_ptr<TargetModule<Protocol>>(const char* name)>;

  TargetDriver(const sc_core::sc_module_name& name, const Make& make, Fields fields = {})
      : sc_module(name),
        fields_(std::move(fields)),
        target_(make("block")),
        early_(dynamic_cast<const EarlyAnswers*>(target_.get())),
        out_(*target_) {}

  void access(const BlockAccess& asked, BlockAccess& got) override {
    values_ = asked.request;
    Transaction t{};
    FieldSetter request(values_);
    fields_.request(request, t);
    const Tick kernel = sc_core::sc_time_stamp().value();
    const Tick ahead = asked.time > kernel ? asked.time - kernel : 0;
    sc_core::sc_time delay = sc_core::sc_time::from_value(ahead);
    try {
      out_.socket->b_transport(t, delay);
    } catch (const sc_core::sc_report& report) {
      report_wait(report, "block", out_.socket.name());
    }
    got.latency = delay.value() - ahead;
    got.interval = interval_of(t);
    got.early = early_time(early_);
    FieldReader answer(got.answer);
    fields_.answer(answer, t);
    fields_.dispose(t);
  }
  void reset() override { target_->reset(); }
  void describe(ProbeDirectory& directory) override {
    ProbeDirectory all;
    target_->describe(all);
    add_pins(all, name(), directory);
  }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    tributary::check_elements(target_.get(), type, op, operands);
  }

 private:
  Fields fields_;
  std::unique_ptr<TargetModule<Protocol>> target_;
  const EarlyAnswers* early_;  // null if the block is never early
  TargetAccess<Protocol> out_;
  FieldValues values_;
};

}  // namespace tributary
