/// Copies of the model's blocks with a fault that the environment selects: ODD_BLOCK is the name of the block, ODD_FAULT is
/// `late` (one clock), `data` (a bit of a sum), `answer`, `throw`, or one of a single block, ODD_FIRST the number of the
/// transaction, from 0, at which it begins. ODD_STATE is `shared`, `kernel_time` or `process` for a table that needs one
/// lane.
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "modules/base/sysc/kernel_time.h"
#include "modules/base/sysc/shared_state.h"
#include "modules/netreduce/accelerator_modules.h"
#include "modules/nic/reduction_unit.h"
#include "modules/nic/schedule_table.h"
#include "modules/nvswitch/associative_reduction_table.h"
#include "modules/streams/copy_engine.h"
#include "modules/streams/core/burst_cutter.h"
#include "platforms/blink/blocks.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/plugin.h"
#include "platforms/schedule_nic/blocks.h"

namespace {

using namespace tributary;

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// The fault of one block, from its transaction ODD_FIRST on.
class Fault {
 public:
  explicit Fault(const char* block) : kind_(variable("ODD_BLOCK") == block ? variable("ODD_FAULT") : "") {
    const std::string first = variable("ODD_FIRST");
    if (!first.empty()) left_ = std::stoul(first);
  }
  /// Counts a transaction. Returns true if it has the fault.
  bool operator()(const char* kind) {
    if (kind_ != kind) return false;
    return left_ == 0 || left_-- == 0;
  }
  void fail() {
    if ((*this)("throw")) throw std::logic_error("the odd block has failed");
  }

 private:
  std::string kind_;
  unsigned long left_ = 0;
};

void flip(std::byte* data) {
  if (data != nullptr) *data ^= std::byte{1};
}

sc_core::sc_time clocks(Tick clock) { return sc_core::sc_time::from_value(clock); }

class OddTable : public AssociativeReductionTable {
 public:
  OddTable(const char* name, const ReductionTableConfig& config)
      : AssociativeReductionTable(name, config), fault_(reduction_table_slot.name) {}

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time& delay) override {
    core.access(t);
    fault_.fail();
    if (t.result != nullptr && fault_("data")) flip(t.result->payload);
    if (fault_("late")) delay += clocks(640);
    using Answer = TableTransaction::Answer;
    if (t.answer == Answer::merged && fault_("answer")) t.answer = Answer::inserted;
    if (t.answer == Answer::merged && fault_("keep")) t.answer = Answer::bypassed;
    if (t.answer == Answer::completed && fault_("no_sum")) t.result = nullptr;
    if (t.answer == Answer::completed && fault_("count")) t.count = 7;
    if (t.packet != nullptr && fault_("slow")) t.timing.interval += 10'000'000'000'000;
    if (t.packet != nullptr && fault_("past")) t.next_timeout = 5;
    if (t.answer == Answer::completed && fault_("lose")) t.result->release(), t.result = nullptr, t.answer = Answer::merged;
  }
  Fault fault_;
};

/// Tables that need one lane: one keeps its device in kernel time, one declares shared state, one has a process.
class TimedTable : public OddTable, public KernelTimePart {
 public:
  using OddTable::OddTable;
};
class SharingTable : public OddTable, public SharedStatePart {
 public:
  using OddTable::OddTable;
};
class TableWithProcess : public OddTable {
 public:
  SC_HAS_PROCESS(TableWithProcess);
  TableWithProcess(const char* name, const ReductionTableConfig& config) : OddTable(name, config) {
    SC_METHOD(run);
    sensitive << never_;
    dont_initialize();
  }

 private:
  void run() {}
  sc_core::sc_event never_;
};

/// A part of an accelerator.
template <class Module, class Transaction>
class OddPart : public Module {
 public:
  template <class... Arguments>
  OddPart(const char* block, Tick clock, const char* name, const Arguments&... arguments)
      : Module(name, arguments...), fault_(block), clock_(clock) {}

