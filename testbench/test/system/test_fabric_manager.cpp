/// Registrations that the fabric grants, and registrations that it must refuse (docs/systems/klenk.md#region-tables).
#include <catch2/catch.hpp>

#include "platforms/nvswitch/fabric_manager.h"
#include "testbench/run/session.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/session_parts.h"

namespace tributary::test_fabric_manager {

using Catch::Matchers::Contains;

namespace {

RunSpec small(const std::vector<std::string>& settings = {}) { return run_spec("push", {0, 1, 2}, {1_KiB}, settings); }

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const FabricError& error) {
    return error.what();
  }
  return "granted";
}

}  // namespace

TEST_CASE("fabric manager: aliasing pointers are refused", "[system][fabric]") {
  Session session(small());
  FabricManager fabric(nvswitch_of(session));
  fabric.multicast_region({0, 1, 2}, 0, 1024);
  const auto region = [&](std::vector<int> members, std::uint64_t local, std::uint64_t bytes) {
    return refusal([&] { fabric.multicast_region(members, local, bytes); });
  };
  CHECK_THAT(region({0, 1, 2}, 0, 1024), Contains("gpu0") && Contains("must not alias"));
  CHECK_THAT(region({2, 3}, 1023, 64), Contains("gpu2") && Contains("registered already"));
  CHECK_THAT(region({5, 1}, 512, 64), Contains("gpu1"));
  CHECK_THAT(refusal([&] { fabric.unicast_buffer(0, 1000, 8); }), Contains("gpu0") && Contains("must not alias"));
  // A block is the granule of a table, so the end of the last block is occupied, too.
  fabric.multicast_region({0, 1}, 1024, 4);
  CHECK_THAT(region({0, 1}, 1024 + 4, 4), Contains("must not alias"));
}

TEST_CASE("fabric manager: adjacent regions, and regions on other GPUs, are granted", "[system][fabric]") {
  Session session(small());
  FabricManager fabric(nvswitch_of(session));
  const BlockRange a = fabric.multicast_region({0, 1, 2}, 0, 1024);
  const BlockRange b = fabric.multicast_region({0, 1, 2}, 1024, 1000);
  const BlockRange c = fabric.multicast_region({3, 4}, 0, 128);  // equal local address, other GPUs
  CHECK(a.network + 1024 <= b.network);
  CHECK(b.network + 1024 <= c.network);  // network-wide: no two regions share a block
  fabric.clear();
  CHECK(fabric.multicast_region({0, 1, 2}, 0, 1024).network == a.network);
}

TEST_CASE("fabric manager: illegal members are refused", "[system][fabric]") {
  Session session(small());
  FabricManager fabric(nvswitch_of(session));
  const auto region = [&](std::vector<int> members) { return refusal([&] { fabric.multicast_region(members, 0, 128); }); };
  CHECK_THAT(region({0, 1, 0}), Contains("twice"));
  CHECK_THAT(region({4}), Contains("at least two members"));
  CHECK_THAT(region({}), Contains("at least two members"));
  CHECK(region({0, 1}) == "granted");
}

TEST_CASE("fabric manager: a full multicast table is reported", "[system][fabric]") {
  Session session(small({"nvswitch.switch.mcr_entries=2"}));
  FabricManager fabric(nvswitch_of(session));
  fabric.multicast_region({0, 1}, 0, 128);
  fabric.multicast_region({0, 1}, 128, 128);
  CHECK_THAT(refusal([&] {
               fabric.multicast_region({0, 1}, 256, 128);
             }),
             Contains("multicast tables") && Contains("full") && Contains("nvswitch.switch.mcr_entries = 2"));
  CHECK_NOTHROW(fabric.unicast_buffer(0, 256, 128));  // needs no entry of the table
}

TEST_CASE("fabric manager: a run that needs too many regions is refused before it begins", "[system][fabric]") {
  // Message and barrier need two regions.
  CHECK_THROWS_WITH(Session(run_spec("pull", {0, 1, 2}, {1_KiB}, {"nvswitch.switch.mcr_entries=1"})),
                    Contains("multicast tables") && Contains("nvswitch.switch.mcr_entries = 1"));
}

TEST_CASE("fabric manager: without a barrier one region suffices", "[system][fabric]") {
  Session session(run_spec("pull", {0, 1, 2}, {1_KiB}, {"nvswitch.switch.mcr_entries=1", "nvswitch.pull.barrier=false"}));
  CHECK(session.run(0).front().status == Status::done);
}

TEST_CASE("fabric manager: a message releases its regions", "[system][fabric]") {
  Session session(run_spec("pull", {0, 1, 2}, {1_KiB}, {"nvswitch.switch.mcr_entries=2"}));
  CHECK(session.run(0).front().status == Status::done);
  CHECK(session.run(0).front().status == Status::done);  // the first message has released its regions
}

}  // namespace tributary::test_fabric_manager
