// --pcap, --capture and --fault of frames: what is refused, and how.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_capture_options {

using Catch::Matchers::Contains;

namespace {

std::string refusal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "--size", "4B"});
  try {
    parse_command_line(arguments);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("captures are of platforms with frames", "[pure][cli]") {
  CHECK_THAT(refusal({"--capture", "*"}), Contains("--capture requires --pcap FILE"));
  CHECK_THAT(refusal({"--pcap", "/dev/null"}), Contains("--pcap: the bytes of packets are not modelled on dgx2 (legal: "));
  CHECK_THAT(refusal({"--platform", "torus:4x4", "--pcap", "/dev/null"}),
             Contains("the bytes of packets are not modelled on torus:4x4"));
}

TEST_CASE("faults of frames are of platforms with frames", "[pure][cli]") {
  CHECK_THAT(refusal({"--fault", "drop:gradient:0:1:2"}), Contains("unknown fault 'drop'"));
  RunSpec spec;
  spec.jobs[0].items.resize(1);
  spec.frame_faults.push_back("drop:gradient:0:1:2");
  CHECK_THROWS_WITH(resolve_parameters(spec), Contains("carry no Ethernet frames; legal: no faults of frames"));
}

}  // namespace tributary::test_capture_options