 private:
  void b_transport(Transaction& t, sc_core::sc_time& delay) override {
    Module::b_transport(t, delay);
    fault_.fail();
    if (fault_("late")) delay += clocks(clock_);
    spoil(t);
  }
  void spoil(IcrcTransaction& t) {
    if (fault_("answer")) t.right = !t.right;
  }
  void spoil(ClTransaction& t) {
    if (t.address.verdict == SlotAddress::Verdict::found && fault_("answer")) ++t.address.offset;
    if (t.address.verdict == SlotAddress::Verdict::found && fault_("ring")) t.address.ring = 9;
  }
  void spoil(SlotTransaction& t) {
    if (t.command == SlotTransaction::Command::arrive && fault_("answer")) t.verdict.store = !t.verdict.store;
  }
  void spoil(CtTransaction& t) {
    if (t.command == CtTransaction::Command::translate && fault_("answer")) t.entry = nullptr;
    if (t.entry != nullptr && fault_("target")) {
      entry_ = *t.entry;
      ++entry_.to.front().connection.destination;
      t.entry = &entry_;
    }
  }
  void spoil(HeaderTransaction& t) {
    if (t.command == HeaderTransaction::Command::load && fault_("answer")) ++t.entry.header.psn;
  }
  void spoil(CombineTransaction& t) {
    if (t.operand != nullptr && fault_("data")) flip(t.sum + t.skip + 4 * 3);
    if (fault_("length")) t.bytes /= 2;
  }
  CtEntry entry_;
  Fault fault_;
  Tick clock_;
};

template <class Transaction, class Module, class Take>
void add_part(BlockFactories& blocks, const AcceleratorSlot<Transaction>& slot, Take take) {
  blocks.add(
      slot, [&slot, take](const char* name, const Accelerator::Config& c) -> std::unique_ptr<TableModule<Transaction>> {
        return take(
            [&](const auto&... arguments) {
              return std::make_unique<OddPart<Module, Transaction>>(slot.name, c.params.clock.value, name, arguments...);
            },
            c);
      });
}

class OddRows : public TargetModule<> {
 public:
  OddRows(const char* name, std::uint32_t rows) : TargetModule(name), rows_(rows), fault_(schedule_table_slot.name) {}
  void reset() override { rows_.reset(); }

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    auto* const data = reinterpret_cast<std::byte*>(t.get_data_ptr());
    const bool done = t.is_write() ? rows_.write(t.get_address(), data, t.get_data_length(), 0)
                                   : rows_.read(t.get_address(), data, t.get_data_length(), 0);
    t.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    fault_.fail();
    if (t.is_read() && fault_("data")) flip(data);
    if (fault_("refuse")) t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (fault_("late")) delay += clocks(1000);
  }
  ScheduleRows rows_;
  Fault fault_;
};

class OddBuffer : public TargetModule<> {
 public:
  explicit OddBuffer(const char* name) : TargetModule(name), fault_(payloads_slot.name) {}

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    auto* const data = reinterpret_cast<std::byte*>(t.get_data_ptr());
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    fault_.fail();
    if (fault_("late")) delay += clocks(3103);
    if (data == nullptr) return;
    if (t.is_write()) buffer_.write(t.get_address(), data, t.get_data_length(), 0);
    if (t.is_read()) buffer_.read(t.get_address(), data, t.get_data_length(), 0);
    if (t.is_read() && fault_("data")) flip(data);
    if (t.is_read() && fault_("status")) t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  PayloadBuffer buffer_;
  Fault fault_;
};

class OddUnit : public TargetModule<ReductionProtocol> {
 public:
  explicit OddUnit(const char* name) : TargetModule(name), fault_(reduction_unit_slot.name) {}

 private:
  void b_transport(ReductionOperand& o, sc_core::sc_time&) override {
    if (o.data == nullptr) return;
    apply(o.op, o.type, o.sum, o.data, o.elements * element_size(o.type));
    if (fault_("data")) flip(o.sum);
    if (fault_("length")) --o.elements;
  }
  Fault fault_;
};

