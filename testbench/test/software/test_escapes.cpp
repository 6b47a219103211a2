/// Names from files on terminals, in CSV, and in XML.
#include <catch2/catch.hpp>
#include <sstream>

#include "modules/base/text_format.h"
#include "modules/base/utf8.h"
#include "testbench/cli/escaped_output.h"
#include "testbench/report/plot/csv_cell.h"
#include "testbench/report/plot/csv_table.h"
#include "testbench/report/plot/svg.h"

namespace tributary::test_escapes {
namespace {

std::string escaped(const std::vector<std::string>& parts) {
  std::stringbuf out;
  {
    EscapingBuffer buffer(out);
    for (const std::string& part : parts) buffer.sputn(part.data(), static_cast<std::streamsize>(part.size()));
  }
  return out.str();
}

}  // namespace

TEST_CASE("characters of UTF-8 are those of RFC 3629", "[pure][escapes]") {
  CHECK(utf8_size("a", 0) == 1);
  CHECK(utf8_size("\u00e9", 0) == 2);
  CHECK(utf8_size("\u20ac", 0) == 3);
  CHECK(utf8_size("\U0001F600", 0) == 4);
  CHECK(utf8_character("\U0001F600", 0, 4) == 0x1F600);
  for (const char* wrong :
       {"\xff", "\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xc3"})
    CHECK(utf8_size(wrong, 0) == 0);
}

TEST_CASE("a line shows control characters and wrong bytes as escapes", "[pure][escapes]") {
  CHECK(one_line("a\nb\r\tc\x7f") == "a\\nb\\r\\tc\\x7f");
  CHECK(one_line("\x1b[2J\x1b]0;pwn\x07") == "\\x1b[2J\\x1b]0;pwn\\x07");
  CHECK(one_line("\u0085\u2028\u202e\u2066") == "\\u0085\\u2028\\u202e\\u2066");
  CHECK(one_line("caf\u00e9 \u20ac \U0001F600") == "caf\u00e9 \u20ac \U0001F600");
  CHECK(one_line("caf\xe9 \xff") == "caf\\xe9 \\xff");
  CHECK(one_line("\x9b\x32J") == "\\x9b2J");  // C1 control sequence introducer as a single byte
}

TEST_CASE("standard output keeps lines and tabs, and characters in two parts", "[pure][escapes]") {
  CHECK(escaped({"a\tb\n", "c\x1b[2J\n"}) == "a\tb\nc\\x1b[2J\n");
  CHECK(escaped({"\xe2\x82", "\xac\n"}) == "\u20ac\n");
  CHECK(escaped({"\xe2", "\x82", "\xac"}) == "\u20ac");
  CHECK(escaped({"x\xe2", "y"}) == "x\\xe2y");
  CHECK(escaped({"x\xe2"}) == "x\\xe2");
}

TEST_CASE("cells of a CSV are quoted, and hold no formula and no control character", "[pure][escapes]") {
  CHECK(csv_cell("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_cell("plain") == "plain");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("a\nb\x1b") == "a\\nb\\x1b");
  CHECK(csv_cell("=cmd|calc!A1") == "'=cmd|calc!A1");
  CHECK(csv_cell("@SUM(x,y)") == "\"'@SUM(x,y)\"");
  CHECK(csv_cell("+A1") == "'+A1");
  CHECK(csv_cell("-2+3") == "'-2+3");
  for (const char* number : {"-1.5", "+2", "-3e-05", "-", "0.5", "-inf"}) CHECK(csv_cell(number) == number);
  for (const char* name : {"=a", "'=a", "''-b", "-1", "'quoted'", "a=b", "-x,\"y\""}) {
    const plot::CsvTable table = plot::CsvTable::parse("name\n" + csv_cell(name) + "\n", "t.csv");
    CHECK(table.cell(0, 0) == name);
  }
}

TEST_CASE("XML holds legal characters whatever the text", "[pure][escapes]") {
  CHECK(plot::xml_text("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(plot::xml_text("\x1b\x01x") == "  x");
  CHECK(plot::xml_text("\xff|\xc3|\u20ac") == "\uFFFD|\uFFFD|\u20ac");
  CHECK(plot::xml_text("\uFFFE\uFFFF\u0085\x7f") == "\uFFFD\uFFFD\uFFFD\uFFFD");
  for (int c = 1; c < 256; ++c) {
    const std::string text = plot::xml_text(std::string("<") + static_cast<char>(c) + ">");
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t size = utf8_size(text, i);
      REQUIRE(size > 0);
      CHECK(static_cast<unsigned char>(text[i]) >= ' ');
      i += size;
    }
  }
}

}  // namespace tributary::test_escapes
