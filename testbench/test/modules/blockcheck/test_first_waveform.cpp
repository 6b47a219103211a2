/// The waveform around the first difference of a shadow.
#include <catch2/catch.hpp>

#include "modules/blockcheck/core/first_waveform.h"

namespace tributary::test_first_waveform {

using Catch::Matchers::Contains;
using Kind = FieldValue::Kind;

/// A transaction at `time` with one field, and an answer that is valid `latency` later.
BlockAccess transaction(std::uint32_t ticket, Tick time, Tick latency, std::uint64_t answer) {
  BlockAccess a;
  a.ticket = ticket, a.time = time, a.latency = latency;
  FieldValue& command = a.request.add("command", Kind::name);
  command.text = ticket % 2 == 0 ? "find" : "update", command.number = 1 - ticket % 2;
  a.answer.add("offset", Kind::number).number = answer;
  a.answer.add("data", Kind::data).bytes = {std::byte{0x01}, std::byte{0x80}};
  return a;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("first waveform: answers change when they are valid", "[pure][blockcheck]") {
  FirstWaveform wave;
  wave.add(transaction(0, 1000, 10, 5), transaction(0, 1000, 10, 5), false);
  wave.add(transaction(1, 2000, 10, 6), transaction(1, 2000, 30, 7), true);
  CHECK(wave.vcd("rack.clt") ==
        "$timescale 1 ps $end\n"
        "$comment request.command: 0=update 1=find $end\n"
        "$scope module rack.clt $end\n"
        "$var wire 64 ! ticket $end\n"
        "$var wire 64 \" request.command $end\n"
        "$var wire 64 # model.offset $end\n"
        "$var wire 16 $ model.data $end\n"
        "$var wire 64 % model.interval $end\n"
        "$var wire 64 & model.latency $end\n"
        "$var wire 64 ' block.offset $end\n"
        "$var wire 16 ( block.data $end\n"
        "$var wire 64 ) block.interval $end\n"
        "$var wire 64 * block.latency $end\n"
        "$var wire 1 + differs $end\n"
        "$upscope $end\n"
        "$enddefinitions $end\n"
        "#1000\nb0 !\nb1 \"\nb0 %\nb1010 &\nb0 )\nb1010 *\n0+\n"
        "#1010\nb101 #\nb1000000000000001 $\nb101 '\nb1000000000000001 (\n"
        "#2000\nb1 !\nb0 \"\nb11110 *\n1+\n"
        "#2010\nb110 #\n"
        "#2030\nb111 '\n");
}

TEST_CASE("first waveform: it keeps 64 transactions up to the difference and 64 after it", "[pure][blockcheck]") {
  FirstWaveform wave;
  for (std::uint32_t i = 0; i < 400; ++i) {
    CHECK(wave.full() == (i > 200 + FirstWaveform::most_after));
    wave.add(transaction(i, 1000 * i, 0, i), transaction(i, 1000 * i, 0, i), i >= 200);
  }
  const std::string text = wave.vcd("block");
  CHECK_THAT(text, Contains("\n#137000\nb10001001 !\n"));   // transaction 137 = 200 - 63
  CHECK_THAT(text, Contains("\n#264000\nb100001000 !\n"));  // transaction 264 = 200 + 64
  CHECK(count(text, "\n#") == 128);
}

TEST_CASE("first waveform: transactions at one time follow each other by 1 ps", "[pure][blockcheck]") {
  FirstWaveform wave;
  for (std::uint32_t i = 0; i < 3; ++i) wave.add(transaction(i, 500, 0, i), transaction(i, 500, 0, i), i == 2);
  const std::string text = wave.vcd("block");
  CHECK_THAT(text, Contains("\n#500\nb0 !\n") && Contains("\n#501\nb1 !\n") && Contains("\n#502\nb10 !\n"));
}

}  // namespace tributary::test_first_waveform