/// Sends a third burst of the first lane, or reports the end of the copy, as soon as it is granted.
class OddEngine : public CopyEngineModule {
 public:
  OddEngine(const char* name, bool ends) : CopyEngineModule(name), ends_(ends) {}

 private:
  bool submit(CopyCommand& command, Tick now) override {
    BurstCutter bursts(command, 0);
    for (int i = 0; i < 3 && !ends_; ++i) send(bursts.next(), now);
    if (ends_) done(command, now);
    return false;
  }
  void room(const Burst&, Tick) override {}
  void left(const Burst&, Tick) override {}
  bool ends_;
};

/// Fixed priority.
class OddArbiter : public CrossbarArbiter {
 public:
  std::size_t choose(unsigned, const std::vector<Request>& requests, Tick) override {
    return fault_("answer") ? requests.size() : 0;
  }
  void granted(unsigned, const Request&, Tick) override {}
  void reset() override {}

 private:
  Fault fault_{switch_arbiter_slot.name};
};

}  // namespace

TRIBUTARY_PLUGIN(blocks) {
  using Config = Accelerator::Config;
  blocks.add(reduction_table_slot,
             [](const char* name, const ReductionTableConfig& config) -> std::unique_ptr<ReductionTableModule> {
               const std::string state = variable("ODD_STATE");
               if (state == "kernel_time") return std::make_unique<TimedTable>(name, config);
               if (state == "shared") return std::make_unique<SharingTable>(name, config);
               if (state == "process") return std::make_unique<TableWithProcess>(name, config);
               return std::make_unique<OddTable>(name, config);
             });
  add_part<IcrcTransaction, IcrcUnit>(blocks, icrc_slot,
                                      [](auto make, const Config& c) { return make(c.checking, c.format); });
  add_part<ClTransaction, ConnectionLookupTable>(blocks, connection_lookup_slot,
                                                 [](auto make, const Config& c) { return make(c.window, c.rules); });
  add_part<SlotTransaction, StateManager>(blocks, state_slot, [](auto make, const Config& c) { return make(c.rules); });
  add_part<CtTransaction, ConnectionTranslationTable>(blocks, connection_translation_slot,
                                                      [](auto make, const Config&) { return make(); });
  add_part<HeaderTransaction, HeaderManager>(blocks, headers_slot, [](auto make, const Config&) { return make(); });
  add_part<CombineTransaction, CombinatorModule>(blocks, combinator_slot,
                                                 [](auto make, const Config& c) { return make(c.params); });
  blocks.add(payloads_slot, [](const char* name, const Config&) { return std::make_unique<OddBuffer>(name); });
  blocks.add(access_list_slot, [](const char* name) { return std::make_unique<AccessList>(name, 1u << 16); });
  blocks.add(schedule_table_slot,
             [](const char* name, const NicCore::Config& c) { return std::make_unique<OddRows>(name, c.table_entries); });
  blocks.add(reduction_unit_slot, [](const char* name, const NicCore::Config&) { return std::make_unique<OddUnit>(name); });
  blocks.add(switch_arbiter_slot, [](const CrossbarArbiterConfig&) { return std::make_unique<OddArbiter>(); });
  const auto engine = [](const char* name, const CopyParams& params) -> std::unique_ptr<CopyEngineModule> {
    const bool odd = variable("ODD_BLOCK") == "blink.gpu.copy_engine";
    if (odd && (variable("ODD_FAULT") == "third" || variable("ODD_FAULT") == "early"))
      return std::make_unique<OddEngine>(name, variable("ODD_FAULT") == "early");
    CopyParams own = params;
    if (variable("ODD_BLOCK") == "blink.gpu.copy_engine" && variable("ODD_FAULT") == "late") own.launch = own.launch + 1_ns;
    return std::make_unique<CopyEngine>(name, own);
  };
  blocks.add(stream_copy_engine_slot, engine);
  blocks.add(copy_engine_slot, engine);
}
