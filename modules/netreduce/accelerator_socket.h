#pragma once
/// Sockets of an accelerator: the core calls a part of the model directly, and a part of the user's over its socket.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/sysc/payload_access.h"
#include "modules/netreduce/accelerator_modules.h"

namespace tributary {

template <class Transaction>
class PartSocket : private PartPort<Transaction> {
 public:
  using Module = TableModule<Transaction>;

  TableInitiator<Transaction> socket;

  explicit PartSocket(const char* name) : socket(name) {}

  /// Binds a part of the model: `core` is called without the socket.
  void bind(std::unique_ptr<Module> module, PartPort<Transaction>& core) {
    bind(std::move(module));
    core_ = &core;
  }
  /// Binds a part of the user's. If it is null, the user binds the socket.
  void bind(std::unique_ptr<Module> module) {
    module_ = std::move(module);
    if (module_ != nullptr) socket.bind(module_->socket);
  }
  PartPort<Transaction>& port() { return core_ != nullptr ? *core_ : *this; }
  /// True if the core calls `module` without the socket.
  bool calls_directly(const sc_core::sc_object& module) const { return core_ != nullptr && module_.get() == &module; }
  TableForward<Transaction>* part() const { return module_ != nullptr ? module_.get() : socket.table(); }

  void add_waiting(std::vector<std::string>& lines) const {
    if (part() == nullptr) return;
    for (const std::string& line : part()->waiting()) lines.push_back(line);
  }
  void reset() {
    if (part() != nullptr) part()->reset();
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    if (part() != nullptr) part()->describe(directory, prefix);
  }

 private:
  Tick access(Transaction& t) override { return socket.access(t); }

  std::unique_ptr<Module> module_;
  PartPort<Transaction>* core_ = nullptr;
};

/// Socket of the payload buffer, with generic payload.
class PayloadSocket : private PayloadPort, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<32> socket;

  explicit PayloadSocket(const char* name) : socket(name) { socket.bind(*this); }
  void bind(std::unique_ptr<TargetModule<>> module, PayloadPort* core = nullptr) {
    module_ = std::move(module);
    if (module_ != nullptr) socket.bind(module_->socket);
    core_ = core;
  }
  PayloadPort& port() { return core_ != nullptr ? *core_ : *this; }
  /// True if the core calls `module` without the socket.
  bool calls_directly(const sc_core::sc_object& module) const { return core_ != nullptr && module_.get() == &module; }
  TargetModule<>* part() const { return module_.get(); }
  /// Lets the buffer answer later: all reads and writes, and the data of a read after its answer.
  void offer(LateAnswers& answers) {
    access_.offer(answers, true);
    access_.let_data_follow();
  }

 private:
  Deferred deferred() const override { return {access_.part(), access_.data_follow()}; }
  void offer_next(bool later) override { access_.offer_next(later); }
  AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) override {
    return transport(tlm::TLM_WRITE_COMMAND, address, const_cast<std::byte*>(data), bytes, now);
  }
  AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) override {
    return transport(tlm::TLM_READ_COMMAND, address, data, bytes, now);
  }
  AccessTime transport(tlm::tlm_command command, std::uint64_t address, std::byte* data, unsigned bytes, Tick now);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::unique_ptr<TargetModule<>> module_;
  PayloadPort* core_ = nullptr;
  PayloadAccess access_{"payload buffer"};
};

}  // namespace tributary
