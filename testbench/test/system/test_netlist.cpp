/// The DGX-2 as it is elaborated (docs/systems/klenk.md#dgx-2).
#include <catch2/catch.hpp>
#include <set>

#include "testbench/run/session.h"
#include "testbench/test/harness/run_specs.h"

using namespace tributary;

TEST_CASE("netlist: GPUs, switches, ports, links and their names", "[system][netlist]") {
  Session session(run_spec("push", first_gpus(16), {1_KiB}));
  NvSwitchPlatform& system = session.system();
  CHECK(system.gpu_count() == 16);
  CHECK(system.switch_count() == 12);
  unsigned ports = 0;
  for (unsigned s = 0; s < system.switch_count(); ++s) ports += system.switch_at(s).ports();
  CHECK(ports == 192);  // the figure of the paper's Eq. (2)

  std::set<std::string> names;
  for (const DirectedLink& link : system.links()) names.insert(link.name);
  CHECK(names.size() == 2 * (96 + 48));
  CHECK(system.links().size() == names.size());
  // GPU i port k <-> S(i/8, k) port i%8; S(0,k) port 8+j <-> S(1,k) port 8+j.
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 6; ++k) {
      const std::string gpu = "gpu" + std::to_string(i) + ".port" + std::to_string(k);
      const std::string port = "switch" + std::to_string(i / 8) + "_" + std::to_string(k) + ".port" + std::to_string(i % 8);
      CHECK(names.erase(gpu + ">" + port) == 1);
      CHECK(names.erase(port + ">" + gpu) == 1);
    }
  for (int k = 0; k < 6; ++k)
    for (int j = 8; j < 16; ++j) {
      const std::string tail = "_" + std::to_string(k) + ".port" + std::to_string(j);
      CHECK(names.erase("switch0" + tail + ">switch1" + tail) == 1);
      CHECK(names.erase("switch1" + tail + ">switch0" + tail) == 1);
    }
  CHECK(names.empty());
}

TEST_CASE("netlist: the lookahead is the link's latency", "[system][netlist]") {
  Session session(run_spec("push", first_gpus(16), {1_KiB}, {"link.latency=7ns"}));
  CHECK(session.system().lookahead() == 7'000);
}

TEST_CASE("netlist: blocks carry the names that waveforms and reports use", "[system][netlist]") {
  const Session session(run_spec("push", first_gpus(16), {1_KiB}));
  for (const char* name :
       {"dgx2.switch0_2.port5.table.occupancy", "dgx2.switch1_5.port15.table.merges", "dgx2.switch0_2.port5.table.evictions",
        "dgx2.switch0_2.port5.input.vc0.flits", "dgx2.switch0_2.port5.input.vc1.flits", "dgx2.gpu15.dma.wave15.count",
        "dgx2.gpu0.home.partials"}) {
    INFO(name);
    CHECK(session.probes().entries().count(name) == 1);
  }
}
