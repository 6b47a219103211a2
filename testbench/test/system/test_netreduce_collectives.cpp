/// Reduce-scatter, all-gather, broadcast and reduce in the accelerators of NetReduce, end to end
/// (docs/systems/netreduce.md#other-collectives).
#include <catch2/catch.hpp>

#include "modules/protocol/roce.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_collectives {
namespace {

const std::vector<std::string> collectives{"reduce_scatter", "allgather", "broadcast", "reduce"};

RunSpec spec_of(const std::string& platform, int hosts, const std::string& collective, const std::vector<Bytes>& sizes,
                const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(collective, "netreduce", first_gpus(hosts), sizes, settings);
  spec.platform = platform;
  return spec;
}

ResultRow row_of(const std::string& platform, int hosts, const std::string& collective) {
  RunSpec spec = spec_of(platform, hosts, collective, {8_MiB});
  spec.jobs.front().root = 0;
  return run_one(without_data(spec)).row;
}

std::uint64_t bytes_of(const ResultRow& row, const std::string& link) {
  for (const LinkUse& use : row.links)
    if (use.name == link) return use.bytes;
  FAIL("no link " << link);
  return 0;
}

double us(const ResultRow& row) { return static_cast<double>(row.time) * 1e-6; }

// 8 MiB are 8192 packets of 1024 B in 49 messages of 169 data packets, 89 of them without data. A WRITE of one packet has
// 62 B of headers, 16 B of RETH, 20 B of preamble and gap; a message begins with 16 B and ends with 4 B of immediate data.
constexpr std::uint64_t packets = 8192, messages = 49, padding = messages * 169 - packets;
constexpr std::uint64_t full = 1024 + 98, empty = 98, of_message = 114 + 4;
static_assert(padding == 89);

/// Bytes of a connection on which `data` of the packets carry data.
constexpr std::uint64_t connection(std::uint64_t data) {
  return data * full + (packets - data + padding) * empty + messages * of_message;
}
/// Bytes between accelerators, whose frames have 62 B of headers, and no data in the first packet of a message. The smallest
/// frame has 64 B.
constexpr std::uint64_t virtual_connection_bytes(std::uint64_t data) {
  return data * (1024 + 82) + (packets - data + padding + messages) * 84;
}
constexpr std::uint64_t notification = 98;

}  // namespace

TEST_CASE("netreduce collectives: bytes on each link are those of data and empty packets", "[system][netreduce]") {
  struct Case {
    const char* collective;
    std::uint64_t sent_by_0, received_by_0, sent_by_3, received_by_3;  // packets with data, of root and another rank
  };
  for (const Case& c : {Case{"reduce_scatter", packets, packets / 8, packets, packets / 8},
                        Case{"allgather", packets / 8, packets / 8 * 7, packets / 8, packets / 8 * 7},
                        Case{"broadcast", packets, 0, 0, packets}, Case{"reduce", packets, packets, packets, 0}}) {
    INFO(c.collective);
    const ResultRow row = row_of("rack:8", 8, c.collective);
    // ACKs, of 86 B, go against the ring: rank 0 has those of rank 7 and sends those of its own packets' receiver.
    const std::uint64_t acks = messages * 86;
    CHECK(bytes_of(row, "host0.port0>switch.port0") == connection(c.sent_by_0) + acks);
    CHECK(bytes_of(row, "switch.port0>host0.port0") == connection(c.received_by_0) + acks);
    CHECK(bytes_of(row, "host3.port0>switch.port3") == connection(c.sent_by_3) + acks);
    CHECK(bytes_of(row, "switch.port3>host3.port0") == connection(c.received_by_3) + acks);
    const ResultRow tree = row_of("spine_leaf:2x4", 8, c.collective);
    const bool adds = c.sent_by_3 == packets;  // otherwise leaf 0 sends up what its ranks send
    const std::uint64_t up = adds ? packets : c.sent_by_0 == packets ? packets : packets / 2;
    const std::uint64_t down = !adds ? packets : c.received_by_0 == packets ? packets : packets / 2;
    // One connection each way crosses the spine, with its notification and the ACKs of the other one.
    const std::uint64_t other = notification + acks;
    CHECK(bytes_of(tree, "leaf0.port9>spine.port0") == virtual_connection_bytes(up) + other);
    CHECK(bytes_of(tree, "spine.port0>leaf0.port9") == virtual_connection_bytes(down) + other);
    CHECK(bytes_of(tree, "leaf0.port0>host0.port0") == connection(c.received_by_0) + acks);
  }
}

TEST_CASE("netreduce collectives: times of large tensors are those of the busiest link", "[system][netreduce]") {
  // A few us pass until the first result arrives, as in an all-reduce.
  const auto check = [](const ResultRow& row, double wire_us) {
    CHECK(us(row) > wire_us);
    CHECK(us(row) < wire_us + 7);
  };
  constexpr double byte_us = 80e-6;
  for (const char* c : {"reduce_scatter", "broadcast", "reduce"}) {
    INFO(c);
    check(row_of("rack:8", 8, c), static_cast<double>(connection(packets)) * byte_us);
    check(row_of("spine_leaf:2x4", 8, c), static_cast<double>(connection(packets)) * byte_us);
  }
  check(row_of("rack:8", 8, "allgather"), static_cast<double>(connection(packets / 8 * 7)) * byte_us);
  // All data come down to each leaf.
  check(row_of("spine_leaf:2x4", 8, "allgather"), static_cast<double>(virtual_connection_bytes(packets)) * byte_us);
  // With two ranks the combinator is slower than the links: 17 cycles for each packet with data.
  check(row_of("rack:2", 2, "allgather"), static_cast<double>(packets) * 17 * 3.103e-3);
}

