#include "modules/netreduce/accelerator_modules.h"

#include "modules/base/sysc/payload_access.h"

namespace tributary {

template class TableInitiator<IcrcTransaction>;
template class TableModule<IcrcTransaction>;
template class TableInitiator<ClTransaction>;
template class TableModule<ClTransaction>;
template class TableInitiator<SlotTransaction>;
template class TableModule<SlotTransaction>;
template class TableInitiator<CtTransaction>;
template class TableModule<CtTransaction>;
template class TableInitiator<HeaderTransaction>;
template class TableModule<HeaderTransaction>;
template class TableInitiator<CombineTransaction>;
template class TableModule<CombineTransaction>;

IcrcUnit::IcrcUnit(const sc_core::sc_module_name& name, FrameChecking how, const FrameFormat& format)
    : PartModule(name, how, format) {}
void IcrcUnit::reset() {}
void IcrcUnit::describe(ProbeDirectory& directory, const std::string& prefix) { core.describe(directory, prefix); }

ConnectionLookupTable::ConnectionLookupTable(const sc_core::sc_module_name& name, unsigned window,
                                             const AggregationParams& rules)
    : PartModule(name, window, rules) {}
void ConnectionLookupTable::reset() { core.table.reset(); }
void ConnectionLookupTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  core.table.describe(directory, prefix);
}

StateManager::StateManager(const sc_core::sc_module_name& name, const AggregationParams& rules) : PartModule(name, rules) {}
std::vector<std::string> StateManager::waiting() const { return core.waiting(); }
void StateManager::reset() { core.reset(); }
void StateManager::describe(ProbeDirectory& directory, const std::string& prefix) { core.describe(directory, prefix); }

ConnectionTranslationTable::ConnectionTranslationTable(const sc_core::sc_module_name& name, const CtTable::Config& config)
    : PartModule(name, config) {}
void ConnectionTranslationTable::reset() { core.reset(); }
void ConnectionTranslationTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  core.describe(directory, prefix);
}

HeaderManager::HeaderManager(const sc_core::sc_module_name& name) : PartModule(name) {}
void HeaderManager::reset() { core.buffer.clear(); }
void HeaderManager::describe(ProbeDirectory&, const std::string&) {}

CombinatorModule::CombinatorModule(const sc_core::sc_module_name& name, const AcceleratorParams& params)
    : PartModule(name, params) {}
void CombinatorModule::reset() {}
void CombinatorModule::describe(ProbeDirectory& directory, const std::string& prefix) { core.describe(directory, prefix); }

void PayloadBufferModule::b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
  access.set_response_status(tlm::TLM_OK_RESPONSE);
  if (is_timing_only(access) || access.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
  const std::uint64_t address = access.get_address();
  const unsigned bytes = access.get_data_length();
  if (access.is_read() && (bytes > core.size() || address > core.size() - bytes))
    return access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const Tick now = (sc_core::sc_time_stamp() + delay).value();
  const AccessTime time = access.is_read() ? core.read(address, data, bytes, now) : core.write(address, data, bytes, now);
  delay += sc_core::sc_time::from_value(time.latency);
  RequestInterval::add(access, time.interval);
}

}  // namespace tributary
