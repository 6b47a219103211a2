// MSCCL files with one changed attribute: each change is found, or harmless in every order that is tried.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>

#include "testbench/collective/algorithm/halving_doubling.h"
#include "testbench/interchange/msccl/export.h"
#include "testbench/interchange/msccl/proof.h"
#include "testbench/interchange/msccl/reader.h"
#include "testbench/interchange/msccl/writer.h"
#include "testbench/test/harness/msccl_machine.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_msccl_spoilt {

using namespace tributary::msccl;

namespace {

/// Changes one attribute: to a nearby number, a value of the same attribute elsewhere, or another type or buffer.
class Spoiler {
 public:
  Spoiler(const std::string& text, unsigned seed) : text_(text), random_(seed) {
    static const std::regex form("(\\w+)=\"([^\"]*)\"");
    all_.assign(std::sregex_iterator(text_.begin(), text_.end(), form), std::sregex_iterator());
  }

  std::string operator()() {
    for (;;) {
      const std::smatch &one = all_[random_() % all_.size()], &other = all_[random_() % all_.size()];
      const std::string value = one[2];
      const bool number = value.find_first_not_of("-0123456789") == std::string::npos;
      std::string by = value;
      if (number && random_() % 2 == 0)
        by = std::to_string(std::stoi(value) + static_cast<int>(random_() % 5) - 2);
      else if (other[1] == one[1])
        by = other[2];
      if (by == value) continue;
      std::string text = text_;
      return text.replace(static_cast<std::size_t>(one.position(2)), value.size(), by);
    }
  }

 private:
  std::string text_;
  std::mt19937 random_;
  std::vector<std::smatch> all_;
};

struct Counts {
  int refused = 0, disproved = 0, proved = 0;
};

Counts spoil(const std::string& text, int times, unsigned seed) {
  Spoiler spoilt(text, seed);
  Counts counts;
  for (int i = 0; i < times; ++i) {
    const std::string other = spoilt();
    Algorithm algorithm;
    try {
      algorithm = read_algorithm(other, "F").algorithm;
      if (!prove(algorithm).proved) {
        ++counts.disproved;
        continue;
      }
    } catch (const InputError&) {
      ++counts.refused;
      continue;
    }
    ++counts.proved;
    if (algorithm.collective != "allreduce") continue;  // the proof reports it
    for (const bool inplace : {false, true})
      for (std::uint64_t order = 0; order < 20 && (inplace ? algorithm.inplace : algorithm.out_of_place); ++order)
        if (!MscclMachine(algorithm, inplace, order).runs_right()) {
          FAIL_CHECK("proved, but wrong in a random order:\n" + other);
          return counts;
        }
  }
  return counts;
}

}  // namespace

TEST_CASE("a changed attribute of an MSCCL ring is found or harmless", "[pure][msccl]") {
  std::ifstream file(TRIBUTARY_SOURCE_DIR "/testbench/workload/data/msccl/ring4.xml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(MscclMachine(read_algorithm(text, "F").algorithm, true, 1).runs_right());
  const Counts counts = spoil(text, 500, 1);
  CHECK(counts.refused > 100);
  CHECK(counts.disproved > 50);
  CHECK(counts.proved < 200);  // attributes without effect: hasdep, destinations of sends ...
}

TEST_CASE("a changed attribute of an MSCCL file with dependencies is found or harmless", "[pure][msccl]") {
  const std::string text = xml_of(export_schedule(collective::halving_doubling_allreduce(6), "allreduce"));
  CHECK(text.find("\"nop\"") != std::string::npos);
  CHECK(MscclMachine(read_algorithm(text, "F").algorithm, true, 1).runs_right());
  const Counts counts = spoil(text, 500, 2);
  CHECK(counts.refused > 50);
  CHECK(counts.disproved > 50);
}

}  // namespace tributary::test_msccl_spoilt
