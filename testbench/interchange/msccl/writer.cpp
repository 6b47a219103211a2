#include "testbench/interchange/msccl/writer.h"

#include <set>
#include <utility>

#include "modules/base/index.h"

namespace tributary::msccl {
namespace {

std::string attribute(const char* name, const std::string& value) { return std::string(" ") + name + "=\"" + value + "\""; }
std::string attribute(const char* name, std::uint64_t value) { return attribute(name, std::to_string(value)); }
std::string attribute(const char* name, int value) { return attribute(name, std::to_string(value)); }

std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    const std::string special = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : "";
    all += special.empty() ? std::string(1, c) : special;
  }
  return all;
}

const char* letter(Buffer buffer) { return buffer == Buffer::input ? "i" : buffer == Buffer::output ? "o" : "s"; }

std::string line_of(const Step& step, int number, bool awaited) {
  return "      <step" + attribute("s", number) + attribute("type", traits(step.type).name) +
         attribute("srcbuf", letter(step.source.buffer)) + attribute("srcoff", step.source.offset) +
         attribute("dstbuf", letter(step.destination.buffer)) + attribute("dstoff", step.destination.offset) +
         attribute("cnt", step.count) + attribute("depid", step.depends_tb) + attribute("deps", step.depends_step) +
         attribute("hasdep", awaited ? 1 : 0) + "/>\n";
}

std::string lines_of(const Gpu& gpu, int id) {
  std::set<std::pair<int, int>> awaited;  // thread block, step
  for (const ThreadBlock& block : gpu.blocks)
    for (const Step& step : block.steps) awaited.insert({step.depends_tb, step.depends_step});
  std::string text = "  <gpu" + attribute("id", id) + attribute("i_chunks", gpu.input) + attribute("o_chunks", gpu.output) +
                     attribute("s_chunks", gpu.scratch) + ">\n";
  for (int b = 0; b < static_cast<int>(gpu.blocks.size()); ++b) {
    const ThreadBlock& block = gpu.blocks[at(b)];
    text += "    <tb" + attribute("id", b) + attribute("send", block.send) + attribute("recv", block.receive) +
            attribute("chan", block.channel) + ">\n";
    for (int s = 0; s < static_cast<int>(block.steps.size()); ++s)
      text += line_of(block.steps[at(s)], s, awaited.count({b, s}) != 0);
    text += "    </tb>\n";
  }
  return text + "  </gpu>\n";
}

}  // namespace

std::string xml_of(const Algorithm& a) {
  std::string text = "<algo" + attribute("name", escaped(a.name)) + attribute("proto", a.protocol) +
                     attribute("nchannels", a.channels) + attribute("nchunksperloop", a.chunks_per_loop) +
                     attribute("ngpus", a.ranks()) + attribute("coll", a.collective) +
                     attribute("inplace", a.inplace ? 1 : 0) + attribute("outofplace", a.out_of_place ? 1 : 0) +
                     attribute("minBytes", a.min_bytes) + attribute("maxBytes", a.max_bytes) + ">\n";
  for (int g = 0; g < a.ranks(); ++g) text += lines_of(a.gpus[at(g)], g);
  return text + "</algo>\n";
}

}  // namespace tributary::msccl
