#include <catch2/catch.hpp>

#include "testbench/harness/packet_endpoint.h"

namespace tributary::test_time_resolution {

// A tick is a picosecond, and a block that adds 50 ns to a delay must not add 5 ns.
TEST_CASE("time resolution: another one than 1 ps is refused", "[block][timing]") {
  sc_core::sc_set_time_resolution(100, sc_core::SC_FS);
  CHECK_THROWS_WITH(PacketEndpoint("endpoint", NvLinkTransmitter::Config{}),
                    Catch::StartsWith("the time resolution of SystemC is 100 fs (legal: 1 ps"));
}

}  // namespace tributary::test_time_resolution
