/// Values of energy and area by name, of a stored result with 1000 B on one link in 1 us.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "testbench/report/stored_run.h"
#include "testbench/run/energy/energy_values.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_energy_values {
namespace {

nlohmann::ordered_json document() {
  return nlohmann::ordered_json::parse(
      R"({"platform": "dgx2", "collective": "allreduce", "algorithm": "push", "endpoints": "0-15",
    "parameters": {"nvswitch.switch.input_buffer": {"value": 4896, "unit": "B"},
      "nvswitch.switch.reduction_table.bytes": {"value": 256, "unit": "B"},
      "nvswitch.switch.reduction_table.trunk_bytes": {"value": 256, "unit": "B"}}, "results": [{"size_bytes": 1000, "count": 250, "type": "f32", "redop": "sum", "time_ns": 1000,
    "links": [{"name": "gpu0.port0>switch0_0.port0", "bytes": 1000, "utilisation": 0.5}], "counters": {"switch.merges": 3}}]})");
}

}  // namespace

TEST_CASE("energy values: each name of a stored result has its value", "[pure][energy]") {
  const auto values = stored_energy_values(document(), "x.json", {});
  CHECK(values.at("energy.links") == Approx(1000 * 8 * 10));
  CHECK(values.at("energy.switches") == Approx(1000 * 8 * 3.9));
  CHECK(values.at("energy.kernels") == 0);
  CHECK(values.at("energy.adders") == Approx(3 * 32 * 0.557).epsilon(0.001));
  CHECK(values.at("energy.standing") == Approx(12 * 50 * 1e-6 * 1e12));
  CHECK(values.at("energy.total") == Approx(values.at("energy.marginal") + values.at("energy.standing")));
  CHECK(values.at("energy.per_byte") == Approx(values.at("energy.total") / 16000));
  CHECK(values.at("area.reduction") == Approx(values.at("area.tables") + values.at("area.adders") + values.at("area.tags")));
  CHECK(values.count("area.bram36") == 0);
  const auto& names = energy_value_names();
  for (const auto& value : values) {
    INFO(value.first);
    CHECK(std::any_of(names.begin(), names.end(), [&](const EnergyValueName& n) { return n.name == value.first; }));
  }
  for (const EnergyValueName& name : names)
    if (name.name.rfind("energy.", 0) == 0) CHECK(values.count(name.name) == 1);
}

TEST_CASE("energy values: a stored result is priced with other prices", "[pure][energy]") {
  PriceParams prices;
  prices.energy.link.nvlink = 1;
  prices.energy.nvswitch.standing = 0;
  const auto values = stored_energy_values(document(), "x.json", prices);
  CHECK(values.at("energy.links") == Approx(8000));
  CHECK(values.at("energy.standing") == 0);
}

TEST_CASE("energy values: a training has the energy of an iteration", "[pure][energy]") {
  const auto training =
      nlohmann::ordered_json::parse(R"({"iterations": [{"time_ns": 1}], "energy": {"marginal_J": 3, "standing_J": 4,
    "parts": {"links": 3}, "range": [1, 9], "prices": {}, "not_included": []}, "area": {"tables": 0.5}})");
  const auto values = stored_energy_values(training, "x.json", {});
  CHECK(values.at("energy.total") == 7e12);
  CHECK(values.at("energy.links") == 3e12);
  CHECK(values.at("energy.tables") == 0);
  CHECK(values.count("energy.per_byte") == 0);
  CHECK(values.at("area.tables") == 0.5);
  CHECK(stored_energy_values({{"iterations", nlohmann::ordered_json::array()}}, "x.json", {}).empty());
}

TEST_CASE("energy values: names that do not exist, and results without energy, have none", "[pure][energy]") {
  CHECK(!energy_value(std::nullopt, {}, "energy.total"));
  Energy energy;
  energy.marginal = 2, energy.standing = 1;
  CHECK(energy_value(energy, {}, "energy.total") == 3e12);
  CHECK(!energy_value(energy, {}, "energy.fans"));
  CHECK(!energy_value(energy, {}, "area.total"));
  CHECK(energy_value(energy, {{{"bram36", 12}}, ""}, "area.bram36") == 12.0);
  CHECK_THROWS_AS(stored_energy_values({{"results", 1}}, "x.json", {}), InputError);
  auto old = document();
  old["parameters"].clear();  // its table has no size
  CHECK_THROWS_AS(stored_energy_values(old, "x.json", {}), InputError);
}

}  // namespace tributary::test_energy_values
