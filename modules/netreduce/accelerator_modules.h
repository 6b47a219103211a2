#pragma once
/// Parts of an accelerator as modules with a socket each (Liu et al., 4, Fig. 8). Parts of the user's are modules of the
/// same base; core/accelerator_parts.h, ct_table.h and combinator.h define their requests.

#include <string>
#include <vector>

#include "modules/base/sysc/request_interval.h"
#include "modules/base/sysc/table_socket.h"
#include "modules/base/sysc/target_module.h"
#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/netreduce/core/payload_buffer.h"

namespace tributary {

// Instantiated once, in accelerator_modules.cpp: sockets are dear to compile.
extern template class TableInitiator<IcrcTransaction>;
extern template class TableModule<IcrcTransaction>;
extern template class TableInitiator<ClTransaction>;
extern template class TableModule<ClTransaction>;
extern template class TableInitiator<SlotTransaction>;
extern template class TableModule<SlotTransaction>;
extern template class TableInitiator<CtTransaction>;
extern template class TableModule<CtTransaction>;
extern template class TableInitiator<HeaderTransaction>;
extern template class TableModule<HeaderTransaction>;
extern template class TableInitiator<CombineTransaction>;
extern template class TableModule<CombineTransaction>;

/// A part of the model: a core with a socket.
template <class Transaction, class Core>
class PartModule : public TableModule<Transaction> {
 public:
  Core core;

  std::vector<std::string> waiting() const override { return {}; }

 protected:
  template <class... Arguments>
  explicit PartModule(const sc_core::sc_module_name& name, const Arguments&... arguments)
      : TableModule<Transaction>(name), core(arguments...) {}
  void b_transport(Transaction& t, sc_core::sc_time& delay) override {
    delay += sc_core::sc_time::from_value(core.access(t));
  }
};

class IcrcUnit : public PartModule<IcrcTransaction, IcrcCheck> {
 public:
  explicit IcrcUnit(const sc_core::sc_module_name& name, FrameChecking how = FrameChecking::flags,
                    const FrameFormat& format = {});
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;
};

class ConnectionLookupTable : public PartModule<ClTransaction, ConnectionLookup> {
 public:
  ConnectionLookupTable(const sc_core::sc_module_name& name, unsigned window, const AggregationParams& rules);
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;
};

class StateManager : public PartModule<SlotTransaction, SlotStates> {
 public:
  StateManager(const sc_core::sc_module_name& name, const AggregationParams& rules);
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;
};

inline CtTable::Config translation_config(const AcceleratorParams& p) { return {p.clock.value, p.ctt.targets.value_or(0)}; }

class ConnectionTranslationTable : public PartModule<CtTransaction, CtTable> {
 public:
  explicit ConnectionTranslationTable(const sc_core::sc_module_name& name, const CtTable::Config& config = {});
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;
};

class HeaderManager : public PartModule<HeaderTransaction, HeaderStore> {
 public:
  explicit HeaderManager(const sc_core::sc_module_name& name);
  void reset() override;
  void describe(ProbeDirectory&, const std::string&) override;
};

class CombinatorModule : public PartModule<CombineTransaction, Combinator> {
 public:
  CombinatorModule(const sc_core::sc_module_name& name, const AcceleratorParams& params);
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;
};

/// Generic payload: a transaction is the payload of a packet, and 64 B of it pass in a cycle. The delay grows by the latency
/// of its first beat beyond the pipeline's cycle, and RequestInterval by the time for which its bank is busy beyond its
/// beats; both are 0 here. Transactions without data only model time.
class PayloadBufferModule : public TargetModule<> {
 public:
  explicit PayloadBufferModule(const sc_core::sc_module_name& name) : TargetModule(name) {}
  PayloadBuffer core;

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override;
};

}  // namespace tributary
