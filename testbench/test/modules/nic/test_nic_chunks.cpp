// Tests chunks sent and received by a NIC.
#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "modules/base/random.h"
#include "modules/nic/core/chunk_assembly.h"
#include "modules/nic/core/injection_queue.h"
#include "modules/nic/core/nic_core.h"
#include "modules/nic/core/reduction_core.h"
#include "testbench/test/harness/plain_table.h"

namespace tributary::test_nic_chunks {
namespace {

struct Chunk {
  std::uint16_t tree;
  std::uint32_t bytes;
  DmaReader::Burst burst;
  std::uint32_t link = 0;
};

}  // namespace

TEST_CASE("chunks are sent in sequence, packet by packet, as their data arrive", "[pure][nic]") {
  InjectionQueue<Chunk> q(FlowControlParams{});
  q.push({1, 600, {1000, 7000, 600}}, 0);
  q.push({2, 100, {500, 500, 100}}, 0);
  CHECK(q.chunks() == 2);
  struct Seen {
    std::uint16_t tree;
    std::uint64_t number, offset;
    std::uint32_t bytes;
    Tick ready;
    bool last;
  };
  std::vector<Seen> seen;
  while (!q.empty()) {
    const InjectionQueue<Chunk>::Packet p = q.next();
    seen.push_back({q.chunk().tree, p.number, p.segment.offset, p.segment.bytes, p.ready, false});
    seen.back().last = q.pop(0);
  }
  REQUIRE(seen.size() == 4);
  const std::uint64_t offsets[] = {0, 256, 512, 0};
  const std::uint32_t sizes[] = {256, 256, 88, 100};
  const Tick ready[] = {1000 + 2560, 1000 + 5120, 7000, 500};
  for (std::size_t i = 0; i < 4; ++i)
    CHECK((seen[i].tree == (i < 3 ? 1 : 2) && seen[i].offset == offsets[i] && seen[i].bytes == sizes[i] &&
           seen[i].ready == ready[i] && seen[i].number == i % 3 && seen[i].last == (i >= 2)));
  q.push({3, 600, {0, 0, 600}}, 0);
  q.pop(0);
  q.reset();
  CHECK(q.empty());
  q.push({4, 600, {0, 0, 600}}, 0);
  CHECK(q.next().segment.offset == 0);
}

// An interface with the bandwidth of two links sends two chunks simultaneously, but never two over one link.
TEST_CASE("channels of an interface send chunks over different links, in the order of the queue", "[pure][nic]") {
  InjectionQueue<Chunk> q(FlowControlParams{}, 2);
  q.push({1, 600, {}, 5}, 0);
  q.push({2, 300, {}, 5}, 0);
  q.push({3, 100, {}, 6}, 0);
  q.push({4, 100, {}, 7}, 0);
  REQUIRE((q.sends(0) && q.sends(1)));
  CHECK((q.chunk(0).tree == 1 && q.chunk(1).tree == 3));  // the second chunk waits for link 5
  CHECK(q.pop(0, 1));
  CHECK(q.chunk(1).tree == 4);
  CHECK(q.pop(0, 1));
  CHECK_FALSE(q.sends(1));
  CHECK((q.chunks() == 2 && !q.empty()));
  CHECK_FALSE(q.pop(0, 0));
  CHECK_FALSE(q.pop(0, 0));
  CHECK(q.pop(0, 0));
  CHECK((q.chunk(0).tree == 2 && q.number(0) == 3));
}

TEST_CASE("chunks are assembled from packets in any order", "[pure][nic]") {
  struct Arrival {
    ChunkAssembly::Key key;
    std::uint32_t bytes;
  };
  constexpr std::uint32_t size = 1000;
  const Segmentation segmentation(FlowControlParams{});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<Arrival> arrivals;
    for (const ChunkKind kind : {ChunkKind::reduce, ChunkKind::gather, ChunkKind::command})
      for (std::uint16_t tree = 0; tree < 3; ++tree)
        for (std::uint16_t from = 0; from < 3; ++from)
          for (std::uint64_t p = 0; p < segmentation.packets(size); ++p)
            arrivals.push_back({{kind, tree, from}, segmentation.segment(size, p).bytes});
    for (std::size_t i = arrivals.size(); i > 1; --i) std::swap(arrivals[i - 1], arrivals[below(random_at(seed, 1, i), i)]);
    ChunkAssembly assembly;
    unsigned whole = 0;
    for (const Arrival& a : arrivals) whole += assembly.arrived(a.key, a.bytes, size) ? 1 : 0;
    CHECK(whole == 27);
    CHECK(assembly.empty());
  }
}

