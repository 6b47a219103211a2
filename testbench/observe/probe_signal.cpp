#include "testbench/observe/probe_signal.h"

#include <stdexcept>
#include <typeindex>

namespace tributary {
namespace {

const ProbeDirectory::Entry& entry_of(const ProbeDirectory& probes, const std::string& name) {
  const auto at = probes.entries().find(name);
  if (at == probes.entries().end() || at->second.type != std::type_index(typeid(SignalProbe)))
    throw std::invalid_argument("there is no signal probe '" + name + "' (tributary list probes shows all)");
  return at->second;
}

}  // namespace

ProbeSignal::ProbeSignal(const sc_core::sc_module_name& name, SignalProbe& probe, SignalKind kind)
    : sc_module(name), kind_(kind) {
  SC_HAS_PROCESS(ProbeSignal);
  SC_METHOD(act);
  sensitive << act_;
  dont_initialize();
  probe.attach(this,
               [](void* self, Tick time, std::uint64_t number) { static_cast<ProbeSignal*>(self)->fired(time, number); });
}

ProbeSignal::ProbeSignal(const sc_core::sc_module_name& name, const ProbeDirectory& probes, const std::string& probe)
    : ProbeSignal(name, *static_cast<SignalProbe*>(entry_of(probes, probe).probe), entry_of(probes, probe).kind) {}

void ProbeSignal::fired(Tick time, std::uint64_t number) {
  const Tick now = sc_core::sc_time_stamp().value();
  if (time < now) ++late_, time = now;
  pending_.emplace(time, number);
  act_.notify(sc_core::sc_time::from_value(time - now));
}

void ProbeSignal::act() {
  const Tick now = sc_core::sc_time_stamp().value();
  for (; !pending_.empty() && pending_.begin()->first <= now; pending_.erase(pending_.begin())) {
    const std::uint64_t number = pending_.begin()->second;
    value_ = kind_ == SignalKind::delta ? value_ + number : number;
    ++count_;
  }
  value.write(value_);
  count.write(count_);
  if (!pending_.empty()) act_.notify(sc_core::sc_time::from_value(pending_.begin()->first - now));
}

void sc_trace(sc_core::sc_trace_file* file, const ProbeSignal& signal, const std::string& name) {
  sc_core::sc_trace(file, signal.value, name);
  sc_core::sc_trace(file, signal.count, name + "_count");
}

}  // namespace tributary
