// Tests records of a run over time: stretches, levels, events, stages, spans; and the timeline for Perfetto.

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <numeric>
#include <protozero/pbf_reader.hpp>

#include "testbench/record/perfetto_writer.h"
#include "testbench/record/run_record.h"
#include "testbench/record/timeline.h"

namespace tributary::test_run_record {
namespace {

/// 25 GB/s, flits of 16 B: 640 ps each.
struct TestMeter : LinkMeter {
  explicit TestMeter(const Arena& arena) : LinkMeter(Bandwidth{25'000'000'000}, 20'000, 640, PacketFormat{16, 16}, arena) {}
};

/// One link, one table, one GPU.
struct Scene {
  Arena arena;
  TestMeter meter{arena};
  std::vector<DirectedLink> links{{"gpu0.port0>switch0.port1", &meter}};
  ProbeDirectory probes;
  SignalProbe occupancy, evictions, stage, base, count;
  PacketProbe delivered;
  ReductionProbe reductions;
  RecordChoice choice;

  Scene() {
    probes.add_signal("box.switch0.table.occupancy", occupancy, SignalKind::level, 16, "");
    probes.add_signal("box.switch0.table.evictions", evictions, SignalKind::strobe, 16, "");
    probes.add_signal("box.gpu0.operation.stage", stage, SignalKind::level, 16, "");
    probes.add_signal("box.gpu0.dma.wave0.base", base, SignalKind::level, 16, "");
    probes.add_signal("box.gpu0.dma.wave0.count", count, SignalKind::level, 16, "");
    probes.add("box.gpu0.delivered", delivered, "");
    probes.add("box.switch0.table.reductions", reductions, "", 4);
    choice.levels = {{"*.occupancy", "entries"}};
    choice.events = {{"*.evictions", "evictions"}};
    choice.stages = {{"*.stage", "stages"}};
    choice.spans = {{"*.wave*.base", "count", "waves"}};
  }
  void send(Tick time, std::uint64_t block, std::uint16_t source = 3) {
    PacketView packet;
    packet.address = block, packet.bytes = 144, packet.source = source;
    meter.sent(time, packet);
  }
  void reduce(Tick time, ReductionEvent::Kind kind, std::uint64_t block, std::uint16_t source) {
    ReductionEvent event;
    event.kind = kind, event.block = block, event.source = source;
    reductions(time, event);
  }
};

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

Timeline timeline_of(Scene& scene, const TimelineSpec& spec) {
  return Timeline(spec, scene.links, scene.probes, scene.choice,
                  TrailRules{[](const PacketView& p) { return PacketTrail{p.address}; },
                             [](const ReductionEvent& e) { return PacketTrail{e.block}; }});
}

}  // namespace

TEST_CASE("stretches double in length over time without loss") {
  TimeBins bins;
  bins.reset();
  double expected = 0;
  for (Tick t = 0; t < 50'000'000; t += 9'973) bins.add_level(t, t + 4'001, 2), expected += 2 * 4'001;
  CHECK(bins.sums().size() <= TimeBins::most);
  CHECK(bins.sums().size() > TimeBins::most / 2);
  CHECK(sum(bins.sums()) == Approx(expected));
  for (const double peak : bins.peaks()) CHECK(peak == 2);
  for (std::size_t i = 0; i + 1 < bins.sums().size(); ++i)
    CHECK(bins.sums()[i] / static_cast<double>(Tick{1} << bins.shift()) == Approx(2 * 4'001.0 / 9'973).epsilon(0.05));
}

TEST_CASE("a record has a link's busy time, independent of packet times") {
  Scene scene;
  RunRecord record(scene.links, scene.probes, scene.choice);
  record.reset(1'000'000);
  for (int i = 0; i < 100; ++i) scene.send(1'000'000 + static_cast<Tick>(i) * 57'600, 1);  // 5760 ps each: a tenth
  record.end(1'000'000 + 5'760'000);
  REQUIRE(record.links().size() == 1);
  const std::vector<double>& busy = record.links().front().means;
  CHECK(busy.size() == record.stretches());
  double picoseconds = 0;
  for (std::size_t i = 0; i < busy.size(); ++i)
    picoseconds += busy[i] * static_cast<double>(std::min(record.stretch(), record.length() - i * record.stretch()));
  CHECK(picoseconds == Approx(100 * 5760));
  CHECK(record.links().front().rate_GBps == Approx(25));
}

TEST_CASE("a record has levels by their time, events by their number, stages in sequence") {
  Scene scene;
  RunRecord record(scene.links, scene.probes, scene.choice);
  record.reset(0);
  scene.occupancy(0, 4);
  scene.occupancy(500'000, 8);
  for (Tick t = 0; t < 10; ++t) scene.evictions(t * 100'000, 1);
  scene.stage(100'000, 1);
  scene.stage(300'000, 2);
  scene.stage(700'000, 0);
  scene.base(100'000, 0), scene.count(350'000, 1), scene.count(600'000, 2);
  record.end(1'000'000);
  REQUIRE(record.levels().size() == 2);
  const RecordedSeries& level = record.levels()[0].members.at(0);
  CHECK(level.name == "switch0.table.occupancy");
  CHECK(level.means.front() == Approx(4));
  CHECK(level.means.back() == Approx(8));
  CHECK(sum(level.means) / static_cast<double>(level.means.size()) == Approx(6).epsilon(0.02));
  CHECK(sum(record.events().at(0).means) == 10);
  const RecordedLane& lane = record.stages().at(0).members.at(0);
  REQUIRE(lane.stages.size() == 2);
  CHECK(lane.stages[1].value == 2);
  CHECK(lane.stages[1].from == 300'000);
  CHECK(lane.stages[1].to == 700'000);
  const RecordedSeries& waves = record.levels()[1].members.at(0);
  CHECK(waves.name == "gpu0");
  CHECK(sum(waves.means) * static_cast<double>(record.stretch()) == Approx(500'000).epsilon(0.03));
}

TEST_CASE("a record restarts with each run, and omits inactive probes") {
  Scene scene;
  RunRecord record(scene.links, scene.probes, scene.choice);
  record.reset(0);
  scene.occupancy(10, 3), scene.evictions(20, 1), scene.send(30, 1);
  record.end(1'000'000);
  record.reset(5'000'000);
  record.end(6'000'000);
  CHECK(record.length() == 1'000'000);
  CHECK(sum(record.links().front().means) == 0);
  CHECK(record.levels().at(0).members.empty());
  CHECK(record.events().empty());
}

TEST_CASE("a timeline has a slice for each packet, entry, stage and wave, and an instant for each operand") {
  using What = ReductionEvent::Kind;
  Scene scene;
  Timeline timeline = timeline_of(scene, {});
  timeline.reset(1000);
  scene.send(2000, 62);
  scene.reduce(9000, What::allocated, 62, 3);
  scene.reduce(9500, What::merged, 62, 4);
  scene.reduce(9900, What::completed, 62, 5);
  scene.reduce(10000, What::freed, 62, ReductionEvent::no_source);
  scene.stage(1000, 1), scene.stage(50'000, 0);
  scene.base(1000, 0), scene.count(20'000, 1);
  scene.occupancy(9000, 1);
  PacketView packet;
  packet.address = 62;
  scene.delivered(30'000, packet);
  timeline.end(60'000);
  std::map<std::string, unsigned> count;
  for (const TimelineEvent& e : timeline.events()) {
    const char* kinds[] = {"slice ", "instant ", "counter "};
    ++count[kinds[static_cast<std::size_t>(e.kind)] + timeline.tracks()[e.track].name];
    CHECK(e.to >= e.from);
  }
  CHECK(count == std::map<std::string, unsigned>{{"slice port0 > switch0.port1", 1},
                                                 {"slice table entry 0", 1},
                                                 {"instant table entry 0", 3 + 1},  // operands, completion
                                                 {"slice operation.stage", 1},
                                                 {"slice dma.wave0", 1},
                                                 {"counter table.occupancy", 1},
                                                 {"instant arrivals", 1}});
  const TimelineEvent& first = timeline.events().front();
  CHECK(first.from == 0);
}

TEST_CASE("a timeline keeps only the requested window and names") {
  Scene scene;
  TimelineSpec spec;
  spec.globs = {"*.link"}, spec.from = 10'000, spec.to = 20'000;
  Timeline timeline = timeline_of(scene, spec);
  timeline.reset(0);
  for (Tick t = 0; t < 40'000; t += 8'000) scene.send(t, 1);
  scene.occupancy(12'000, 1);
  timeline.end(50'000);
  std::vector<Tick> starts;
  for (const TimelineEvent& e : timeline.events()) starts.push_back(e.from);
  CHECK(starts == std::vector<Tick>{8'000, 16'000});  // the first of them ends within the window
}

TEST_CASE("slices of a written timeline begin and end alternately, even if rounding to ns makes them empty") {
  for (const bool nanoseconds : {false, true}) {
    Scene scene;
    Timeline timeline = timeline_of(scene, {});
    timeline.reset(0);
    for (Tick t = 0; t < 57'600; t += 5'760) scene.send(t, t);
    scene.stage(100, 1), scene.stage(200, 2), scene.stage(300, 0);  // within one nanosecond
    timeline.end(60'000);
    const std::string text = perfetto_text("box", timeline, nanoseconds);
    std::map<std::uint64_t, int> depth;
    std::uint64_t last = 0;
    int slices = 0;
    protozero::pbf_reader trace(text);
    while (trace.next(1)) {
      protozero::pbf_reader packet = trace.get_message(), event;
      std::uint64_t time = 0, track = 0;
      int type = 0;
      while (packet.next()) {
        if (packet.tag() == 8)
          time = packet.get_uint64();
        else if (packet.tag() == 11)
          event = packet.get_message();
        else
          packet.skip();
      }
      while (event.next()) {
        if (event.tag() == 9)
          type = event.get_enum();
        else if (event.tag() == 11)
          track = event.get_uint64();
        else
          event.skip();
      }
      if (type == 0) continue;
      CHECK(time >= last);
      last = time;
      if (type == 1) ++slices, ++depth[track];
      if (type == 2) --depth[track];
      CHECK(depth[track] >= 0);
      CHECK(depth[track] <= 1);
    }
    CHECK(slices == 12);
    for (const auto& [track, open] : depth) CHECK(open == 0);
  }
}

}  // namespace tributary::test_run_record
