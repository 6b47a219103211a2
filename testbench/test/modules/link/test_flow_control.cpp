// Tests flits, packets and messages (Huang et al., ISCA 2021, IV-B and Table II).
#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "modules/base/parameter_set.h"
#include "modules/protocol/flit_code.h"
#include "modules/protocol/segmentation.h"
#include "modules/protocol/source_route.h"

namespace tributary::test_flow_control {
namespace {

constexpr FlitCode all_codes[] = {FlitCode::message_head, FlitCode::message_body, FlitCode::sub_tail,
                                  FlitCode::message_tail, FlitCode::head,         FlitCode::body,
                                  FlitCode::tail,         FlitCode::head_and_tail};

Segmentation segmentation(FlowControl kind, Bytes payload = 256_B) { return Segmentation({kind, payload}); }

/// Returns the code of each flit of a chunk, in order.
std::vector<FlitCode> codes(const Segmentation& s, std::uint64_t bytes) {
  std::vector<FlitCode> all;
  for (std::uint64_t i = 0; i < s.packets(bytes); ++i) {
    const Segmentation::Segment p = s.segment(bytes, i);
    const FlitCode body = is_normal(p.first) ? FlitCode::body : FlitCode::message_body;
    for (std::uint32_t f = 0; f < p.flits; ++f) all.push_back(f == p.flits - 1 ? p.last : f == 0 ? p.first : body);
  }
  return all;
}

}  // namespace

TEST_CASE("flit codes are those of Table II", "[pure][flow_control]") {
  const auto bits = [](FlitCode c) { return static_cast<unsigned>(c); };
  CHECK((bits(FlitCode::head) == 4 && bits(FlitCode::body) == 5 && bits(FlitCode::tail) == 6));
  CHECK(bits(FlitCode::head_and_tail) == 7);
  CHECK((bits(FlitCode::message_head) == 0 && bits(FlitCode::message_body) == 1));
  CHECK((bits(FlitCode::sub_tail) == 2 && bits(FlitCode::message_tail) == 3));
  for (const FlitCode c : all_codes) CHECK(is_normal(c) == (bits(c) >= 4));
}

TEST_CASE("a sub-tail frees the output but not the route", "[pure][flow_control]") {
  std::set<FlitCode> heads, ends, routes;
  for (const FlitCode c : all_codes) {
    if (is_head(c)) heads.insert(c);
    if (ends_packet(c)) ends.insert(c);
    if (ends_route(c)) routes.insert(c);
  }
  CHECK(heads == std::set<FlitCode>{FlitCode::message_head, FlitCode::head, FlitCode::head_and_tail});
  CHECK(ends == std::set<FlitCode>{FlitCode::sub_tail, FlitCode::message_tail, FlitCode::tail, FlitCode::head_and_tail});
  CHECK(routes == std::set<FlitCode>{FlitCode::message_tail, FlitCode::tail, FlitCode::head_and_tail});
}

TEST_CASE("encoding and decoding keep the control part of every flit", "[pure][flow_control]") {
  const FlitFormat format(4);  // the paper's 4x4 network
  CHECK(format.bits(FlitCode::head) == 2 + 3 + 4 + 4);
  CHECK(format.bits(FlitCode::message_head) == 2 + 3 + 3 + 3 + 4);
  CHECK(format.bits(FlitCode::body) == 5);
  std::set<std::uint64_t> seen;
  for (const FlitCode code : all_codes)
    for (std::uint8_t vc = 0; vc < 4; ++vc) {
      FlitControl f;
      f.vc = vc;
      f.code = code;
      if (is_head(code) && is_normal(code)) f.destination = 13, f.source = 7;
      if (is_head(code) && !is_normal(code)) f.route = {3, 4}, f.tree = 15;
      const std::uint64_t bits = format.encode(f);
      CHECK(bits >> format.bits(code) == 0);
      CHECK(seen.insert(bits).second);
      const FlitControl back = format.decode(bits);
      CHECK((back.vc == vc && back.code == code && back.destination == f.destination && back.source == f.source));
      CHECK((back.route == f.route && back.tree == f.tree));
    }
}

TEST_CASE("a field that does not fit is refused", "[pure][flow_control]") {
  const FlitFormat format(4);
  CHECK_THROWS_WITH(format.encode({4, FlitCode::body, 0, 0, {}, 0}), "vc 4 has more than 2 bits");
  CHECK_THROWS_WITH(format.encode({0, FlitCode::head, 16, 0, {}, 0}), "destination 16 has more than 4 bits");
  CHECK_THROWS_WITH(format.encode({0, FlitCode::message_head, 0, 0, {8, 0}, 0}), "next port 8 has more than 3 bits");
  CHECK_THROWS_WITH(format.encode({0, FlitCode::message_head, 0, 0, {0, 0}, 16}), "tree 16 has more than 4 bits");
  CHECK_NOTHROW(format.encode({0, FlitCode::body, 99, 99, {9, 9}, 99}));  // a body has no such fields
  CHECK_THROWS_AS(FlitFormat(0), std::invalid_argument);
  CHECK_THROWS_AS(FlitFormat(17), std::invalid_argument);
}

TEST_CASE("a route is used once and swapped, so that the destination knows the port by which the message left",
          "[pure][flow_control]") {
  constexpr std::uint8_t north = 0, south = 1, local = 4;
  const RouteInfo at_source{south, local};
  const RouteInfo at_destination = at_source.swapped();
  CHECK(at_destination.next == local);   // the message leaves the network there
  CHECK(at_destination.eject == south);  // it was sent south, so it came from the northern node
  CHECK(at_destination.swapped() == at_source);
  CHECK_FALSE(at_destination == (RouteInfo{local, north}));
}

TEST_CASE("packets of 256 B have a head flit each, 272 B in all", "[pure][flow_control]") {
  const Segmentation s = segmentation(FlowControl::packet);
  CHECK(s.largest() == 17);
  CHECK((s.packets(65536) == 256 && s.flits(65536) == 256 * 17));
  CHECK(s.efficiency(65536) == 256.0 / 272.0);
  const Segmentation::Segment p = s.segment(1000, 3);
  CHECK((p.offset == 768 && p.bytes == 232 && p.flits == 1 + 15));  // the last flit is padded
  CHECK((p.first == FlitCode::head && p.last == FlitCode::tail));
  CHECK(s.flits(1000) == 3 * 17 + 16);
  CHECK((s.packets(0) == 0 && s.flits(0) == 0));
  CHECK_THROWS_AS(s.segment(1000, 4), std::out_of_range);
  CHECK_THROWS_AS(s.segment(0, 0), std::out_of_range);
}

TEST_CASE("a message of any size has one head flit", "[pure][flow_control]") {
  const Segmentation s = segmentation(FlowControl::message);
  CHECK(s.flits(65536) == 4096 + 1);
  CHECK(s.segment(65536, 0).flits == 17);
  CHECK(s.segment(65536, 1).flits == 16);
  using C = FlitCode;
  CHECK(codes(segmentation(FlowControl::message, 32_B), 80) ==
        std::vector<C>{C::message_head, C::message_body, C::sub_tail, C::message_body, C::sub_tail, C::message_tail});
  CHECK(codes(segmentation(FlowControl::message, 16_B), 48) ==
        std::vector<C>{C::message_head, C::sub_tail, C::sub_tail, C::message_tail});
  CHECK(codes(s, 1) == std::vector<C>{C::message_head, C::message_tail});
  CHECK(codes(segmentation(FlowControl::packet, 32_B), 48) == std::vector<C>{C::head, C::body, C::tail, C::head, C::tail});
}

TEST_CASE("every chunk is cut without loss, and as a message has one head and one tail", "[pure][flow_control]") {
  for (const FlowControl kind : {FlowControl::packet, FlowControl::message})
    for (const Bytes payload : {16_B, 64_B, 256_B})
      for (std::uint64_t bytes : {1, 15, 16, 17, 255, 256, 257, 4096, 5000}) {
        const Segmentation s = segmentation(kind, payload);
        std::uint64_t offset = 0, flits = 0;
        for (std::uint64_t i = 0; i < s.packets(bytes); ++i) {
          const Segmentation::Segment p = s.segment(bytes, i);
          CHECK((p.offset == offset && p.bytes > 0 && p.bytes <= payload.value && p.flits <= s.largest()));
          CHECK((p.flits > 1) == (p.first != p.last));  // a packet of one flit has one code
          offset += p.bytes;
          flits += p.flits;
        }
        CHECK((offset == bytes && flits == s.flits(bytes)));
        unsigned heads = 0, packets = 0, routes = 0;
        for (const FlitCode c : codes(s, bytes)) {
          heads += is_head(c) ? 1 : 0;
          packets += ends_packet(c) ? 1 : 0;
          routes += ends_route(c) ? 1 : 0;
          CHECK(is_normal(c) == (kind == FlowControl::packet));
        }
        CHECK((packets == s.packets(bytes) && heads == routes));
        CHECK(heads == (kind == FlowControl::packet ? s.packets(bytes) : 1));
      }
}

TEST_CASE("messages save head flits, 6.25 percent of large chunks", "[pure][flow_control]") {
  const auto gain = [](std::uint64_t bytes, Bytes payload) {
    return static_cast<double>(segmentation(FlowControl::packet, payload).flits(bytes)) /
           static_cast<double>(segmentation(FlowControl::message, payload).flits(bytes));
  };
  CHECK(gain(1 << 20, 256_B) == Approx(1.0625).epsilon(1e-4));
  CHECK(gain(1 << 20, 64_B) == Approx(1.25).epsilon(1e-4));  // Figure 2: 25 % of the payload
  CHECK(gain(512, 256_B) == 34.0 / 33.0);
  CHECK(gain(256, 256_B) == 1.0);
}

TEST_CASE("a payload that is not a whole number of flits is refused", "[pure][flow_control]") {
  CHECK_THROWS_AS(segmentation(FlowControl::packet, 0_B), std::invalid_argument);
  CHECK_THROWS_AS(segmentation(FlowControl::packet, 100_B), std::invalid_argument);
  FlowControlParams params;
  ParameterSet set(params);
  set.set("kind", "message");
  set.set("payload", "64B");
  CHECK((params.kind == FlowControl::message && params.payload == 64_B));
  CHECK_THROWS_AS(set.set("payload", "100B"), ParameterError);
  CHECK_THROWS_AS(set.set("kind", "flit"), ParameterError);
}

TEST_CASE("a source route names an output port for each switch", "[pure][flow_control]") {
  SourceRoute r({17, 2, 9});
  CHECK((r.hops() == 3 && r.next() == 17));
  r = r.rest();
  CHECK((r.hops() == 2 && r.next() == 2));
  r = r.rest().rest();
  CHECK(r.empty());
  CHECK_THROWS_AS(r.next(), std::logic_error);
  CHECK_THROWS_AS(r.rest(), std::logic_error);
  CHECK(SourceRoute(std::vector<unsigned>(7, 255)).hops() == 7);
  CHECK_THROWS_AS(SourceRoute(std::vector<unsigned>(8, 0)), std::length_error);
  CHECK_THROWS_AS(SourceRoute({256}), std::out_of_range);
}

TEST_CASE("a route that is longer than a header is a row of the network", "[pure][flow_control]") {
  RouteRows rows;
  CHECK(!rows.route(std::vector<unsigned>(7, 3)).is_in_row());
  std::vector<unsigned> ports(300);
  for (unsigned i = 0; i < ports.size(); ++i) ports[i] = i % 64;
  SourceRoute r = rows.route(ports);
  CHECK((r.is_in_row() && !r.empty() && !r.to_neighbour()));
  for (unsigned i = 0; i < ports.size(); ++i, r.advance()) {
    CHECK(r.place() == i);
    CHECK(rows.next(r) == ports[i]);
  }
  CHECK_THROWS_AS(rows.next(r), std::out_of_range);
  CHECK(rows.route(ports).row() == 0);
  CHECK(rows.route(std::vector<unsigned>(8, 1)).row() == 1);
  CHECK_THROWS_AS(rows.route(std::vector<unsigned>(8, 256)), std::out_of_range);
}

}  // namespace tributary::test_flow_control
