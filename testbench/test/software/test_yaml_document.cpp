#include <catch2/catch.hpp>
#include <ctime>
#include <fstream>
#include <random>

#include "testbench/cli/command_line.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/yaml_document.h"

namespace tributary::test_yaml_document {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

std::string refusal(const std::string& text) {
  try {
    parse_yaml(text, "FILE");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

YamlRef only(const std::string& text) {
  const auto documents = parse_yaml(text, "FILE");
  REQUIRE(documents.size() == 1);
  return documents.front();
}

}  // namespace

TEST_CASE("a YAML text becomes values with their lines", "[pure][cli][yaml]") {
  const YamlRef top = only("a: 1\nb:\n  - x y\n  - 'null'\n  - ~\nc: { d: \"\\n\", e: }\n");
  REQUIRE(top->is_map());
  REQUIRE(top->entries.size() == 3);
  const YamlNode& b = *top->entries[1].second;
  REQUIRE(b.is_sequence());
  REQUIRE(b.items.size() == 3);
  CHECK(b.items[0]->text == "x y");
  CHECK(b.items[0]->line == 3);
  CHECK(b.items[1]->is_scalar());  // quoted: the word itself
  CHECK(b.items[2]->is_null());
  const YamlNode& c = *top->entries[2].second;
  CHECK(c.line == 6);
  CHECK(c.entries.at(0).second->text == "\n");
  CHECK(c.entries.at(1).second->is_null());
  CHECK(top->height == 3);
  CHECK(top->size == 14);
}

TEST_CASE("a YAML text may have several documents", "[pure][cli][yaml]") {
  CHECK(parse_yaml("", "FILE").empty());
  CHECK(parse_yaml("# nothing\n", "FILE").empty());
  CHECK(parse_yaml("---\n", "FILE").size() == 1);
  const auto two = parse_yaml("a: 1\n---\nb: 2\n", "FILE");
  REQUIRE(two.size() == 2);
  CHECK(two[1]->line == 3);
}

TEST_CASE("an alias is the value of its anchor", "[pure][cli][yaml]") {
  const YamlRef top = only("a: &x [1, 2]\nb: *x\nc: &x 3\nd: *x\n");
  CHECK(top->entries.at(1).second == top->entries.at(0).second);
  CHECK(top->entries.at(3).second->text == "3");
  CHECK(top->size == 1 + 4 + 3 + 3 + 1 + 1);
  CHECK_THAT(refusal("a: 1\nb: *x\n"), Equals("FILE:2: the alias *x has no anchor before it"));
  CHECK_THAT(refusal("a: &x\n  b: *x\n"), Equals("FILE:2: the alias *x is inside the value that it refers to"));
  CHECK_THAT(refusal("a: &x 1\n---\nb: *x\n"), Contains("FILE:3: the alias *x has no anchor"));
}

TEST_CASE("depth, number and length of values are bounded", "[pure][cli][yaml]") {
  CHECK(refusal(std::string(32, '[') + std::string(32, ']')) == "accepted");
  CHECK_THAT(refusal(std::string(33, '[') + std::string(33, ']')),
             Equals("FILE:1: nested too deeply (legal: up to 32 levels)"));
  // 20 levels below an alias at the 14th level.
  CHECK_THAT(refusal("- &x " + std::string(20, '[') + std::string(20, ']') + "\n- " + std::string(12, '[') + "*x" +
                     std::string(12, ']') + "\n"),
             Contains("FILE:2: nested too deeply"));
  CHECK_THAT(refusal("- &x [1, 2]\n- [" + std::string(13, ' ') + "*x]\n"), Equals("accepted"));
  std::string doubling = "- &a0 x\n";
  for (int i = 1; i < 25; ++i)
    doubling += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" + std::to_string(i - 1) + "]\n";
  CHECK_THAT(refusal(doubling), Contains("more than 100000 values, counting each alias as a copy"));
  CHECK(refusal(std::string(16384, 'x')) == "accepted");
  CHECK_THAT(refusal(std::string(16385, 'x')), Contains("a value of 16385 bytes"));
}

TEST_CASE("invalid YAML is rejected with its line", "[pure][cli][yaml]") {
  for (const char* text : {",", "a: [", "a: 'b", "a: \"b", "{a: b", "a: b: c", "@", "&", "*", "%YAML 9.9\n---\n", "\x01",
                           "\xff\xff", "a\n  b: c", "- a\nb: c", "!<x y", "\"\\q\""})
    CHECK_THAT(text + (" -> " + refusal(text)), Contains("FILE:") && Contains(": invalid YAML: "));
  CHECK_THAT(refusal("a: 1\nb: \x02\n"), Contains("FILE:2: invalid YAML: control characters"));
}

namespace {

struct Seed {
  std::vector<std::string> command;
  std::string text;
};

/// Each text is accepted unchanged. Comments are included, since a mutation inside a comment is still accepted.
const std::vector<Seed> seeds{
    {{"run"},
     "# a pull with small tables, stopped early: its elements are not looked at\n"
     "platform: dgx2\nalgorithm: pull\ngpus: 4\nsize: 8MiB\nno-data: true\ntime_limit: 5ms\nparameters:\n"
     "  nvswitch.switch.reduction_table.bytes: 1KiB\n  nvswitch: { gpu: { dma: { waves: 8 } } }\n"},
    {{"run"},
     "# two jobs share the switches with uniform traffic; the second starts later\n"
     "size: 8MiB\nbackground: uniform:0.2\njobs:\n  - { algorithm: push, ranks: 0-7 }\n"
     "  - { algorithm: pull, ranks: [8, 9-11], size: 4KiB, start: 5us, op: max }\n"},
    {{"sweep", "--list"},
     "# two documents, an anchor in the second: points of several platforms, then of several algorithms\n"
     "platform: [torus:4x4, 'mesh:2x2']\nsizes: 1KiB:4KiB:x2\nseed: [1, 2]\n---\nsize: &s 1KiB\n"
     "algorithm: [push, ring]\nparameters: { nvswitch.switch.reduction_table.bytes: *s }\n# end\n"},
    {{"run"},
     "# a link dies under a multicast to some of the ranks, which then cannot finish\n"
     "collective: multicast\nfaults:\n- \"down:gpu0.port0>switch0_0.port0@1us\"\nsize: !!str 4KiB\n"
     "targets: [ 1,\n  2 ]\nquiet: |-\n  true\n"},
};
const std::string marks = "[]{},:-?&*!|>'\"%@#\n\t \\x~0aK<=\r\x01\x80\xff";

/// Applies one to three edits: a mark, a removal, a copy of a range, a range of another file.
std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1), length = below(20);
    const std::string& other = seeds[below(seeds.size())].text;
    switch (below(4)) {
      case 0:
        text.insert(at, 1, marks[below(marks.size())]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), length));
        break;
      default:
        text.insert(at, other.substr(below(other.size()), length));
    }
  }
  return text;
}

