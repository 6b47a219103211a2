// Platforms in one process are independent: each run has the fingerprint that it has alone.
#include <catch2/catch.hpp>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/test/harness/forked_run.h"

namespace tributary::test_two_platforms {
namespace {

RunSpec spec_of(const std::string& options) {
  std::istringstream in("run " + options);
  const Command command = parse_command_line(
      std::vector<std::string>(std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()));
  RunSpec spec = std::get<RunRequest>(command).spec;
  spec.trajectory = true;
  return spec;
}

Run run_in(Session& session, std::size_t message) {
  Run run;
  run.row = session.run(message).front();
  run.hashes = session.hashes();
  return run;
}

void check_in_turns(const std::vector<std::string>& options) {
  std::vector<RunSpec> specs;
  std::vector<std::vector<Run>> alone;
  for (const std::string& o : options) specs.push_back(spec_of(o)), alone.push_back(run_all(specs.back()));
  std::vector<std::unique_ptr<Session>> sessions;
  for (const RunSpec& spec : specs) sessions.push_back(std::make_unique<Session>(spec, Session::Elaboration::goes_on));
  for (std::size_t message = 0; message < specs.front().messages(); ++message)
    for (std::size_t s = 0; s < sessions.size(); ++s) {
      const Run run = run_in(*sessions[s], message);
      INFO(options[s] << ", message " << message);
      CHECK(run.row.status == Status::done);
      CHECK(run.hashes.trajectory == alone[s][message].hashes.trajectory);
      CHECK(run.hashes.traffic == alone[s][message].hashes.traffic);
      CHECK(run.row.time == alone[s][message].row.time);
      CHECK(run.row.counters == alone[s][message].row.counters);
    }
}

}  // namespace

TEST_CASE("two platforms: two families in one process, running in turns, run as each does alone", "[system][arena]") {
  check_in_turns({"--platform dgx2 --algorithm push --sizes 16KiB:64KiB:x4",
                  "--platform torus:4x4 --algorithm multitree --sizes 16KiB:64KiB:x4"});
}

TEST_CASE("two platforms: two platforms of one family in one process, running in turns, run as each does alone",
          "[system][arena]") {
  check_in_turns({"--platform dgx2 --algorithm pull --sizes 16KiB:64KiB:x4",
                  "--platform fat_tree:64 --algorithm push --sizes 16KiB:64KiB:x4"});
}

}  // namespace tributary::test_two_platforms
