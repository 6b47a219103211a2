// MSCCL algorithms: reading, proof, and the errors found.
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>

#include "testbench/interchange/msccl/proof.h"
#include "testbench/interchange/msccl/reader.h"
#include "testbench/workload/input_error.h"

namespace tributary::test_msccl_proof {

using namespace tributary::msccl;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string ring4() {
  std::ifstream file(TRIBUTARY_SOURCE_DIR "/testbench/workload/data/msccl/ring4.xml");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t place = text.find(what);
  REQUIRE(place != std::string::npos);
  return text.replace(place, what.size(), by);
}

std::string refusal(const std::string& text) {
  try {
    prove(read_algorithm(text, "F").algorithm);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string reason(const std::string& text) { return prove(read_algorithm(text, "F").algorithm).reason; }

std::string step(int s, const std::string& type, const std::string& from, int source, const std::string& to, int destination,
                 int depid = -1, int deps = -1, int count = 1) {
  return "<step s=\"" + std::to_string(s) + "\" type=\"" + type + "\" srcbuf=\"" + from + "\" srcoff=\"" +
         std::to_string(source) + "\" dstbuf=\"" + to + "\" dstoff=\"" + std::to_string(destination) + "\" cnt=\"" +
         std::to_string(count) + "\" depid=\"" + std::to_string(depid) + "\" deps=\"" + std::to_string(deps) +
         "\" hasdep=\"0\"/>\n";
}
std::string tb(int id, int send, int receive, const std::string& steps, int channel = 0) {
  return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) + "\" recv=\"" + std::to_string(receive) +
         "\" chan=\"" + std::to_string(channel) + "\">\n" + steps + "</tb>\n";
}
std::string gpu(int id, int in, int out, int scratch, const std::string& blocks) {
  return "<gpu id=\"" + std::to_string(id) + "\" i_chunks=\"" + std::to_string(in) + "\" o_chunks=\"" + std::to_string(out) +
         "\" s_chunks=\"" + std::to_string(scratch) + "\">\n" + blocks + "</gpu>\n";
}
std::string algo(const std::string& collective, int gpus, int chunks, bool inplace, const std::string& body) {
  return "<algo name=\"t\" proto=\"Simple\" nchannels=\"2\" nchunksperloop=\"" + std::to_string(chunks) + "\" ngpus=\"" +
         std::to_string(gpus) + "\" coll=\"" + collective + "\" inplace=\"" + (inplace ? "1" : "0") + "\" outofplace=\"" +
         (inplace ? "0" : "1") + "\" minBytes=\"0\" maxBytes=\"0\">\n" + body + "</algo>\n";
}

/// Both GPUs send their chunk to each other's scratch buffer, and add it.
std::string exchange(const std::string& add) {
  const auto of = [&](int g) {
    return gpu(g, 1, 0, 1, tb(0, 1 - g, 1 - g, step(0, "s", "i", 0, "s", 0) + step(1, "r", "s", 0, "s", 0)) + add);
  };
  return algo("allreduce", 2, 1, true, of(0) + of(1));
}

}  // namespace

TEST_CASE("an MSCCL ring is read and proved", "[pure][msccl]") {
  const ReadAlgorithm read = read_algorithm(ring4(), "F");
  CHECK(read.warnings.empty());
  const Size size = size_of(read.algorithm);
  CHECK(size.thread_blocks == 4);
  CHECK(size.steps == 28);     // per rank: 1 s, 2 rrs, 1 rrcs, 2 rcs, 1 r
  CHECK(size.messages == 24);  // 2 (p - 1) per rank
  CHECK(size.chunk_hops == 24);
  const Proof proof = prove(read.algorithm);
  CHECK(proof.reason.empty());
  CHECK(proof.proved);
  CHECK(proof.longest_chain == 7);  // a chunk travels almost twice around the ring, one step per rank
}

TEST_CASE("invalid MSCCL files are rejected with the line", "[pure][msccl]") {
  const auto spoilt = [](const std::string& what, const std::string& by) { return refusal(replaced(ring4(), what, by)); };
  CHECK_THAT(refusal("<algo"), StartsWith("F:1: not XML"));
  CHECK_THAT(refusal(""), StartsWith("F:1: not XML"));
  CHECK_THAT(refusal("<system/>"), StartsWith("F:1: the root element is") && Contains("<algo>"));
  CHECK_THAT(refusal(ring4() + "<algo/>"), Contains("more than one root"));
  CHECK_THAT(spoilt(" ngpus=\"4\"", ""), StartsWith("F:1: <algo> has no ngpus"));
  CHECK_THAT(spoilt("ngpus=\"4\"", "ngpus=\"5\""), Contains("the <gpu> of id 4 is missing"));
  CHECK_THAT(spoilt("ngpus=\"4\"", "ngpus=\"3\""), Contains("recv '3'") || Contains("id '3'"));
  CHECK_THAT(spoilt("proto=\"Simple\"", "proto=\"simple\""), Contains("Simple, LL or LL128"));
  CHECK_THAT(spoilt("inplace=\"1\"", "inplace=\"0\""), Contains("both 0"));
  CHECK_THAT(spoilt("nchunksperloop=\"4\"", "nchunksperloop=\"5\""), Contains("most i_chunks or o_chunks of a GPU, 4"));
  CHECK_THAT(spoilt("gpu id=\"1\"", "gpu id=\"0\""), StartsWith("F:13: a second <gpu> of id 0"));
  CHECK_THAT(spoilt("tb id=\"0\" send=\"1\"", "tb id=\"1\" send=\"1\""), StartsWith("F:3: <tb>: id '1'"));
  CHECK_THAT(spoilt("send=\"1\"", "send=\"0\""), StartsWith("F:3: <tb>: send '0'") && Contains("another GPU"));
  CHECK_THAT(spoilt("send=\"1\"", "send=\"-1\""), StartsWith("F:4: a step of type s") && Contains("without send peer"));
  CHECK_THAT(spoilt("recv=\"3\"", "recv=\"-1\""), StartsWith("F:5: a step of type rrs") && Contains("without recv peer"));
  CHECK_THAT(spoilt("chan=\"0\"", "chan=\"1\""), StartsWith("F:3: <tb>: chan '1'") && Contains("0 to 0"));
  CHECK_THAT(spoilt("s=\"2\" type", "s=\"3\" type"), StartsWith("F:6: <step>: s '3'") && Contains("legal: 2"));
  CHECK_THAT(spoilt("type=\"rrcs\"", "type=\"rrsc\""), StartsWith("F:7: <step>: type 'rrsc'"));
  CHECK_THAT(spoilt("srcoff=\"0\"", "srcoff=\"4\""), StartsWith("F:4: <step>: srcoff '4'") && Contains("0 to 3"));
  CHECK_THAT(spoilt("srcoff=\"0\"", "srcoff=\"-1\""), StartsWith("F:4: <step>: srcoff '-1'"));
  CHECK_THAT(spoilt("srcbuf=\"i\"", "srcbuf=\"x\""), Contains("i, o or s"));
  CHECK_THAT(spoilt("srcbuf=\"i\"", "srcbuf=\"s\""), Contains("a buffer s of 0 chunks"));
  CHECK_THAT(spoilt("cnt=\"1\"", "cnt=\"72\""), Contains("0 to 71"));
  CHECK_THAT(spoilt("cnt=\"1\"", "cnt=\"1x\""), Contains("cnt '1x'"));
  CHECK_THAT(spoilt("depid=\"-1\"", "depid=\"0\""), StartsWith("F:4: one of depid and deps is -1"));
  CHECK_THAT(spoilt("depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"7\""),
             StartsWith("F:4:") && Contains("the step does not exist"));
  CHECK_THAT(spoilt("cnt=\"1\"", "cnt=\"1\" cnt=\"1\""), Contains("given twice"));
  CHECK_THAT(spoilt("coll=\"allreduce\"", "coll=\"alltoallv\""), Contains("coll 'alltoallv'") && Contains("reducescatter"));
  CHECK_THAT(spoilt("i_chunks=\"4\" o_chunks=\"0\"", "i_chunks=\"4\" o_chunks=\"3\""), Contains("gpu 0 has o_chunks 3"));
  CHECK_THAT(spoilt("maxBytes=\"0\"", "maxBytes=\"4K\""), StartsWith("F:1: <algo>: maxBytes '4K'"));
}

TEST_CASE("content without effect in an MSCCL file causes a warning", "[pure][msccl]") {
  const auto warnings = [](const std::string& what, const std::string& by) {
    return read_algorithm(replaced(ring4(), what, by), "F").warnings;
  };
  REQUIRE(warnings(" outofplace=\"0\" minBytes=\"0\" maxBytes=\"0\"", "").size() == 1);
  CHECK_THAT(warnings(" outofplace=\"0\" minBytes=\"0\"", "").at(0), StartsWith("F:1: <algo> has no outofplace, minBytes"));
  CHECK_THAT(warnings("chan=\"0\"", "chan=\"0\" colour=\"red\"").at(0), StartsWith("F:3: <tb>: attribute 'colour'"));
  CHECK_THAT(warnings("<tb id", "<copy/><tb id").at(0), StartsWith("F:3: <'copy'> in <gpu>"));
}

TEST_CASE("an MSCCL deadlock is reported as its cycle", "[pure][msccl]") {
  // Both GPUs receive before they send.
  const auto of = [](int g) {
    return gpu(g, 2, 0, 0, tb(0, 1 - g, 1 - g, step(0, "rrc", "i", g, "i", g) + step(1, "s", "i", 1 - g, "i", 1 - g)));
  };
  const std::string found = reason(algo("allreduce", 2, 2, true, of(0) + of(1)));
  CHECK_THAT(found, StartsWith("deadlock: these steps wait for each other\n"));
  CHECK_THAT(found,
             Contains("gpu 0 tb 0 step 0 (rrc from 1, channel 0) waits for gpu 1 tb 0 step 1 (s to 0, channel 0), which "
                      "comes after gpu 1 tb 0 step 0 (rrc from 0, channel 0)"));
  CHECK_THAT(found, Contains("gpu 1 tb 0 step 0 (rrc from 0, channel 0) waits for gpu 0 tb 0 step 1"));
  CHECK(std::count(found.begin(), found.end(), '\n') == 2);
}

TEST_CASE("an MSCCL step that depends on itself is a deadlock", "[pure][msccl]") {
  const std::string text = replaced(ring4(), "depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"0\"");
  CHECK_THAT(reason(text), Contains("gpu 0 tb 0 step 0 (s to 1, channel 0) waits for gpu 0 tb 0 step 0"));
}

TEST_CASE("MSCCL queues that do not fit are named", "[pure][msccl]") {
  const auto pair = [](const std::string& sender, const std::string& receiver) {
    return reason(algo("broadcast", 2, 2, true, gpu(0, 2, 0, 0, sender) + gpu(1, 2, 0, 0, receiver)));
  };
  const std::string both = step(0, "s", "i", 0, "i", 0, -1, -1, 2);
  CHECK(pair(tb(0, 1, -1, both), tb(0, -1, 0, step(0, "r", "i", 0, "i", 0, -1, -1, 2))).empty());
  CHECK_THAT(pair(tb(0, 1, -1, both), tb(0, -1, 0, step(0, "r", "i", 0, "i", 0))),
             Contains("sends 2 chunks") && Contains("receives 1"));
  CHECK_THAT(pair(tb(0, 1, -1, both), tb(0, -1, -1, "")), StartsWith("queue from gpu 0 to gpu 1 on channel 0 is not empty"));
  CHECK_THAT(pair(tb(0, 1, -1, ""), tb(0, -1, 0, step(0, "r", "i", 0, "i", 0))), StartsWith("deadlock: no step sends"));
  CHECK_THAT(pair(tb(0, 1, -1, both), tb(0, -1, 0, step(0, "r", "i", 0, "i", 0, -1, -1, 2), 1)), Contains("channel"));
  const std::string halves = tb(0, 1, -1, step(0, "s", "i", 0, "i", 0)) + tb(1, 1, -1, step(0, "s", "i", 1, "i", 1));
  CHECK_THAT(pair(halves, tb(0, -1, 0, step(0, "r", "i", 0, "i", 0) + step(1, "r", "i", 1, "i", 1))),
             Contains("two thread blocks at one end of a queue"));
}

TEST_CASE("an MSCCL sum must wait for its operand", "[pure][msccl]") {
  CHECK(reason(exchange(tb(1, -1, -1, step(0, "re", "s", 0, "i", 0, 0, 1)))).empty());
  // Ordered only after the send, the sum may run before the message arrives.
  const std::string early = reason(exchange(tb(1, -1, -1, step(0, "re", "s", 0, "i", 0, 0, 0))));
  CHECK_THAT(early, Contains("never written") || StartsWith("race"));
  // Two steps after the message are ordered only by their thread blocks, and both write.
  const std::string twice =
      exchange(tb(1, -1, -1, step(0, "re", "s", 0, "i", 0, 0, 1)) + tb(2, -1, -1, step(0, "cpy", "i", 0, "i", 0, 0, 1)));
  CHECK_THAT(reason(twice), StartsWith("race") && Contains("tb 1 step 0 (re)") && Contains("tb 2 step 0 (cpy)"));
  // A nop passes the dependency to the following step.
  CHECK(reason(exchange(tb(1, -1, -1, step(0, "nop", "i", -1, "o", -1, 0, 1, 0) + step(1, "re", "s", 0, "i", 0)))).empty());
}

TEST_CASE("an MSCCL send may race with a write of its chunk", "[pure][msccl]") {
  // GPU 0 sends its chunk in one thread block, and overwrites it in another; the data are correct in only one order.
  const std::string zero =
      gpu(0, 1, 0, 0, tb(0, 1, -1, step(0, "s", "i", 0, "i", 0)) + tb(1, -1, 1, step(0, "r", "i", 0, "i", 0)));
  const std::string one =
      gpu(1, 1, 0, 1, tb(0, 0, -1, step(0, "s", "i", 0, "i", 0)) + tb(1, -1, 0, step(0, "r", "s", 0, "s", 0)));
  CHECK_THAT(reason(algo("broadcast", 2, 1, true, zero + one)), StartsWith("race") && Contains("gpu 0 tb 0 step 0"));
}

TEST_CASE("messages order the steps of an MSCCL GPU's thread blocks", "[pure][msccl]") {
  // The chunk returns to its sender, but not before GPU 1 has received it.
  const std::string zero =
      gpu(0, 1, 0, 0, tb(0, 1, -1, step(0, "s", "i", 0, "i", 0)) + tb(1, -1, 1, step(0, "r", "i", 0, "i", 0)));
  const std::string one = gpu(1, 1, 0, 0, tb(0, 0, 0, step(0, "r", "i", 0, "i", 0) + step(1, "s", "i", 0, "i", 0)));
  CHECK(reason(algo("broadcast", 2, 1, true, zero + one)).empty());
}

TEST_CASE("wrong MSCCL outputs are reported with their content", "[pure][msccl]") {
  CHECK_THAT(reason(replaced(ring4(), "type=\"rrs\"", "type=\"rcs\"")),
             Contains("output chunk 3 of gpu") && Contains("ends with") && Contains("(legal: chunk"));
  CHECK_THAT(reason(exchange(tb(1, -1, -1, step(0, "re", "s", 0, "i", 0, 0, 1) + step(1, "re", "s", 0, "i", 0)))),
             Contains("ends with chunk 0 of gpu 0 + 2 x chunk 0 of gpu 1"));
  const std::string lonely = algo("allgather", 2, 2, false, gpu(0, 1, 2, 0, "") + gpu(1, 1, 2, 0, ""));
  CHECK_THAT(reason(lonely), Contains("output chunk 0 of gpu 0 ends with nothing"));
  CHECK_THAT(refusal(algo("alltoall", 2, 3, false, gpu(0, 3, 3, 0, "") + gpu(1, 3, 3, 0, ""))), Contains("of 2 GPUs"));
}

TEST_CASE("the root of an MSCCL collective follows from its data", "[pure][msccl]") {
  const std::string text =
      algo("broadcast", 2, 1, false,
           gpu(0, 1, 1, 0, tb(0, -1, 1, step(0, "r", "o", 0, "o", 0))) +
               gpu(1, 1, 1, 0, tb(0, 0, -1, step(0, "s", "i", 0, "o", 0)) + tb(1, -1, -1, step(0, "cpy", "i", 0, "o", 0))));
  const Proof proof = prove(read_algorithm(text, "F").algorithm);
  CHECK(proof.reason.empty());
  CHECK(proof.root == 1);
}

}  // namespace tributary::test_msccl_proof