TEST_CASE("netreduce collectives: all sizes, types and shapes of rings are right", "[system][netreduce]") {
  for (const std::string& c : collectives) {
    INFO(c);
    const std::vector<std::string> short_messages{"netreduce.flow_control.message_packets=3"};
    for (const int hosts : {2, 3, 5})
      check_modes(spec_of("rack:" + std::to_string(hosts), hosts, c, {5000_B}, short_messages));
    check_modes(spec_of("spine_leaf:3x3", 9, c, {4_B, 20'000_B}, short_messages));
    check_modes(spec_of("spine_leaf:3x1", 3, c, {5000_B}, {"netreduce.flow_control.message_packets=2"}));
    RunSpec other = spec_of("rack:4", 3, c, {30'002_B}, short_messages);
    other.jobs.front().ranks = {3, 0, 2};
    other.jobs.front().root = c == "reduce" || c == "broadcast" ? 2 : 0;
    other.jobs.front().type = ElementType::f16;
    check_modes(other);
  }
}

TEST_CASE("netreduce collectives: other parameters are right in both modes", "[system][netreduce]") {
  for (const char* setting :
       {"netreduce.switch.forwarding=store_and_forward", "netreduce.switch.pfc.on=true", "netreduce.nic.mtu=256B",
        "netreduce.nic.ack_interval=2", "netreduce.nic.dcqcn.on=true", "netreduce.flow_control.window=1",
        "netreduce.flow_control.buffers=staged", "netreduce.flow_control.buffers=in_place",
        "netreduce.accelerator.value=recomputed", "netreduce.accelerator.ctt.learn=per_message",
        "netreduce.link.check=bytes", "netreduce.accelerator.output_queue=4KiB", "netreduce.accelerator.order=chain"}) {
    INFO(setting);
    const std::vector<std::string> settings{setting, "netreduce.flow_control.message_packets=7"};
    for (const std::string& c : collectives) check_modes(spec_of("spine_leaf:2x2", 4, c, {40_KiB}, settings));
  }
}

TEST_CASE("netreduce collectives: a lost frame of each kind is repaired", "[system][netreduce]") {
  for (const std::string& c : collectives)
    for (const char* platform : {"rack:4", "spine_leaf:2x2"})
      for (const char* fault :
           {"drop:gradient:1:1:3", "drop:gradient:2:0:0", "drop:result:1:1:4", "drop:result:3:2:7", "drop:ack:1:0",
            "drop:nack:0:0", "corrupt:gradient:0:1:2", "flip:result:2:1:1", "duplicate:gradient:1:1:5"}) {
        INFO(c << " " << platform << " " << fault);
        RunSpec spec = spec_of(platform, 4, c, {28_KiB}, {"netreduce.flow_control.message_packets=8"});
        spec.frame_faults.emplace_back(fault);
        CHECK(run_with_both(spec).status == Status::done);
      }
}

TEST_CASE("netreduce collectives: random losses are repaired", "[system][netreduce]") {
  for (const std::string& c : collectives)
    for (const char* platform : {"rack:4", "spine_leaf:2x3"})
      for (const char* loss : {"0.001", "0.02", "0.1"}) {
        INFO(c << " " << platform << " " << loss);
        RunSpec spec = spec_of(platform, platform[0] == 'r' ? 4 : 6, c, {50'000_B},
                               {std::string("netreduce.link.loss_rate=") + loss, "netreduce.flow_control.message_packets=8",
                                "netreduce.nic.retry_count=0", "watchdog.window=50ms"});
        const ResultRow row = run_with_both(spec);
        CHECK(row.status == Status::done);
        CHECK(count_of(row, "nic.rewinds") > 0);
      }
}

TEST_CASE("netreduce collectives: a late rank delays the others, whose NICs send again", "[system][netreduce]") {
  for (const std::string& c : collectives) {
    INFO(c);
    RunSpec spec = spec_of("rack:4", 4, c, {100'000_B});
    const Tick together = run_one(spec).row.time;
    spec.jobs.front().skew = parse_skew("0us,0us,250us,0us", 4, 1000_ms);
    const ResultRow row = check_modes(spec).front().row;
    CHECK(row.time > 250'000'000);
    CHECK(row.time < 250'000'000 + 3 * together + 200'000'000);
    CHECK(count_of(row, "nic.timeouts") >= 3);  // of the three ranks that are early
  }
}

TEST_CASE("netreduce collectives: two jobs on one accelerator", "[system][netreduce]") {
  RunSpec spec = spec_of("rack:6", 3, "allgather", {100'000_B});
  JobSpec second = spec.jobs.front();
  second.collective = "reduce_scatter";
  second.ranks = {3, 4, 5};
  spec.jobs.push_back(second);
  check_modes(spec);
}

}  // namespace tributary::test_netreduce_collectives
