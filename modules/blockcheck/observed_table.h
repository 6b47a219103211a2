#pragma once
/// ObservedTable: passes the transactions of a device to its table, and shows them to a monitor and to observers.
/// TableDriver: passes transactions that are made from values to a table.

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "modules/base/element_limits.h"
#include "modules/base/late_answer.h"
#include "modules/base/sysc/kernel_time.h"
#include "modules/base/sysc/table_socket.h"
#include "modules/base/transaction_timing.h"
#include "modules/blockcheck/core/late_forwarder.h"
#include "modules/blockcheck/core/late_watch.h"
#include "modules/blockcheck/core/observed_block.h"
#include "modules/blockcheck/core/observed_module.h"
#include "modules/blockcheck/core/shadow_pins.h"

namespace tributary {

/// True for transactions that a block may answer later.
template <class Transaction, class = void>
struct IsDeferrable : std::false_type {};
template <class Transaction>
struct IsDeferrable<Transaction, std::void_t<decltype(std::declval<Transaction&>().late.ticket)>> : std::true_type {};
/// True if the device may offer to receive the answer after the call.
template <class Transaction, class = void>
struct IsOffered : std::false_type {};
template <class Transaction>
struct IsOffered<Transaction, std::void_t<decltype(std::declval<Transaction&>().late->ticket)>> : std::true_type {};

/// Returns the member by which a block answers a transaction after the call; null if there is none.
template <class Transaction>
LateAnswer* late_of(Transaction& t) {
  if constexpr (IsDeferrable<Transaction>::value)
    return &t.late;
  else if constexpr (IsOffered<Transaction>::value)
    return t.late;
  else
    return nullptr;
}

/// True if the data of a deferred answer follow it.
template <class Transaction>
bool data_follow(const Transaction& t) {
  if constexpr (IsDeferrable<Transaction>::value) return t.late.data_follow;
  return false;
}

/// Clocks from a request to its answer that the device of a block that answers later counts: that of a combinator.
template <class Fields>
inline constexpr unsigned nominal_clocks = IsDeferrable<typename Fields::Transaction>::value ? 1 : 0;

/// `Fields` names the fields of the transaction (`*_fields.h`).
template <class Fields>
class ObservedTable : public TableModule<typename Fields::Transaction>,
                      public ElementLimits,
                      public DeferringBlock,
                      public ObservedModule {
 public:
  using Transaction = typename Fields::Transaction;
  using Monitor = TransactionMonitor<Transaction>;

  /// `monitor`: null if the answers are not checked. `clock`: period of the block's interface.
  ObservedTable(const sc_core::sc_module_name& name, std::unique_ptr<TableModule<Transaction>> table,
                BlockObservers observers, std::shared_ptr<Monitor> monitor = nullptr, Tick clock = 0)
      : TableModule<Transaction>(name),
        table_(std::move(table)),
        early_(dynamic_cast<const EarlyAnswers*>(table_.get())),
        observed_(std::move(observers)),
        monitor_(std::move(monitor)),
        nominal_(clock * nominal_clocks<Fields>) {
    out_.bind(table_->socket);
  }

  std::vector<std::string> waiting() const override { return table_->waiting(); }
  void reset() override {
    table_->reset();
    deferred_.clear();
    observed_.reset();
    if (monitor_) monitor_->restart();
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    table_->describe(directory, prefix);
    observed_.describe(directory);
  }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    tributary::check_elements(table_.get(), type, op, operands);
    observed_.check_elements(type, op, operands);
  }
  bool may_defer() const override {
    const auto* const facet = dynamic_cast<const DeferringBlock*>(table_.get());
    return facet != nullptr && facet->may_defer();
  }

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override {
    if (observed_.observed()) {
      FieldReader request(observed_.ask(fields_.time(t)));
      fields_.request(request, t);
    }
    if (monitor_) monitor_->ask(t, fields_.time(t));
    LateAnswer* const offered = late_of(t);
    LateAnswer* const late = observed_.observed() ? offered : nullptr;
    if (late != nullptr) late_.listen(*late);
    const bool watched = monitor_ && offered != nullptr && offered->listener != nullptr;
    if (watched) offered->listener = watch_.before(offered->listener);
    const Tick latency = out_.access(t);
    delay += sc_core::sc_time::from_value(latency);
    if (watched && offered->part != nullptr) offered->part = watch_.after(offered->part, offered->ticket, *monitor_);
    if (monitor_) monitor_->check(t, interval_of(t), latency);
    if (!observed_.observed()) return;
    const bool follows = late != nullptr && late->part != nullptr;
    if (follows) late_.forward(*late);
    if (follows && IsDeferrable<Transaction>::value) {  // the sum follows as well
      deferred_.emplace(late->ticket, t);
      return observed_.deferred(late->ticket, interval_of(t));
    }
    FieldReader answer(observed_.answer());
    fields_.answer(answer, t);
    follows ? observed_.deferred(late->ticket, interval_of(t))
            : observed_.answered(interval_of(t), latency, early_time(early_));
  }
  /// The answer of a deferred request is valid.
  void answered(Ticket ticket, Tick when) {
    BlockAccess* const access = observed_.waiting(ticket);
    if (access == nullptr) return;
    access->latency = when - std::min(when, access->time + nominal_);
    const auto at = deferred_.find(ticket);
    if (at == deferred_.end() || !data_follow(at->second)) completed(ticket);
  }
  void completed(Ticket ticket) {
    const auto at = deferred_.find(ticket);
    if (at != deferred_.end()) {
      if (BlockAccess* const access = observed_.waiting(ticket)) {
        FieldReader answer(access->answer);
        fields_.answer(answer, at->second);
      }
      deferred_.erase(at);
    }
    observed_.completed(ticket);
  }