TEST_CASE("waiting() names an incomplete chunk and its missing bytes", "[pure][nic]") {
  ChunkAssembly a;
  CHECK_FALSE(a.arrived({ChunkKind::gather, 7, 3}, 256, 1000));
  CHECK_FALSE(a.arrived({ChunkKind::reduce, 2, 3}, 256, 600));
  CHECK_FALSE(a.arrived({ChunkKind::command, 17, 5}, 256, 4096));
  CHECK(a.waiting() == std::vector<std::string>{"input: reduce of tree 2 from nic3, 256 of 600 B",
                                                "input: gather of tree 7 from nic3, 256 of 1000 B",
                                                "input: chunk of command 17 from nic5, 256 of 4096 B"});
  CHECK_FALSE(a.arrived({ChunkKind::gather, 7, 3}, 743, 1000));  // one byte is missing
  CHECK_THROWS_AS(a.arrived({ChunkKind::gather, 7, 3}, 2, 1000), std::logic_error);
  CHECK_THROWS_AS(a.arrived({ChunkKind::reduce, 2, 3}, 10, 700), std::logic_error);
  a.reset();
  CHECK(a.waiting().empty());
  CHECK(a.arrived({ChunkKind::gather, 7, 3}, 1000, 1000));
}

TEST_CASE("a short packet is at most as large as any other packet", "[pure][nic]") {
  struct : CompletionListener {
    void done(unsigned, Tick) override {}
    void failed(unsigned, Tick, const std::string&) override {}
  } host;
  PacketPool pool{ScheduleNicLink{}};
  PayloadViews views;
  NicCore::Config config;
  config.schedule.flow_control.payload = 64_B;
  PlainTable table(1);
  ReductionCore reduction(ReductionUnitParams{}, 1_ns);
  struct : MemoryPort {
    AccessTime request(std::uint64_t, std::uint64_t, Tick, AnswerListener&) override { return {}; }
    void read(std::uint64_t, std::byte*, unsigned) override {}
    void write(std::uint64_t, const std::byte*, unsigned) override {}
  } memory;
  NicCore nic(config, pool, views, host, {table, reduction, memory});
  CHECK_THROWS_WITH(nic.post_short(1, 65, 500), "a short packet of 65 B; a packet has at most 64B");
  CHECK(nic.next() == never);
  nic.post_short(1, 64, 500);
  CHECK(nic.next() == 500);
}

// Huang et al., IV-B: the head of a sub-packet holds no source; at the destination the original Next identifies the
// neighbour that sent it.
TEST_CASE("the port by which a chunk left identifies the neighbour that sent it", "[pure][nic]") {
  struct : CompletionListener {
    void done(unsigned, Tick) override {}
    void failed(unsigned, Tick, const std::string&) override {}
  } host;
  PacketPool pool{ScheduleNicLink{}};
  PayloadViews views;
  NicCore::Config config;
  config.schedule.link_rate = 16_GBps;
  config.sender_of_port = {7, 8};
  PlainTable table(1);
  ReductionCore reduction(ReductionUnitParams{}, 1_ns);
  struct : MemoryPort {
    AccessTime request(std::uint64_t, std::uint64_t, Tick, AnswerListener&) override { return {}; }
    void read(std::uint64_t, std::byte*, unsigned) override {}
    void write(std::uint64_t, const std::byte*, unsigned) override {}
  } memory;
  NicCore nic(config, pool, views, host, {table, reduction, memory});
  constexpr std::uint16_t nil = ScheduleEntry::nil;
  NicProgram work;
  work.table.entries = {{ScheduleEntry::Op::reduce, 3, 5, {8, nil, nil, nil}, 1, 0, 256}};
  work.table.reduces = 1;
  nic.post(work, 0);
  nic.run_until(0);
  const auto arrives = [&](std::uint8_t left_by, std::uint32_t of_bytes) {
    Packet* const p = pool.make(256, false);
    RouterHeader& h = router_header(*p);
    h.source = 999;
    h.tag = 3;
    h.chunk_bytes = of_bytes;
    h.route = SourceRoute::to({4, left_by});
    static_cast<RouterListener&>(nic).eject(0, p, 1000);
  };
  arrives(1, 512);
  CHECK(nic.waiting().back() == "input: reduce of tree 3 from nic8, 256 of 512 B");
  arrives(0, 256);
  CHECK_THROWS_WITH(nic.run_until(5000), Catch::Contains("from nic7, which is not a child"));
}

}  // namespace tributary::test_nic_chunks
