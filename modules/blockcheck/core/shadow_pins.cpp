#include "modules/blockcheck/core/shadow_pins.h"

#include <typeindex>

#include "modules/base/wide_probe.h"

namespace tributary {

void add_pins(const ProbeDirectory& block, const std::string& shadow, ProbeDirectory& directory) {
  for (const auto& [name, e] : block.entries()) {
    const std::size_t pin = name.rfind(".rtl.");
    if (pin == std::string::npos) continue;
    const std::string here = shadow + name.substr(pin);
    if (e.type == std::type_index(typeid(WideProbe)))
      directory.add(here, *static_cast<WideProbe*>(e.probe), e.about, e.width);
    if (e.type == std::type_index(typeid(SignalProbe)))
      directory.add_signal(here, *static_cast<SignalProbe*>(e.probe), e.kind, e.width, e.about, e.names);
  }
}

}  // namespace tributary
