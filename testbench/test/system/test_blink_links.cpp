/// Links of servers of GPUs by arithmetic: rates of topology files, several NICs, buffers of routers (docs/blocks/pcie.md).
#include <catch2/catch.hpp>
#include <fstream>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_blink_links {
namespace {

constexpr Bytes MB(std::uint64_t n) { return bytes(n * 1'000'000); }

RunSpec spec_of(const std::string& platform, const std::string& collective, const std::vector<int>& gpus, Bytes size,
                const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(collective, "blink", gpus, {size}, settings);
  spec.platform = platform;
  return spec;
}

double rate(RunSpec spec, const std::string& setting) {
  spec.parameters.fields().set_assignment(setting);
  return run_one(without_data(std::move(spec))).row.algbw_GBps();
}

}  // namespace

// The parts of the trees have roots at all four PCIe switches; whole trees cannot be divided evenly among NICs.
TEST_CASE("blink: the NICs of a server share an all-reduce", "[system][blink]") {
  const RunSpec spec = spec_of("servers:2xdgx1v", "allreduce", first_gpus(16), MB(40));
  const double one = rate(spec, "blink.net.nics=1"), two = rate(spec, "blink.net.nics=2"),
               four = rate(spec, "blink.net.nics=4");
  CHECK(one <= 5.01);
  CHECK(two > 1.6 * one);
  CHECK(two <= 10.02);
  CHECK(four > 1.5 * two);
  CHECK(four <= 20.04);
}

// 12.5 GB/s with a round trip of 4 us: 100 KB are in flight.
TEST_CASE("blink: buffers of NICs cover the latency of a network", "[system][blink]") {
  const RunSpec spec = spec_of("servers:2xdgx1v", "broadcast", {0, 8}, MB(100),
                               {"blink.net.attach=ideal", "blink.net.latency=4us", "blink.net.rate=100Gb/s"});
  CHECK(rate(spec, "blink.chunk=10MB") == Approx(12.5).epsilon(0.02));
  CHECK(rate(spec, "blink.pcie.buffer_flits=2048") < 5);
}

// 8 lanes of 8 GT/s to one of two GPUs, whose path crosses two processors: TLPs of 64 B in 88.
TEST_CASE("blink: PCIe links have the rates of their file unless one is set", "[system][blink]") {
  const TemporaryFolder folder;
  std::string text = with(small_xml, "<nvlink target=\"0000:0A:00.0\" count=\"2\" tclass=\"0x030200\"/>", "");
  text = with(text, "<nvlink target=\"0000:02:00.0\" count=\"2\" tclass=\"0x030200\"/>", "");
  std::ofstream(folder.file("half.xml")) << text;
  const RunSpec spec = spec_of("nccl_xml:" + folder.file("half.xml"), "broadcast", {0, 1}, MB(100));
  CHECK(rate(spec, "blink.chunk=10MB") == Approx(8 * 128.0 / 130 * 0.9 * 64 / 88).epsilon(0.02));
  CHECK(rate(spec, "blink.pcie.rate=4GB/s") == Approx(4 * 0.9 * 64 / 88).epsilon(0.02));
  CHECK(rate(spec, "blink.pcie.rate=16GB/s") == Approx(6).epsilon(0.03));  // between processors
}

}  // namespace tributary::test_blink_links
