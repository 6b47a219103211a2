#pragma once
/// ObservedTable: passes the transactions of a device to its table, and shows them to a monitor and to observers.
/// TableDriver: passes transactions that are made from values to a table.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/element_limits.h"
#include "modules/base/sysc/table_socket.h"
#include "modules/base/transaction_timing.h"
#include "modules/blockcheck/core/observed_block.h"
#include "modules/blockcheck/core/shadow_pins.h"

namespace tributary {

/// `Fields` names the fields of the transaction (`*_fields.h`).
template <class Fields>
class ObservedTable : public TableModule<typename Fields::Transaction>, public ElementLimits {
 public:
  using Transaction = typename Fields::Transaction;
  using Monitor = TransactionMonitor<Transaction>;

  /// `monitor`: null if the answers are not checked.
  ObservedTable(const sc_core::sc_module_name& name, std::unique_ptr<TableModule<Transaction>> table,
                BlockObservers observers, std::shared_ptr<Monitor> monitor = nullptr)
      : TableModule<Transaction>(name),
        table_(std::move(table)),
        observed_(std::move(observers)),
        monitor_(std::move(monitor)) {
    out_.bind(table_->socket);
  }

  std::vector<std::string> waiting() const override { return table_->waiting(); }
  void reset() override {
    table_->reset();
    observed_.reset();
    if (monitor_) monitor_->reset();
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    table_->describe(directory, prefix);
    observed_.describe(directory);
  }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    tributary::check_elements(table_.get(), type, op, operands);
    observed_.check_elements(type, op, operands);
  }

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override {
    if (observed_.observed()) {
      FieldReader request(observed_.ask(fields_.time(t)));
      fields_.request(request, t);
    }
    if (monitor_) monitor_->ask(t, fields_.time(t));
    const Tick latency = out_.access(t);
    delay += sc_core::sc_time::from_value(latency);
    if (monitor_) monitor_->check(t, interval_of(t), latency);
    if (!observed_.observed()) return;
    FieldReader answer(observed_.answer());
    fields_.answer(answer, t);
    observed_.answered(interval_of(t), latency);
  }

  Fields fields_;
  std::unique_ptr<TableModule<Transaction>> table_;
  TableInitiator<Transaction> out_{"out"};
  ObservedBlock observed_;
  std::shared_ptr<Monitor> monitor_;
};

/// The parent of the table that it drives.
template <class Fields>
class TableDriver : public sc_core::sc_module, public BlockDriver {
 public:
  using Transaction = typename Fields::Transaction;
  using Make = std::function<std::unique_ptr<TableModule<Transaction>>(const char* name)>;

  TableDriver(const sc_core::sc_module_name& name, const Make& make) : sc_module(name), table_(make("block")) {
    out_.bind(table_->socket);
  }

  void access(const BlockAccess& asked, BlockAccess& got) override {
    values_ = asked.request;
    Transaction t{};
    FieldSetter request(values_);
    fields_.request(request, t);
    fields_.set_time(t, asked.time);
    got.latency = out_.access(t);
    got.interval = interval_of(t);
    FieldReader answer(got.answer);
    fields_.answer(answer, t);
    fields_.dispose(t);
  }
  void reset() override { table_->reset(); }
  void describe(ProbeDirectory& directory) override {
    ProbeDirectory all;
    table_->describe(all, std::string(table_->name()) + ".");
    add_pins(all, name(), directory);
  }
  void check_elements(ElementType type, ReduceOp op, unsigned operands) const override {
    tributary::check_elements(table_.get(), type, op, operands);
  }

 private:
  Fields fields_;
  std::unique_ptr<TableModule<Transaction>> table_;
  TableInitiator<Transaction> out_{"out"};
  FieldValues values_;
};

}  // namespace tributary