std::vector<std::string> arguments(const Seed& seed, const std::string& path) {
  std::vector<std::string> all = seed.command;
  all.push_back(path);
  return all;
}

// Gives `count` scenarios with random errors to the command line: it reads each or rejects it with one line, within two
// seconds.
void check_mutations(int count, std::uint64_t random_seed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.yaml");
  std::mt19937_64 random(random_seed);
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    const Seed& seed = seeds[random() % seeds.size()];
    const std::string text = mutated(seed.text, random);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    const std::clock_t begin = std::clock();
    INFO("mutation " << i << ":\n" << text);
    try {
      parse_command_line(arguments(seed, path));
      ++accepted;
    } catch (const InputError&) {  // any other exception fails the test
    }
    const double used = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (used > 2) FAIL("used " << used << " s of processor time");
  }
  CHECK(accepted > count / 10);
  CHECK(accepted < 9 * count / 10);
}

}  // namespace

TEST_CASE("scenarios are accepted before they are mutated", "[pure][cli][yaml]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.yaml");
  for (const Seed& seed : seeds) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << seed.text;
    INFO(seed.text);
    CHECK_NOTHROW(parse_command_line(arguments(seed, path)));
  }
}

TEST_CASE("2,000 mutated scenarios are read or rejected quickly", "[pure][cli][yaml]") { check_mutations(2'000, 18); }

TEST_CASE("20,000 mutated scenarios are read or rejected quickly", "[.slow][cli][yaml]") { check_mutations(20'000, 19); }

}  // namespace tributary::test_yaml_document
