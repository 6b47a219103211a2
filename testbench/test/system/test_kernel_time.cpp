// A device in kernel time among windowed ones: every packet leaves at the same picosecond (docs/timing.md).
#include <catch2/catch.hpp>

#include "modules/base/sysc/kernel_time.h"
#include "modules/nvswitch/associative_reduction_table.h"
#include "platforms/nvswitch/blocks.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_kernel_time {

using Catch::Matchers::Contains;

namespace {

RunSpec spec_of(const std::string& platform, const std::string& algorithm, int endpoints, Bytes size) {
  RunSpec spec = run_spec(algorithm, first_gpus(endpoints), {size});
  spec.platform = platform;
  return with_hashes(spec);
}

std::vector<Run> run_with(const RunSpec& spec, const std::string& device) {
  return runs_in_child([&] {
    Session session(spec, Elaboration::goes_on);
    session.platform().use_kernel_time(device);
    std::vector<Run> runs{{session.run(0).front(), session.hashes()}};
    const auto& kept = session.platform().in_kernel_time();
    if (kept.size() != 1 || kept[0].device != device) throw std::logic_error("another device is in kernel time");
    return runs;
  });
}

void check_devices(const RunSpec& spec, const std::vector<std::string>& devices) {
  const std::vector<Run> windowed = run_all(spec);
  REQUIRE(windowed.front().row.status == Status::done);
  for (const std::string& device : devices) {
    INFO(spec.platform.name() << ", " << device);
    CHECK(difference(windowed, run_with(spec, device)) == "");
  }
}

/// The model's table, and a part that needs kernel time.
class SlowTable : public AssociativeReductionTable, public KernelTimePart {
  using AssociativeReductionTable::AssociativeReductionTable;
};

RunSpec with_slow_table() {
  RunSpec spec = spec_of("dgx2", "push", 16, 64_KiB);
  spec.blocks.add(reduction_table_slot,
                  [](const char* name, const ReductionTableConfig& config) -> std::unique_ptr<ReductionTableModule> {
                    const auto* const device = sc_core::sc_get_curr_simcontext()->hierarchy_curr();
                    if (std::string(device->name()) != "dgx2.switch0_2.port5") return make_reduction_table(name, config);
                    return std::make_unique<SlowTable>(name, config);
                  });
  return spec;
}

}  // namespace

TEST_CASE("kernel time: a switch or a GPU in kernel time changes no packet of a DGX-2", "[system][engines]") {
  check_devices(spec_of("dgx2", "push", 16, 64_KiB), {"switch0_2", "switch1_0", "gpu3"});
  check_devices(spec_of("dgx2", "pull", 16, 32_KiB), {"switch0_2", "gpu3"});
  check_devices(spec_of("dgx2", "ring", 16, 64_KiB), {"gpu3"});
}

TEST_CASE("kernel time: a device in kernel time changes no packet of other machines of NVSwitches", "[system][engines]") {
  check_devices(spec_of("h100", "push", 8, 64_KiB), {"switch0", "gpu7"});
  check_devices(without_data(spec_of("fat_tree:128", "push", 128, 16_KiB)), {"spine0_0", "leaf0_0", "gpu127"});
}

TEST_CASE("kernel time: a router with its NIC in kernel time changes no packet of networks of NICs", "[system][engines]") {
  check_devices(spec_of("torus:4x4", "multitree", 16, 64_KiB), {"nic5"});
  check_devices(spec_of("fat_tree_2level:16", "multitree", 16, 64_KiB), {"switch0", "nic5"});
}

TEST_CASE("kernel time: a device in kernel time changes no packet of hosts on Ethernet", "[system][engines]") {
  check_devices(spec_of("rack:6", "netreduce", 6, 256_KiB), {"accelerator", "switch", "host3"});
  check_devices(spec_of("spine_leaf:2x3", "netreduce", 6, 64_KiB), {"spine", "spine_accelerator", "accelerator1", "host4"});
  check_devices(spec_of("tofino:8", "switchml", 8, 64_KiB), {"switch", "host3"});
}

TEST_CASE("kernel time: a GPU in kernel time changes no packet of a server with copy engines", "[system][engines]") {
  check_devices(spec_of("dgx1v", "blink", 8, 1_MiB), {"gpu3", "socket0"});
}

TEST_CASE("kernel time: a part that needs it keeps its own device in kernel time", "[system][engines]") {
  const std::vector<Run> windowed = run_all(spec_of("dgx2", "push", 16, 64_KiB));
  const std::vector<Run> kept = runs_in_child([] {
    Session session(with_slow_table());
    std::vector<Run> runs{{session.run(0).front(), session.hashes()}};
    const auto devices = session.in_kernel_time();
    if (devices.size() != 1 || devices[0].device != "switch0_2" ||
        devices[0].parts != std::vector<std::string>{"port5.table"})
      throw std::logic_error("another device is in kernel time");
    return runs;
  });
  CHECK(difference(windowed, kept) == "");
}

TEST_CASE("kernel time: an unknown device is refused with the nearest names", "[system][engines]") {
  Session session(spec_of("dgx2", "push", 16, 4_KiB), Elaboration::goes_on);
  CHECK_THROWS_WITH(session.platform().use_kernel_time("switch0_22"), Contains("switch0_2"));
}

}  // namespace tributary::test_kernel_time
