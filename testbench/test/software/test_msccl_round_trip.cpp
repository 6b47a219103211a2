// Conversion of schedules to MSCCL files and back.
#include <catch2/catch.hpp>

#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/interchange/msccl/collective_rules.h"
#include "testbench/interchange/msccl/export.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/interchange/msccl/proof.h"
#include "testbench/interchange/msccl/reader.h"
#include "testbench/interchange/msccl/writer.h"

namespace tributary::test_msccl_round_trip {

using namespace tributary::msccl;
using Catch::Matchers::Contains;

namespace {

/// Export, read, prove, import, export: the same bytes, and messages of the same chunks between the same ranks.
void check_round_trip(const collective::Schedule& schedule, const std::string& collective, int root) {
  CAPTURE(collective, schedule.algorithm, schedule.ranks, root);
  const std::string text = xml_of(export_schedule(schedule, collective));
  const ReadAlgorithm read = read_algorithm(text, "F");
  const Proof proof = prove(read.algorithm);
  CHECK(proof.reason.empty());
  const ImportedSchedule imported = import_schedule(read.algorithm, "F");
  CHECK(imported.collective == collective);
  CHECK(imported.root == root);
  CHECK(imported.schedule.chunks == schedule.chunks);
  CHECK(xml_of(export_schedule(imported.schedule, imported.collective)) == text);
  const auto sends = [](const collective::Schedule& s) {
    std::vector<std::vector<int>> all;
    for (int r = 0; r < s.ranks; ++r)
      for (const collective::Operation& o : s.programs[static_cast<std::size_t>(r)])
        if (o.kind == collective::OperationKind::send) all.push_back({r, o.peer, o.chunk});
    std::sort(all.begin(), all.end());
    return all;
  };
  CHECK(sends(imported.schedule) == sends(schedule));
  CHECK(size_of(read.algorithm).messages == sends(schedule).size());
  verify_direct_placement(fuse(imported.schedule));  // required to run it on machines; throws
}

}  // namespace

TEST_CASE("all software algorithms of 2 to 16 ranks survive conversion to MSCCL files", "[pure][msccl]") {
  constexpr std::uint64_t bytes = 1 << 16;  // four chunks per pipeline
  for (const collective::SoftwareAlgorithm& a : collective::software_algorithms()) {
    const CollectiveRule* const rule = rule_of_collective(a.collective);
    if (rule == nullptr) continue;  // multicast, barrier
    for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 11, 13, 16})
      check_round_trip(a.build({ranks, ranks / 2, bytes}), a.collective, rule->rooted ? ranks / 2 : 0);
  }
}

TEST_CASE("schedules of networks survive conversion to MSCCL files", "[pure][msccl]") {
  for (const char* name : {"torus:2x2", "torus:3x3", "mesh:2x3", "fat_tree_2level:16"}) {
    const topology::Network network = topology::network(name);
    for (const collective::NetworkAlgorithm& a : collective::network_algorithms()) {
      collective::Schedule schedule;
      try {
        schedule = collective::network_schedule(network, {a.collective, a.name, {}}).schedule;
      } catch (const collective::ScheduleError&) {
        continue;  // the network does not support it
      }
      check_round_trip(schedule, a.collective, 0);
    }
  }
}

TEST_CASE("schedules that MSCCL cannot express are rejected", "[pure][msccl]") {
  using collective::software_schedule;
  const auto refusal = [](const collective::Schedule& schedule, const std::string& collective) -> std::string {
    try {
      export_schedule(schedule, collective);
    } catch (const collective::ScheduleError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK_THAT(refusal(software_schedule("barrier", "dissemination", 4, 0, 4), "barrier"), Contains("no collective barrier"));
  CHECK_THAT(refusal(software_schedule("allgather", "ring", 4, 0, 4096), "alltoall"), Contains("not those of an MSCCL"));
}

TEST_CASE("an MSCCL file whose ranks hold two values of a chunk simultaneously is not supported", "[pure][msccl]") {
  // GPU 1 keeps its own operand in i, the sum in o, and sends both.
  const std::string text = R"(<algo name="t" proto="LL" nchannels="2" nchunksperloop="1" ngpus="2" coll="allreduce"
inplace="0" outofplace="1" minBytes="0" maxBytes="0">
<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="1">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb></gpu>
<gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="rrcs" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb></gpu></algo>)";
  const Algorithm algorithm = read_algorithm(text, "F").algorithm;
  CHECK(prove(algorithm).proved);
  CHECK_THAT(
      [&]() -> std::string {
        try {
          import_schedule(algorithm, "F");
        } catch (const std::exception& error) {
          return error.what();
        }
        return "accepted";
      }(),
      Catch::StartsWith(
          "F:12: gpu 1 tb 0 step 1 (s to 0, channel 0) uses a value of chunk 0, but gpu 1 holds another value"));
}

TEST_CASE("an MSCCL file runs as its own collective, among its ranks", "[pure][msccl]") {
  const std::string name = "msccl:" TRIBUTARY_SOURCE_DIR "/testbench/workload/data/msccl/ring4.xml";
  CHECK(names_file(name));
  CHECK_FALSE(names_file("ring"));
  tributary::JobSpec job;
  job.algorithm = name;
  CHECK(schedule_of(job, 4).ranks == 4);
  CHECK_THROWS_WITH(schedule_of(job, 8), Contains("the file has allreduce of 4 ranks, but the job is allreduce of 8"));
  job.imported = std::make_shared<const tributary::collective::Schedule>(import_named(name).schedule);
  job.algorithm = "msccl:a file that is not read again";
  CHECK(schedule_of(job, 4).ranks == 4);
  CHECK_THROWS_WITH(schedule_of(job, 8), Contains("the file has allreduce of 4 ranks, but the job is allreduce of 8"));
  job.imported.reset();
  job.algorithm = name;
  job.collective = "allgather";
  CHECK_THROWS_WITH(schedule_of(job, 4), Contains("the file has allreduce of 4 ranks, but the job is allgather of 4"));
}

}  // namespace tributary::test_msccl_round_trip
