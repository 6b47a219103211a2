/// Energy as arithmetic: sums against published power, linearity, additivity (docs/energy.md).
#include <catch2/catch.hpp>

#include "modules/base/parameter_set.h"
#include "testbench/run/energy/energy.h"

namespace tributary::test_energy {
namespace {

using Kind = Action::Kind;

EnergyUse of(std::vector<Action> actions, std::vector<StandingPower> standing = {}) {
  EnergyUse use;
  use.actions = std::move(actions);
  use.standing = std::move(standing);
  return use;
}

/// A use of all kinds.
EnergyUse mixed() {
  return of({{EnergyPart::links, "link", Kind::bit, 1e9, "energy.link.nvlink"},
             {EnergyPart::memory, "memory", Kind::bit, 2e9, "energy.memory.bit"},
             {EnergyPart::tables, "table", Kind::read, 3e8, "", 256},
             {EnergyPart::adders, "adder", Kind::add, 4e8, "", 0, 1, true},
             {EnergyPart::kernels, "kernel", Kind::byte, 5e8, "energy.gpu.sm_byte"}},
            {{"switch", 12, "energy.nvswitch.standing"}});
}

}  // namespace

TEST_CASE("energy: an NVSwitch at full load draws 100 W, and reduction adds 1 W", "[pure][energy]") {
  const double bits = 18 * 25e9 * 8;  // of a second
  const EnergyUse use = of({{EnergyPart::links, "link", Kind::bit, bits, "energy.link.nvlink"},
                            {EnergyPart::switches, "switch", Kind::bit, bits, "energy.nvswitch.bit"}},
                           {{"switch", 1, "energy.nvswitch.standing"}});
  const Energy energy = priced(use, {}, 1);
  CHECK(energy.parts[0] == Approx(36));
  CHECK(energy.total() == Approx(100).margin(0.1));
  const double bytes = 18 * 25e9;
  const Energy sums = priced(of({{EnergyPart::tables, "table", Kind::read, bytes, "", 256},
                                 {EnergyPart::tables, "table", Kind::write, bytes, "", 256},
                                 {EnergyPart::adders, "adder", Kind::add, bytes / 4, "", 0}}),
                             {}, 1);
  CHECK(sums.total() == Approx(1.0).margin(0.05));
}

TEST_CASE("energy: the FPGA board at 600 Gb/s draws 27.9 of its 28.3 W", "[pure][energy]") {
  const Energy energy = priced(of({{EnergyPart::links, "link", Kind::bit, 600e9, "energy.link.ethernet"},
                                   {EnergyPart::accelerator, "mac", Kind::bit, 600e9, "energy.fpga.bit"},
                                   {EnergyPart::adders, "adder", Kind::add, 600e9 / 32, "", 0, 1, true}},
                                  {{"FPGA", 1, "energy.fpga.standing"}}),
                               {}, 1);
  CHECK(energy.total() == Approx(27.9).margin(0.1));
  CHECK(energy.total() < 28.3);
}

TEST_CASE("energy: HBM2 at 900 GB/s draws 28 W, and a DGX-2 has 1.2 kW of switches", "[pure][energy]") {
  CHECK(priced(of({{EnergyPart::memory, "memory", Kind::bit, 900e9 * 8, "energy.memory.bit"}}), {}, 1).total() ==
        Approx(28).margin(0.3));
  const double bits = 12 * 18 * 25e9 * 8;
  const Energy switches = priced(of({{EnergyPart::links, "link", Kind::bit, bits, "energy.link.nvlink"},
                                     {EnergyPart::switches, "switch", Kind::bit, bits, "energy.nvswitch.bit"}},
                                    {{"switch", 12, "energy.nvswitch.standing"}}),
                                 {}, 1);
  CHECK(switches.total() == Approx(1200).margin(2));
}

TEST_CASE("energy: 32 GPUs that wait, with 4 ports, draw 9637 W, and an FPGA with 4 more ports 66 W", "[pure][energy]") {
  PriceParams params;
  params.energy.gpu_standing = 300;
  const auto ports_and_gpus = [](double ports) {
    return of({{EnergyPart::links, "link", Kind::bit, ports * 100e9, "energy.link.ethernet"},
               {EnergyPart::switches, "switch", Kind::bit, ports * 100e9, "energy.ethernet_switch.bit"}},
              {{"GPU", 32, "energy.gpu.standing"}, {"switch port", ports, "energy.ethernet_switch.standing"}});
  };
  CHECK(priced(ports_and_gpus(4), params, 1).total() == Approx(9637.4).margin(0.3));  // Liu et al., Table 10
  EnergyUse use = ports_and_gpus(8);
  use.actions.push_back({EnergyPart::links, "link", Kind::bit, 600e9, "energy.link.ethernet"});
  use.actions.push_back({EnergyPart::accelerator, "mac", Kind::bit, 600e9, "energy.fpga.bit"});
  use.actions.push_back({EnergyPart::adders, "adder", Kind::add, 600e9 / 32, "", 0, 1, true});
  use.standing.push_back({"FPGA", 1, "energy.fpga.standing"});
  CHECK(priced(use, params, 1).total() == Approx(9703.2).margin(0.3));
}

TEST_CASE("energy: it is linear in each price, and without prices it is 0", "[pure][energy]") {
  const EnergyUse use = mixed();
  PriceParams none;
  const ParameterSet zero(none);
  for (const ParameterField& field : zero.fields())
    if (field.path.rfind("energy.", 0) == 0 && field.path != "energy.link.idle_share") field.set("0");
  CHECK(priced(use, none, 1e-3).total() == 0);
  PriceParams base;
  const double total = priced(use, base, 1e-3).total();
  for (const char* path :
       {"energy.link.nvlink", "energy.memory.bit", "energy.gpu.sm_byte", "energy.nvswitch.standing", "energy.fpga.logic"}) {
    INFO(path);
    const auto with = [&](double factor) {
      PriceParams params;
      const ParameterSet set(params);
      set.set(path, std::to_string(factor * EnergyPrices(base).at(path)));
      return priced(use, params, 1e-3).total() - total;
    };
    CHECK(with(2) > 0);
    CHECK(with(3) == Approx(2 * with(2)).epsilon(1e-6));
    CHECK(with(0) == Approx(-with(2)).epsilon(1e-6));
  }
}

TEST_CASE("energy: two messages are the sum of both, and parts add up", "[pure][energy]") {
  const Energy one = priced(mixed(), {}, 1e-3);
  EnergyUse both = mixed();
  const EnergyUse again = mixed();
  both.actions.insert(both.actions.end(), again.actions.begin(), again.actions.end());
  const Energy two = priced(both, {}, 2e-3);
  CHECK(two.marginal == Approx(2 * one.marginal).epsilon(1e-12));
  CHECK(two.standing == Approx(2 * one.standing).epsilon(1e-12));
  double sum = 0;
  for (const double part : one.parts) sum += part;
  CHECK(sum == Approx(one.marginal).epsilon(1e-12));
  CHECK(one.low <= one.total());
  CHECK(one.high >= one.total());
}

TEST_CASE("energy: links that draw full power when idle cost their time alone", "[pure][energy]") {
  EnergyUse use = of({{EnergyPart::links, "link", Kind::bit, 1e9, "energy.link.nvlink"}});
  use.links.push_back({"energy.link.nvlink", 2e12});
  PriceParams params;
  params.energy.link.idle_share = 1;
  const Energy energy = priced(use, params, 1e-3);
  CHECK(energy.marginal == 0);
  CHECK(energy.standing == Approx(2e12 * 10e-12 * 1e-3));
  const Energy busy = priced(use, {}, 1e-3);
  CHECK(busy.marginal == Approx(1e9 * 10e-12));
  CHECK(busy.standing == 0);
}

}  // namespace tributary::test_energy
