// The parser with random bytes returns a named error or a frame of the model, and never reads beyond the frame (the
// sanitizers check).
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "testbench/test/harness/frame_bytes.h"

namespace tributary::test_frame_fuzz {
namespace {

constexpr unsigned mutations = 1'000'000;

/// Returns bytes of several frames of each kind.
std::vector<FrameBytes> seeds(PacketPool& pool, const FrameCodec& codec, RandomStream& random) {
  std::vector<FrameBytes> all;
  for (const FrameKind kind : all_frame_kinds)
    for (unsigned i = 0; i < 8; ++i) {
      Packet* const p = random_frame(pool, kind, random, 48);
      codec.render(*p, all.emplace_back());
      p->release();
    }
  return all;
}

/// Changes bits, bytes or the length.
void mutate(FrameBytes& frame, RandomStream& random) {
  const std::uint64_t word = random.next();
  for (unsigned i = 0; i <= (word & 3); ++i) {
    const std::uint64_t change = random.next();
    std::uint8_t& byte = frame[below(change << 16, static_cast<std::uint64_t>(frame.size()))];
    byte = (change & 1) != 0 ? static_cast<std::uint8_t>(change >> 8)
                             : static_cast<std::uint8_t>(byte ^ 1u << (change >> 8 & 7));
  }
  if ((word >> 2 & 15) == 0) frame.resize(word >> 8 & 127);
}

}  // namespace

TEST_CASE("a million frames at random and mutated", "[pure][ethernet]") {
  PacketPool pool{EthernetLink{}};
  const FrameCodec codec;
  RandomStream random(3);
  const std::vector<FrameBytes> originals = seeds(pool, codec, random);
  std::array<unsigned, frame_errors> count{};
  unsigned again = 0;
  FrameBytes frame, rendered;
  for (unsigned i = 0; i < mutations; ++i) {
    const unsigned how = i % 8;
    frame = originals[random.below(static_cast<unsigned>(originals.size()))];
    if (how == 0)
      for (std::uint8_t& byte : frame) byte = static_cast<std::uint8_t>(random.next());
    mutate(frame, random);
    if (how == 2) remake_fcs(frame);
    if (how > 2) remake_checksums(frame);
    const std::unique_ptr<std::uint8_t[]> exact(
        new std::uint8_t[frame.size()]);  // exact size, so that the sanitizers know its end
    std::copy(frame.begin(), frame.end(), exact.get());
    const ParsedFrame parsed = codec.parse(exact.get(), frame.size());
    ++count[static_cast<unsigned>(parsed.error)];
    if (parsed.error != FrameError::none) continue;
    if (parsed.payload_bytes > 0 &&
        (parsed.payload < exact.get() || parsed.payload + parsed.payload_bytes > exact.get() + frame.size()))
      FAIL("a payload beyond the frame");
    if (i % 16 != 15) continue;
    // A parsed frame is a frame of the model: it can be rendered, and is then parsed with the same result.
    Packet* const p = make_frame(pool, parsed.header.kind, parsed.payload_bytes, true);
    roce(*p) = parsed.header;
    if (parsed.payload_bytes > 0) std::memcpy(p->payload, parsed.payload, parsed.payload_bytes);
    codec.render(*p, rendered);
    const ParsedFrame second = codec.parse(rendered.data(), rendered.size());
    if (second.error != FrameError::none || !(second.header == parsed.header) ||
        second.payload_bytes != parsed.payload_bytes)
      FAIL("frame " << i << " is parsed differently after it is rendered again");
    ++again;
    p->release();
  }
  for (unsigned e = 0; e < frame_errors; ++e) {
    INFO(frame_error_names[e]);
    CHECK(count[e] > 0);
  }
  CHECK(again > 1000);
  CHECK(pool.live() == 0);
}

}  // namespace tributary::test_frame_fuzz