  Fields fields_;
  std::unique_ptr<TableModule<Transaction>> table_;
  const EarlyAnswers* early_;  // null if the block is never early
  TableInitiator<Transaction> out_{"out"};
  ObservedBlock observed_;
  std::shared_ptr<Monitor> monitor_;
  LateWatch watch_;
  Tick nominal_;  // from a request to its answer, counted by the device
  LateForwarder late_{
      {[this](Ticket ticket, Tick when) { answered(ticket, when); }, [this](Ticket ticket) { completed(ticket); }}};
  std::map<Ticket, Transaction> deferred_;  // whose data follow
};

/// The parent of the table that it drives. A table in the kernel's time answers later.
template <class Fields>
class TableDriver : public sc_core::sc_module, public BlockDriver, private AnswerListener {
 public:
  using Transaction = typename Fields::Transaction;
  using Make = std::function<std::unique_ptr<TableModule<Transaction>>(const char* name)>;

  TableDriver(const sc_core::sc_module_name& name, const Make& make)
      : sc_module(name), table_(make("block")), early_(dynamic_cast<const EarlyAnswers*>(table_.get())) {
    out_.bind(table_->socket);
  }

  void access(const BlockAccess& asked, BlockAccess& got) override {
    begin(request_, asked);
    got.latency = out_.access(request_.t);
    got.early = early_time(early_);
    finish(request_, got);
  }
  bool answers_later() const override { return IsDeferrable<Transaction>::value && timed() != nullptr; }
  void access_later(const BlockAccess& asked, const Answered& answered) override {
    told_ = answered;
    Later& later = later_.emplace_back();
    later.told = answered;
    later.got.time = asked.time;
    begin(later.request, asked);
    later.ticket = ++ticket_;
    if constexpr (IsDeferrable<Transaction>::value) {
      later.request.t.late.ticket = later.ticket;
      later.request.t.late.listener = this;
    }
    const Tick latency = out_.access(later.request.t);
    if (is_deferred(later.request.t)) return;
    later.got.latency = latency;
    complete(std::prev(later_.end()));
  }
  bool part_failed(const std::string& why) override {
    if (!told_) return false;
    const Answered told = later_.empty() ? told_ : later_.front().told;
    later_.clear();
    told(nullptr, why);
    return true;
  }
  Tick pin_shift() const override { return timed() == nullptr ? 0 : timed()->shadow_shift(); }
  void reset() override {
    later_.clear();
    table_->reset();
  }
  void describe(ProbeDirectory& directory) override {
    ProbeDirectory all;
    table_->describe(all, std::string(table_->name()) + ".");
    add_pins(all, name(), directory);
  }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    tributary::check_elements(table_.get(), type, op, operands);
  }

 private:
  struct Request {
    Fields fields;
    FieldValues values;
    Transaction t;
  };
  struct Later {
    Request request;
    Ticket ticket = 0;
    BlockAccess got;
    Answered told;
  };
  using Place = typename std::list<Later>::iterator;

  const KernelTimePart* timed() const { return dynamic_cast<const KernelTimePart*>(table_.get()); }
  static bool is_deferred(const Transaction& t) {
    if constexpr (IsDeferrable<Transaction>::value) return t.late.part != nullptr;
    return false;
  }
  void begin(Request& r, const BlockAccess& asked) {
    r.values = asked.request;
    r.t = Transaction{};
    FieldSetter request(r.values);
    r.fields.request(request, r.t);
    r.fields.set_time(r.t, asked.time);
  }
  void finish(Request& r, BlockAccess& got) {
    got.interval = interval_of(r.t);
    FieldReader answer(got.answer);
    r.fields.answer(answer, r.t);
    r.fields.dispose(r.t);
  }
  Place find(Ticket ticket) {
    return std::find_if(later_.begin(), later_.end(), [&](const Later& l) { return l.ticket == ticket; });
  }
  void complete(Place at) {
    finish(at->request, at->got);
    at->told(&at->got, "");
    later_.erase(at);
  }
  void answered(Ticket ticket, Tick when) override {
    const Place at = find(ticket);
    if (at == later_.end()) return;
    at->got.latency = beyond_nominal(when - at->got.time, timed()->nominal_latency(), at->got.early.latency);
    if (!data_follow(at->request.t)) complete(at);
  }
  void completed(Ticket ticket) override {
    if (const Place at = find(ticket); at != later_.end()) complete(at);
  }

  // The requests outlive the table, which may keep their packets.
  Request request_;
  std::list<Later> later_;  // requests without an answer
  std::unique_ptr<TableModule<Transaction>> table_;
  const EarlyAnswers* early_;  // null if the block is never early
  TableInitiator<Transaction> out_{"out"};
  Answered told_;  // answer to the latest request
  Ticket ticket_ = 0;
};

}  // namespace tributary
