// Two NICs of the library add their chunks in textbook memories. An argument sets the time resolution before or after the
// NICs are constructed.
#include <textbook_memory.h>

#include <cstring>
#include <iostream>
#include <string>

#include "modules/base/sysc/base_protocol_checker.h"
#include "testbench/harness/nic_pair.h"

using namespace tributary;

int sc_main(int argc, char* argv[]) {
  const std::string when = argc > 1 ? argv[1] : "";
  if (when == "before") sc_core::sc_set_time_resolution(100, sc_core::SC_FS);
  constexpr std::uint32_t chunk = 4096;
  Nic::Parts parts;
  parts.memory = [](const char*, const NicCore::Config&) { return nullptr; };
  NicPair pair("node", parts, chunk);
  if (when == "after") sc_core::sc_set_time_resolution(100, sc_core::SC_FS);
  const sc_core::sc_time latency(30, sc_core::SC_NS);
  TextbookMemory memories[] = {{"memory0", 2 * chunk, latency}, {"memory1", 2 * chunk, latency}};
  BaseProtocolChecker checkers[] = {BaseProtocolChecker("checker0"), BaseProtocolChecker("checker1")};
  for (unsigned n = 0; n < 2; ++n) {
    pair.nic(n).memory_socket.bind(checkers[n].in);
    checkers[n].out.bind(memories[n].socket);
    const std::vector<std::int32_t> values(pair.elements(), 10 + static_cast<std::int32_t>(n));
    std::memcpy(memories[n].bytes.data(), values.data(), 2 * chunk);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint16_t n = 0; n < 2; ++n) pair.node(n).post(pair.program(n), 1'000'000);
  sc_core::sc_start();
  std::size_t wrong = 0, breaches = 0;
  for (unsigned n = 0; n < 2; ++n) {
    std::vector<std::int32_t> values(pair.elements());
    std::memcpy(values.data(), memories[n].bytes.data(), 2 * chunk);
    for (const std::int32_t value : values) wrong += value != 21;
    checkers[n].finish();
    breaches += checkers[n].breaches().size();
  }
  std::cout << 2 * pair.elements() << " elements, " << wrong << " wrong, " << breaches << " breaches\n";
  return wrong + breaches == 0 ? 0 : 1;
}
