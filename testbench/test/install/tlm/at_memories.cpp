// Two NICs of the library add their chunks in the storage of AT memories, which skip phases at random and respond out of
// order, and in memories of the library whose times are those of a controller with nb_transport_fw alone.
#include <at_memory.h>

#include <cstring>
#include <iostream>
#include <memory>
#include <vector>

#include "modules/base/sysc/at_target.h"
#include "modules/base/sysc/base_protocol_checker.h"
#include "modules/base/sysc/controller_memory.h"
#include "testbench/harness/nic_pair.h"

namespace {

constexpr std::uint32_t chunk = 4096;
constexpr int sum = 10 + 11;

/// An AT memory with debug access.
struct OpenMemory : ::AtMemory {
  using ::AtMemory::AtMemory;
  unsigned transport_dbg(tlm::tlm_generic_payload& p) override {
    unsigned char* const place = &bytes[p.get_address()];
    if (p.is_read()) std::memcpy(p.get_data_ptr(), place, p.get_data_length());
    if (p.is_write()) std::memcpy(place, p.get_data_ptr(), p.get_data_length());
    return p.get_data_length();
  }
};

/// Storage of the library, times of a controller.
struct Dram : tributary::ControllerMemory {
  Dram(const char* name, unsigned seed)
      : ControllerMemory(name), controller("controller", 2 * chunk, ::AtMemory::Style::any, seed) {
    out().bind(checker.in);
    checker.out.bind(controller.socket);
  }
  tributary::BaseProtocolChecker checker{"checker"};
  ::AtMemory controller;
};

std::vector<std::int32_t> filled(std::size_t elements, unsigned node) {
  return std::vector<std::int32_t>(elements, static_cast<std::int32_t>(10 + node));
}

}  // namespace

int sc_main(int, char*[]) {
  using namespace tributary;
  std::vector<Dram*> drams;
  Nic::Parts unbound, controlled;
  unbound.memory = [](const char*, const NicCore::Config&) { return nullptr; };
  controlled.memory = [&drams](const char* name, const NicCore::Config& nic) {
    auto dram = std::make_unique<Dram>(name, 5u + nic.schedule.node);
    drams.push_back(dram.get());
    return dram;
  };
  NicPair stored("stored", unbound, chunk), timed("timed", controlled, chunk);
  OpenMemory memories[] = {{"memory0", 2 * chunk, ::AtMemory::Style::any, 1},
                           {"memory1", 2 * chunk, ::AtMemory::Style::any, 2}};
  AtTarget adapters[] = {AtTarget("adapter0"), AtTarget("adapter1")};
  BaseProtocolChecker checkers[] = {BaseProtocolChecker("checker0"), BaseProtocolChecker("checker1")};
  for (unsigned n = 0; n < 2; ++n) {
    stored.nic(n).memory_socket.bind(adapters[n].in);
    adapters[n].out.bind(checkers[n].in);
    checkers[n].out.bind(memories[n].socket);
    std::memcpy(memories[n].bytes.data(), filled(stored.elements(), n).data(), 2 * chunk);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint16_t n = 0; n < 2; ++n) {
    timed.fill(n, 10 + n);
    stored.node(n).post(stored.program(n), 1'000'000);
    timed.node(n).post(timed.program(n), 1'000'000);
  }
  sc_core::sc_start();
  std::size_t wrong = 0, breaches = 0;
  for (unsigned n = 0; n < 2; ++n) {
    std::vector<std::int32_t> values(stored.elements());
    std::memcpy(values.data(), memories[n].bytes.data(), 2 * chunk);
    for (std::size_t e = 0; e < stored.elements(); ++e) wrong += (values[e] != sum) + (timed.value(n, e) != sum);
    for (BaseProtocolChecker* checker : {&checkers[n], &drams[n]->checker}) {
      checker->finish();
      breaches += checker->breaches().size();
    }
  }
  std::cout << 4 * stored.elements() << " elements, " << wrong << " wrong, " << breaches << " breaches\n";
  return wrong + breaches == 0 ? 0 : 1;
}
