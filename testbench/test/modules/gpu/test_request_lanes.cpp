// Tests requests of several queues over one set of wave counters.
#include <catch2/catch.hpp>

#include <map>
#include <utility>
#include <vector>

#include "modules/gpu/core/request_lanes.h"
#include "testbench/test/harness/request_bench.h"

namespace tributary::test_request_lanes {
namespace {

constexpr std::uint32_t wave = 2;

/// Issues up to `most` blocks; returns the number per tag.
std::map<std::uint32_t, unsigned> issue(RequestLanes& lanes, Tick now, unsigned most = 1000) {
  std::map<std::uint32_t, unsigned> issued;
  for (; most > 0 && lanes.ready(); --most) {
    ++issued[lanes.tag()];
    lanes.issued(now);
  }
  return issued;
}
void answer(RequestLanes& lanes, std::uint64_t first, std::uint32_t tag, Tick now) {
  for (std::uint64_t b = first; b < first + wave; ++b) lanes.arrived(b, now, 1, 0, tag);
}

}  // namespace

TEST_CASE("request lanes: one counter is reserved for each lane that holds none", "[pure]") {
  RequestLanes lanes(dma_params(), 4, 1, 0);
  lanes.use(3, {{0}, {1}, {2}});
  lanes.submit(request(0, 100, wave, 0), 0, 0);
  CHECK(issue(lanes, 0) == std::map<std::uint32_t, unsigned>{{0, 2 * wave}});  // two counters are left for the others
  lanes.submit(request(0, 100, wave, 1), 1, 1);
  CHECK(issue(lanes, 1) == std::map<std::uint32_t, unsigned>{{1, wave}});
  lanes.submit(request(0, 100, wave, 2), 2, 2);
  CHECK(issue(lanes, 2) == std::map<std::uint32_t, unsigned>{{2, wave}});
  // A freed counter goes to the lane that holds the fewest, the first of several.
  answer(lanes, 0, 0, 3);
  CHECK(issue(lanes, 3) == std::map<std::uint32_t, unsigned>{{0, wave}});
}

TEST_CASE("request lanes: two requests issue blocks in turn and share the counters equally", "[pure]") {
  RequestLanes lanes(dma_params(), 4, 1, 0);
  lanes.use(2, {{0}, {1}});
  lanes.submit(request(0, 40, wave, 0), 0, 0);
  lanes.submit(request(0, 40, wave, 1), 1, 0);
  CHECK(issue(lanes, 0) == std::map<std::uint32_t, unsigned>{{0, 3 * wave}, {1, wave}});
  answer(lanes, 0, 0, 1);  // goes to lane 1
  std::vector<std::uint32_t> order;
  answer(lanes, wave, 0, 2);
  while (lanes.ready()) {
    order.push_back(lanes.tag());
    lanes.issued(2);
  }
  std::map<std::uint32_t, unsigned> count;
  for (const std::uint32_t tag : order) ++count[tag];
  CHECK(count == std::map<std::uint32_t, unsigned>{{0, wave}, {1, wave}});
  for (std::size_t k = 1; k < order.size(); ++k) CHECK(order[k] != order[k - 1]);
}

TEST_CASE("request lanes: all blocks are issued once, with at most as many waves as counters", "[pure]") {
  constexpr std::uint32_t counters = 5, streams = 3, blocks = 31;
  RequestLanes lanes(dma_params(), counters, 1, 0);
  std::vector<RequestLanes::Tag> tags;
  for (std::uint32_t r = 0; r < 2 * streams; ++r) tags.push_back({r % streams});
  lanes.use(streams, tags);
  for (std::uint32_t r = 0; r < 2 * streams; ++r) lanes.submit(request(0, blocks, wave, r), r % streams, 0);
  std::map<std::uint32_t, std::vector<std::uint64_t>> issued;
  std::map<std::pair<std::uint32_t, std::uint64_t>, unsigned> open;  // blocks without a response, by wave
  std::vector<std::pair<std::uint32_t, std::uint64_t>> outstanding;
  for (Tick now = 0; now < 10'000; ++now) {
    while (lanes.ready()) {
      const std::uint32_t tag = lanes.tag();
      const std::uint64_t block = lanes.next_block();
      issued[tag].push_back(block);
      ++open[{tag, block / wave}];
      outstanding.emplace_back(tag, block);
      lanes.issued(now);
    }
    CHECK(open.size() <= counters);
    if (outstanding.empty()) break;
    const auto [tag, block] = outstanding[now * 7 % outstanding.size()];
    outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(now * 7 % outstanding.size()));
    const auto size = static_cast<unsigned>(std::min<std::uint64_t>(wave, blocks - block / wave * wave));
    if (++open[{tag, block / wave}] == 2 * size) open.erase({tag, block / wave});
    lanes.arrived(block, now, 1, 0, tag);
  }
  CHECK(issued.size() == 2 * streams);
  for (const auto& entry : issued) CHECK(entry.second == range(0, blocks));
  CHECK(lanes.waiting().empty());
}

TEST_CASE("request lanes: multicasts use counters of their own", "[pure]") {
  constexpr std::uint32_t pulls = 0, multicasts = 1;
  const auto multicast = [](std::uint64_t blocks) {
    RequestGenerator::Request r = request(0, blocks, wave, multicasts);
    r.multicasts = true;
    return r;
  };
  RequestLanes lanes(dma_params(), 4, 1, 0, 3);
  lanes.use(2, {{0}, {1, true}});
  lanes.submit(request(0, 40, wave, pulls), 0, 0);
  CHECK(issue(lanes, 0) == std::map<std::uint32_t, unsigned>{{pulls, 4 * wave}});  // none is reserved for multicasts
  lanes.submit(multicast(40), 1, 1);
  CHECK(issue(lanes, 1) == std::map<std::uint32_t, unsigned>{{multicasts, 3 * wave}});
  answer(lanes, 0, multicasts, 2);  // both requests have a block 0
  CHECK(issue(lanes, 2) == std::map<std::uint32_t, unsigned>{{multicasts, wave}});
  answer(lanes, 0, pulls, 3);
  CHECK(issue(lanes, 3) == std::map<std::uint32_t, unsigned>{{pulls, wave}});
  CHECK(lanes.waiting().size() == 4 + 3 + 2);
  CHECK(lanes.waiting().back().rfind("dma.multicast_wave2: 0 of 2", 0) == 0);

  RequestLanes unlimited(dma_params(), 4, 1, 0, 0);
  unlimited.use(2, {{0}, {1, true}});
  unlimited.submit(multicast(40), 1, 0);
  CHECK(issue(unlimited, 0) == std::map<std::uint32_t, unsigned>{{multicasts, 40}});
}

}  // namespace tributary::test_request_lanes
