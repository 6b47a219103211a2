#include <catch2/catch.hpp>

#include "modules/base/probe.h"

namespace tributary::test_probe {

TEST_CASE("in globs, a star also matches dots", "[pure][probe]") {
  CHECK(glob_match("dgx2.switch0_2.port5.*", "dgx2.switch0_2.port5.table.occupancy"));
  CHECK_FALSE(glob_match("dgx2.switch0_2.port5.*", "dgx2.switch0_2.port51.table"));
  CHECK(glob_match("*.occupancy", "dgx2.switch0_2.port5.table.occupancy"));
  CHECK(glob_match("*", ""));
  CHECK(glob_match("", ""));
  CHECK_FALSE(glob_match("", "a"));
  CHECK(glob_match("a?c", "abc"));
  CHECK_FALSE(glob_match("a?c", "ac"));
  CHECK(glob_match("a*b*c", "aXbYbZc"));
  CHECK_FALSE(glob_match("a*b*c", "aXbYbZ"));
  CHECK(glob_match("**", "x"));
  // Only * and ? are special: a dot is a dot, a bracket a bracket.
  CHECK_FALSE(glob_match("a.c", "abc"));
  CHECK(glob_match("a[0]", "a[0]"));
}

TEST_CASE("globs with many stars do not need exponential time", "[pure][probe]") {
  const std::string text(5000, 'a');
  CHECK_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

TEST_CASE("a probe calls its observers in the order of attachment", "[pure][probe]") {
  SignalProbe probe;
  CHECK_FALSE(probe.observed());
  probe(1, 2);  // no observer
  std::vector<std::pair<Tick, std::uint64_t>> seen;
  probe.attach(&seen, [](void* o, Tick t, std::uint64_t v) { static_cast<decltype(seen)*>(o)->emplace_back(t, v); });
  probe.attach(&seen, [](void* o, Tick t, std::uint64_t v) { static_cast<decltype(seen)*>(o)->emplace_back(t, v + 100); });
  CHECK(probe.observed());
  probe(5, 7);
  CHECK(seen == decltype(seen){{5, 7}, {5, 107}});
}

TEST_CASE("a directory visits probes by type, in order of names, each name once", "[pure][probe]") {
  SignalProbe b, a;
  Probe<Tick> other;
  ProbeDirectory directory;
  directory.add_signal("x.b", b, SignalKind::level, 8, "second");
  directory.add_signal("x.a", a, SignalKind::strobe, 16, "first");
  directory.add("x.other", other, "of another type");
  std::vector<std::string> names;
  directory.for_each<SignalProbe>([&](const std::string& name, SignalProbe&) { names.push_back(name); });
  CHECK(names == std::vector<std::string>{"x.a", "x.b"});
  CHECK(directory.entries().at("x.a").width == 16);
  CHECK_THROWS_AS(directory.add("x.a", other, "again"), std::logic_error);
}

}  // namespace tributary::test_probe
