// The copy engine that a copy is granted: logical and physical engines, and the links of an engine
// (docs/blocks/copy_engine.md#logical-and-physical-engines).
#include <catch2/catch.hpp>
#include <optional>

#include "modules/streams/core/engine_grants.h"

namespace tributary::test_engine_grants {
namespace {

constexpr unsigned any_port = 1;

std::optional<unsigned> taken(EngineGrants& engines, std::uint32_t ports = any_port) {
  const std::optional<unsigned> engine = engines.engine_for(ports);
  if (engine) engines.take(*engine, 0);
  return engine;
}

}  // namespace

TEST_CASE("engine grants: a copy has the first engine that accepts one", "[pure]") {
  EngineGrants engines(3, 0, EngineLinks::all);
  for (const unsigned e : {0u, 1u, 2u}) CHECK(taken(engines) == e);
  CHECK_FALSE(engines.any());
  CHECK(taken(engines) == std::nullopt);
  engines.free(1, 0);
  CHECK(engines.any());
  CHECK(taken(engines, 0b1000) == 1u);
  engines.reset();
  CHECK(taken(engines) == 0u);
}

TEST_CASE("engine grants: logical engines of one physical engine carry out one copy at a time", "[pure]") {
  EngineGrants engines(5, 2, EngineLinks::all);
  CHECK(taken(engines) == 0u);  // physical engine 0 has logical engines 0, 2 and 4
  CHECK(taken(engines) == 1u);
  CHECK_FALSE(engines.any());
  engines.free(0, 0);
  CHECK(taken(engines) == 0u);
  engines.free(1, 0);
  CHECK(taken(engines) == 1u);
  // More physical than logical engines change no grant.
  EngineGrants many(2, 6, EngineLinks::all);
  CHECK(taken(many) == 0u);
  CHECK(taken(many) == 1u);
  CHECK_FALSE(many.any());
}

TEST_CASE("engine grants: an engine drives the paths whose first port has its number", "[pure]") {
  EngineGrants engines(4, 0, EngineLinks::own);
  CHECK(taken(engines, 0b110) == 1u);  // ports 1 and 2
  CHECK(taken(engines, 0b110) == std::nullopt);
  CHECK(engines.any());
  CHECK(taken(engines, 0b100000) == std::nullopt);  // port 5 belongs to engine 1
  CHECK(taken(engines, 0b1000) == 3u);
  engines.free(1, 0);
  CHECK(taken(engines, 0b100000) == 1u);
  // Own links and shared physical engines: engines 1 and 3 share physical engine 1.
  EngineGrants both(4, 2, EngineLinks::own);
  CHECK(taken(both, 0b10) == 1u);
  CHECK(taken(both, 0b1000) == std::nullopt);
  CHECK(taken(both, 0b100) == 2u);
}

TEST_CASE("copy parameters: physical engines add up their rates and windows", "[pure]") {
  CopyParams copy;
  copy.engines = 4, copy.rate = 10_GBps, copy.window = 8_KiB;
  CHECK(copy.concurrent() == 4);
  CHECK(copy.of_engine(0).rate == 10_GBps);
  copy.physical = 2;
  CHECK(copy.concurrent() == 2);
  CHECK(copy.of_engine(3).rate == 10_GBps);
  copy.physical = 6;  // engines 0 and 1 have two
  CHECK(copy.concurrent() == 4);
  CHECK(copy.of_engine(0).rate == 20_GBps);
  CHECK(copy.of_engine(1).window == 16_KiB);
  CHECK(copy.of_engine(2).rate == 10_GBps);
  copy.physical = 9;
  CHECK(copy.of_engine(0).rate == 30_GBps);
  CHECK(copy.of_engine(3).rate == 20_GBps);
}

}  // namespace tributary::test_engine_grants
