// Beats as text: decimal and hexadecimal columns, and masks.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "modules/netreduce/core/combinator_pins.h"
#include "modules/nic/core/schedule_table_pins.h"
#include "modules/rtl/core/beat_text.h"

namespace tributary::test_beat_text {

TEST_CASE("a line has the edge, integers in decimal and vectors in all hexadecimal digits", "[pure][rtl]") {
  const BeatLayout request(schedule_table_pins(), schedule_table_pins().channels[0], {});
  RtlBeat beat = request.make_beat();
  beat.edge = 1191;
  request.set(beat, 0, 1);
  request.set(beat, 1, 65535);
  for (unsigned i = 0; i < 25; ++i) request.bytes(beat, 2)[i] = static_cast<std::uint8_t>(i + 1);
  std::string text;
  append_beat(request, beat, text);
  CHECK(text == "1191 1 65535 191817161514131211100f0e0d0c0b0a090807060504030201\n");
  CHECK(bits_of(request) == 217);
}

TEST_CASE("the mask has a bit for each bit of the columns, the first column in the highest", "[pure][rtl]") {
  const BeatLayout answer(combinator_pins(), combinator_pins().channels[1], {});
  ExpectedBeat beat(answer);
  beat.beat.edge = 34;
  beat.beat.last = false;
  beat.set(answer, 1, 7);
  const std::vector<std::byte> bytes(48, std::byte{0x5A});
  beat.set_bytes(answer, 0, 16, bytes.data(), bytes.size());
  std::string text, data, mask;
  for (unsigned i = 0; i < 48; ++i) data += "5a", mask += "ff";
  append_beat(answer, beat, text);
  // 1 + 512 + 16 bits: 133 digits.
  const std::string zeros(32, '0');
  CHECK(text == "34 0 " + data + zeros + " 7 1" + mask + zeros + "ffff\n");
}

TEST_CASE("a field of another width keeps its bits in the mask", "[pure][rtl]") {
  // 13 bits in two columns: 3 and 10, with an odd number of digits.
  static const PinTable table{"odd", "", "", "", "", {}, {{"m", false, false, false, "", {{"a", 3, ""}, {"b", 10, ""}}}}};
  const BeatLayout answer(table, table.channels[0], {});
  ExpectedBeat beat(answer);
  beat.set(answer, 1, 0xFFFF);
  std::string text;
  append_beat(answer, beat, text);
  CHECK(text == "0 0 1023 03ff\n");
  beat.set(answer, 0, 5);
  text.clear();
  append_beat(answer, beat, text);
  CHECK(text == "0 5 1023 1fff\n");
}

}  // namespace tributary::test_beat_text
