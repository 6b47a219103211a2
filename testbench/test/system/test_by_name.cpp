/// Collectives that an sc_main posts by name: they run as `tributary run` runs them (docs/library.md).
#include <catch2/catch.hpp>
#include <numeric>
#include <sstream>

#include "modules/link/link_protocol.h"
#include "platforms/blink/blocks.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/schedule_nic/blocks.h"
#include "testbench/by_name/post.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/run/family.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/own_table.h"

namespace tributary::test_by_name {
namespace {

using Catch::Contains;

struct Named {
  std::string platform, algorithm, collective = "allreduce";
  Bytes size = 40'000_B;
};

/// The four systems.
const std::vector<Named> systems{
    {"dgx2", "push"}, {"torus:4x4", "multitree"}, {"rack:6", "netreduce"}, {"dgx1v", "blink", "allreduce", 400'000_B}};

RunSpec command_line(const Named& named, const std::vector<std::string>& settings = {}) {
  Settings all;
  const auto add = [&](const char* option, const std::string& text) { all.add(option, {text, std::string("--") + option}); };
  add("platform", named.platform);
  add("collective", named.collective);
  add("algorithm", named.algorithm);
  add("size", std::to_string(named.size.value) + "B");
  if (named.collective == "multicast") add("targets", "1");
  for (const std::string& setting : settings) add("set", setting);
  return make_run_request(all).spec;
}

PostOptions options_of(const Named& named) {
  PostOptions options;
  if (named.collective == "multicast") options.targets = {1};
  return options;
}

Posted post(SimulatedMachine& machine, const Named& named, const PostOptions& options) {
  return machine.post(named.collective, named.algorithm, named.size, options);
}
Posted post(SimulatedMachine& machine, const Named& named) { return post(machine, named, options_of(named)); }

std::string text_of(Tick time, std::uint64_t wrong) {
  return std::to_string(time) + " ps, " + std::to_string(wrong) + " wrong";
}
std::string text_of(const Posted& posted) {
  return posted.error().empty() ? text_of(posted.time(), posted.wrong()) : posted.error();
}

/// Returns the result of `tributary run` in a process of its own, or `refused`.
std::string by_command_line(const Named& named) {
  return in_child([&]() -> std::string {
    try {
      Session session(command_line(named));
      const ResultRow row = session.run(0).front();
      return text_of(row.time, row.wrong.value_or(0));
    } catch (const std::exception&) {
      return "refused";
    }
  });
}

std::string by_name(const Named& named) {
  return in_child([&]() -> std::string {
    try {
      SimulatedMachine machine(named.platform);
      const Posted posted = post(machine, named);
      sc_core::sc_start();
      return text_of(posted);
    } catch (const std::exception&) {
      return "refused";
    }
  });
}

/// `refused`: algorithms that the platform cannot run.
void check_all_algorithms(const std::string& platform, unsigned refused) {
  unsigned found = 0;
  for (const Algorithm& algorithm : family_of(platform).algorithms()) {
    const bool barrier = algorithm.collective == "barrier";
    const Named named{platform, algorithm.name, algorithm.collective, barrier ? 4_B : 40'000_B};
    INFO(platform << " " << algorithm.collective << " " << algorithm.name);
    const std::string expected = by_command_line(named);
    CHECK(by_name(named) == expected);
    CHECK((expected == "refused" || expected.find(", 0 wrong") != std::string::npos));
    found += expected == "refused" ? 1 : 0;
  }
  CHECK(found == refused);
}

/// Returns the one-line error of `work`, which runs in a process of its own.
std::string error_of(const std::function<void()>& work) {
  return in_child([&]() -> std::string {
    try {
      work();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  });
}

/// Blocks of a user in each of the systems.
void add_own_blocks(BlockFactories& blocks, const std::string& platform) {
  if (platform == "dgx2")
    blocks.add(reduction_table_slot, [](const char* name, const ReductionTableConfig& config) {
      return std::make_unique<OwnTable>(name, config, OwnTableFaults{});
    });
  if (platform == "torus:4x4")
    blocks.add(nic_memory_slot, [](const char* name, const NicCore::Config& nic) {
      return std::make_unique<DirectMemory>(name, 700_ns, nic.schedule.node);
    });
  if (platform == "rack:6")
    blocks.add(access_list_slot, [](const char* name) { return std::make_unique<AccessList>(name); });
  if (platform == "dgx1v")
    blocks.add(stream_memory_slot,
               [](const char* name, unsigned gpu) { return std::make_unique<DirectMemory>(name, 900_ns, gpu); });
}

}  // namespace

TEST_CASE("by name: each collective of a DGX-2 ends at the picosecond of the command line", "[system][by_name]") {
  check_all_algorithms("dgx2", 2);  // sends of NCCL, which NCCL 2.4 lacks: all-to-all and send/receive
}
TEST_CASE("by name: each collective of a torus ends at the picosecond of the command line", "[system][by_name]") {
  check_all_algorithms("torus:4x4", 2);  // hdrm, and ring_2d, which needs more table entries
}
TEST_CASE("by name: each collective of racks ends at the picosecond of the command line", "[system][by_name]") {
  check_all_algorithms("spine_leaf:2x3", 0);
}
TEST_CASE("by name: each collective of a server ends at the picosecond of the command line", "[system][by_name]") {
  check_all_algorithms("dgx1v", 0);
}
TEST_CASE("by name: programmable switches and other platforms end at the picosecond of the command line",
          "[system][by_name]") {
  check_all_algorithms("tofino:4", 0);
  for (const Named& named : {Named{"h100", "push"}, Named{"mesh:2x2", "multitree"}, Named{"bigraph:4x8", "hdrm"},
                             Named{"rack:2x4", "parallel_netreduce"}, Named{"servers:2xdgx1p", "blink"}}) {
    INFO(named.platform);
    CHECK(by_name(named) == by_command_line(named));
  }
}

TEST_CASE("by name: own blocks and parameters have the effect that they have on the command line", "[system][by_name]") {
  const std::map<std::string, std::string> setting{{"dgx2", "nvswitch.link.latency=30ns"},
                                                   {"torus:4x4", "schedule_nic.link.latency=170ns"},
                                                   {"rack:6", "netreduce.link.latency=400ns"},
                                                   {"dgx1v", "blink.streams.acquire=900ns"}};
  for (const Named& named : systems) {
    INFO(named.platform);
    RunSpec spec = command_line(named, {setting.at(named.platform)});
    add_own_blocks(spec.blocks, named.platform);
    const Run expected = run_one(spec);
    CHECK(text_of(expected.row.time, *expected.row.wrong) != by_command_line(named));
    for (const bool event : {false, true})
      CHECK(in_child([&] {
              SimulatedMachine machine(named.platform);
              machine.set(setting.at(named.platform));
              add_own_blocks(machine.blocks(), named.platform);
              if (event) machine.use_event_mode();
              const Posted posted = post(machine, named);
              sc_core::sc_start();
              return text_of(posted);
            }) == text_of(expected.row.time, 0));
  }
}

TEST_CASE("by name: parameters can be set in their structure", "[system][by_name]") {
  const Run expected = run_one(command_line(systems[0], {"nvswitch.link.latency=30ns"}));
  CHECK(in_child([&] {
          SimulatedMachine machine("dgx2");
          machine.parameters<NvSwitchPlatformParams>().link.latency = 30_ns;
          const Posted posted = post(machine, systems[0]);
          sc_core::sc_start();
          return text_of(posted);
        }) == text_of(expected.row.time, 0));
}

TEST_CASE("by name: collectives on the same ranks run one after another, each as if alone", "[system][by_name]") {
  for (const Named& named : systems) {
    INFO(named.platform);
    Named larger = named;
    larger.size = named.size * 3;
    const std::string first = by_command_line(named), second = by_command_line(larger);
    const auto results = [&](bool at_once) {
      return in_child([&] {
        SimulatedMachine machine(named.platform);
        const Posted one = post(machine, named);
        if (!at_once) sc_core::sc_start();
        const Posted two = post(machine, larger), three = post(machine, named);
        sc_core::sc_start();
        if (two.start() < one.end() || three.start() < two.end()) return std::string("they overlap");
        return text_of(one) + "; " + text_of(two) + "; " + text_of(three);
      });
    };
    CHECK(results(true) == first + "; " + second + "; " + first);
    CHECK(results(false) == first + "; " + second + "; " + first);
  }
}

TEST_CASE("by name: collectives on disjoint ranks run at once, as concurrent jobs", "[system][by_name]") {
  for (const Named& named : {systems[0], systems[1], systems[2], systems[3]}) {
    INFO(named.platform);
    const std::vector<int> low{0, 1, 2}, high{3, 4, 5};
    RunSpec spec = command_line(named);
    spec.jobs.push_back(spec.jobs[0]);
    spec.jobs[0].ranks = low, spec.jobs[1].ranks = high;
    spec.jobs[1].start = 3_us;
    spec.jobs[0].algorithm = spec.jobs[1].algorithm = named.platform == "torus:4x4" ? "ring" : named.algorithm;
    if (named.platform == "dgx1v") spec.jobs[1].ranks = {4, 5, 6};
    const std::vector<Run> expected = run_all(spec);
    CHECK(in_child([&] {
            SimulatedMachine machine(named.platform);
            std::vector<Posted> posted;
            for (const JobSpec& job : spec.jobs) {
              PostOptions options;
              options.ranks = job.ranks;
              options.start = 100_us + job.start;
              posted.push_back(machine.post(job.collective, job.algorithm, named.size, options));
            }
            sc_core::sc_start();
            if (posted[0].start() != 100'000'000 || posted[1].start() != 103'000'000) return std::string("another start");
            return text_of(posted[0]) + "; " + text_of(posted[1]);
          }) == text_of(expected[0].row.time, 0) + "; " + text_of(expected[1].row.time, 0));
  }
}

TEST_CASE("by name: a process posts the next collective when one has ended", "[system][by_name]") {
  struct Software : sc_core::sc_module {
    explicit Software(SimulatedMachine& given) : sc_module(sc_core::sc_module_name("software")), machine(given) {
      SC_HAS_PROCESS(Software);
      SC_THREAD(run);
    }
    void run() {
      wait(5, sc_core::SC_US);
      first.emplace_back(post_allreduce(machine, "push", 40'000_B));
      wait(first.back().finished());
      at = kernel_now();
      first.emplace_back(post_broadcast(machine, "ring", 40'000_B));
    }
    SimulatedMachine& machine;
    std::vector<Posted> first;
    Tick at = 0;
  };
  SimulatedMachine machine("dgx2");
  machine.platform();
  Software software(machine);
  sc_core::sc_start();
  REQUIRE(software.first.size() == 2);
  CHECK(software.first[0].error() == "");
  CHECK(software.first[0].start() >= 5'000'000);
  CHECK(software.at == software.first[0].end());
  CHECK(software.first[1].error() == "");
  CHECK(software.first[1].start() > software.at);
  CHECK(machine.waiting().empty());
}

TEST_CASE("by name: data of the user are reduced, and every rank has its result", "[system][by_name]") {
  for (const Named& named : systems) {
    INFO(named.platform);
    CHECK(in_child([&]() -> std::string {
            SimulatedMachine machine(named.platform);
            PostOptions own;
            own.type = ElementType::i32;
            own.operands = [](int rank, std::byte* message, std::uint64_t bytes) {
              for (std::uint64_t i = 0; i < bytes / 4; ++i) {
                const auto x = static_cast<std::int32_t>(i * 3 + static_cast<std::uint64_t>(rank) * 1000);
                std::memcpy(message + 4 * i, &x, 4);
              }
            };
            const Posted posted = post(machine, named, own);
            sc_core::sc_start();
            const auto n = static_cast<std::int32_t>(posted.ranks());
            for (int rank = 0; rank < n; ++rank) {
              const std::vector<std::int32_t> sums = posted.result_as<std::int32_t>(rank);
              if (sums.size() != named.size.value / 4) return "another size";
              for (std::int32_t i = 0; i < static_cast<std::int32_t>(sums.size()); ++i)
                if (sums[static_cast<std::size_t>(i)] != n * 3 * i + 1000 * n * (n - 1) / 2) return "a wrong sum";
              if (posted.end_of(rank) > posted.end()) return "a late rank";
            }
            return posted.error();
          }) == "");
  }
}

TEST_CASE("by name: a slice of a gathered message follows the slice of the rank before", "[system][by_name]") {
  SimulatedMachine machine("dgx2");
  PostOptions options;
  options.count = 3;
  options.type = ElementType::i32;
  options.operands = operands_of<std::int32_t>({{1, 2, 3, 4}, {11, 12, 13, 14}, {21, 22, 23, 24}});
  const Posted gathered = post_allgather(machine, "ring", 16_B, options);
  const Posted scattered = post_reduce_scatter(machine, "ring", 16_B, options);
  sc_core::sc_start();
  for (int rank = 0; rank < 3; ++rank)  // slices of 2, 1 and 1 elements
    CHECK(gathered.result_as<std::int32_t>(rank) == std::vector<std::int32_t>{1, 2, 13, 24});
  CHECK(scattered.result_as<std::int32_t>(0) == std::vector<std::int32_t>{33, 36});
  CHECK(scattered.result_as<std::int32_t>(2) == std::vector<std::int32_t>{42});
  CHECK(scattered.error() == "");
}

TEST_CASE("by name: a spoilt element is found with data of the user and with generated data", "[system][by_name]") {
  for (const bool own : {false, true})
    CHECK(in_child([&] {
            SimulatedMachine machine("dgx2");
            PostOptions options;
            options.count = 2;
            if (own) options.operands = operands_of<float>({std::vector<float>(64, 1), std::vector<float>(64, 2)});
            const Posted posted = post_allreduce(machine, "push", 256_B, options);
            sc_core::sc_start();
            float spoilt = 4;
            std::memcpy(machine.platform().memory_of(1) + 8, &spoilt, 4);
            return posted.error();
          }) == "allreduce by push has 1 wrong elements");
}

TEST_CASE("by name: without data only the time is known", "[system][by_name]") {
  SimulatedMachine machine("rack:6");
  machine.set_data(SimulatedMachine::Data::none);
  const Posted posted = post_allreduce(machine, "netreduce", 1_MiB);
  CHECK_THROWS_WITH(posted.start(), Contains("has not started"));
  CHECK_THROWS_WITH(posted.end(), Contains("has not ended"));
  sc_core::sc_start();
  CHECK(posted.done());
  CHECK(posted.time() > 0);
  CHECK(posted.error() == "");
  CHECK_THROWS_WITH(posted.wrong(), Contains("has no data"));
}

TEST_CASE("by name: a collective that cannot end names what waits", "[system][by_name]") {
  SimulatedMachine machine("dgx2");
  machine.add_fault("down:gpu0.port0@0us");
  const Posted posted = post_allreduce(machine, "push", 64_KiB);
  sc_core::sc_start(10, sc_core::SC_MS);
  CHECK_FALSE(posted.done());
  CHECK_THAT(posted.error(), Contains("allreduce by push has not ended; dgx2."));
}

TEST_CASE("by name: an unknown name is refused with the legal ones", "[system][by_name]") {
  const auto post_on = [](const std::string& platform, const std::string& collective, const std::string& algorithm,
                          const PostOptions& options = {}, Bytes size = 1_KiB) {
    return error_of([&] { SimulatedMachine(platform).post(collective, algorithm, size, options); });
  };
  CHECK_THAT(post_on("dgx3", "allreduce", "push"), Contains("unknown platform 'dgx3'; did you mean dgx2?"));
  CHECK_THAT(post_on("dgx2", "allreduc", "push"), Contains("post: unknown collective 'allreduc'") && Contains("barrier"));
  CHECK_THAT(post_on("dgx2", "allreduce", "pish"),
             Contains("unknown allreduce algorithm 'pish'") && Contains("legal: push, pull"));
  CHECK_THAT(post_on("dgx2", "allreduce", "netreduce"), Contains("runs on hosts on Ethernet"));
  CHECK_THAT(post_on("mesh:4x4", "allreduce", "multitree", {}, 1_MiB), Contains("needs 37 table entries"));
  CHECK_THAT(post_on("torus:4x3", "allreduce", "hdrm"), Contains("hdrm needs a BiGraph"));
  CHECK_THAT(post_on("dgx2", "allreduce", "push", {}, 6_B), Contains("multiple of f32 elements (legal: multiples of 4B)"));
  PostOptions options;
  options.ranks = {0, 16};
  CHECK_THAT(post_on("dgx2", "allreduce", "push", options), Contains("dgx2 has no gpu16 (legal: 0 to 15)"));
  options.ranks = {3, 3};
  CHECK_THAT(post_on("dgx2", "allreduce", "push", options), Contains("gpu3 has two ranks"));
  options.ranks = {3};
  CHECK_THAT(post_on("dgx2", "allreduce", "push", options), Contains("legal: 2 to 16"));
  options = {};
  options.count = 17;
  CHECK_THAT(post_on("dgx2", "allreduce", "push", options), Contains("legal: 2 to 16"));
  options = {};
  options.root = 2;
  CHECK_THAT(post_on("dgx2", "allreduce", "push", options), Contains("has no root (legal: with broadcast"));
  options = {};
  options.op = ReduceOp::max;
  CHECK_THAT(post_on("dgx2", "broadcast", "ring", options), Contains("reduces nothing"));
  CHECK_THAT(post_on("dgx2", "multicast", "ring"), Contains("needs targets"));
  options = {};
  options.delays = {1_us};
  CHECK_THAT(post_on("dgx2", "allreduce", "push", options), Contains("1 delays for 16 ranks"));
  options = {};
  options.operands = operands_of<float>({{1, 2}});
  CHECK_THAT(post_on("dgx2", "allreduce", "push", options), Contains("has 8 B (legal: 1024 B"));
}

TEST_CASE("by name: a collective that needs another machine is refused", "[system][by_name]") {
  const auto two = [](const std::string& platform, const std::string& first, const std::string& second, bool started) {
    return error_of([&] {
      SimulatedMachine machine(platform);
      post_allreduce(machine, first, 64_KiB);
      if (started) sc_core::sc_start();
      post_allreduce(machine, second, 64_KiB);
      sc_core::sc_start();
    });
  };
  for (const bool started : {false, true}) {
    CHECK_THAT(two("rack:6", "netreduce", "ring", started),
               Contains("allreduce by ring needs host0=an agent of commands, and the machine has an agent of rings for "
                        "allreduce by netreduce"));
    CHECK_THAT(two("tofino:4", "switchml", "atp", started), Contains("program=atp of 4 workers"));
  }
  CHECK(two("dgx2", "push", "nccl", false) == "no error");
  CHECK_THAT(two("dgx2", "push", "nccl", true), Contains("post it before the machine is elaborated"));
  CHECK(two("torus:4x4", "multitree", "ring", true) == "no error");
  CHECK(two("dgx1v", "blink", "nccl", true) == "no error");
}

TEST_CASE("by name: stream engines of a later collective change no earlier one", "[system][by_name]") {
  const Named push{"dgx2", "push"}, nccl{"dgx2", "nccl"};
  CHECK(in_child([&] {
          SimulatedMachine machine("dgx2");
          const Posted one = post(machine, push), two = post(machine, nccl);
          sc_core::sc_start();
          return text_of(one) + "; " + text_of(two);
        }) == by_command_line(push) + "; " + by_command_line(nccl));
}

TEST_CASE("by name: settings precede the first collective", "[system][by_name]") {
  SimulatedMachine machine("dgx2");
  post_allreduce(machine, "push", 1_KiB);
  CHECK_THROWS_WITH(machine.set("nvswitch.link.latency=30ns"), Contains("after its first collective"));
}

}  // namespace tributary::test_by_name
