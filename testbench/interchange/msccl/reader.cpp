#include "testbench/interchange/msccl/reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "modules/base/index.h"
#include "modules/base/input_file.h"
#include "testbench/interchange/msccl/elements.h"
#include "testbench/interchange/msccl/memory.h"
#include "testbench/workload/input_error.h"

namespace tributary::msccl {
namespace {

using Node = pugi::xml_node;

class Reader {
 public:
  Reader(const std::string& text, const std::string& path) : xml_(text, path) {}

  ReadAlgorithm run() {
    const Node root = xml_.root();
    if (std::string(root.name()) != "algo")
      xml_.fail(root, "the root element is <" + topology::quoted(root.name()) + "> (legal: <algo>)");
    read_head(root);
    for (const Node& gpu : xml_.children(root, "gpu")) read_gpu(gpu);
    for (std::size_t g = 0; g < gpus_.size(); ++g)
      if (gpus_[g].empty()) xml_.fail(root, "the <gpu> of id " + std::to_string(g) + " is missing (legal: one of each)");
    check_chunks(root);
    check_collective(root);
    for (std::size_t g = 0; g < gpus_.size(); ++g) read_blocks(static_cast<int>(g));
    check_dependencies();
    return {std::move(algorithm_), xml_.warnings()};
  }

 private:
  void read_head(const Node& root) {
    xml_.check_attributes(root, {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll", "inplace", "outofplace",
                                 "minBytes", "maxBytes", "redop"});
    Algorithm& a = algorithm_;
    a.name = xml_.text(root, "name");
    a.protocol = xml_.text(root, "proto");
    if (a.protocol != "Simple" && a.protocol != "LL" && a.protocol != "LL128")
      xml_.refuse(root, "proto", "Simple, LL or LL128");
    a.collective = xml_.text(root, "coll");
    a.channels = xml_.number(root, "nchannels", 1, Limits::channels);
    a.chunks_per_loop = xml_.number(root, "nchunksperloop", 1, Limits::chunks);
    a.gpus.resize(at(xml_.number(root, "ngpus", 1, Limits::gpus)));
    gpus_.resize(a.gpus.size());
    a.inplace = xml_.number(root, "inplace", 0, 1) == 1;
    std::string missing;
    const auto given = [&](const char* name) {
      if (!xml_.has(root, name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
      return xml_.has(root, name);
    };
    a.out_of_place = given("outofplace") ? xml_.number(root, "outofplace", 0, 1) == 1 : !a.inplace;
    if (given("minBytes")) a.min_bytes = xml_.large_number(root, "minBytes");
    if (given("maxBytes")) a.max_bytes = xml_.large_number(root, "maxBytes");
    if (!missing.empty()) xml_.warn(root, "<algo> has no " + missing + ": RCCL does not accept this file");
    if (!a.inplace && !a.out_of_place) xml_.fail(root, "inplace and outofplace are both 0 (legal: one of them 1)");
    if (a.max_bytes != 0 && a.max_bytes < a.min_bytes)
      xml_.refuse(root, "maxBytes", "0, or at least minBytes, " + std::to_string(a.min_bytes));
  }

  void read_gpu(const Node& node) {
    xml_.check_attributes(node, {"id", "i_chunks", "o_chunks", "s_chunks"});
    const int id = xml_.number(node, "id", 0, algorithm_.ranks() - 1);
    if (!gpus_[at(id)].empty()) xml_.fail(node, "a second <gpu> of id " + std::to_string(id) + " (legal: one)");
    gpus_[at(id)] = node;
    Gpu& gpu = algorithm_.gpus[at(id)];
    gpu.input = xml_.number(node, "i_chunks", 0, Limits::chunks);
    gpu.output = xml_.number(node, "o_chunks", 0, Limits::chunks);
    gpu.scratch = xml_.number(node, "s_chunks", 0, Limits::chunks);
  }

  void check_chunks(const Node& root) const {
    int most = 0;
    for (const Gpu& gpu : algorithm_.gpus) most = std::max({most, gpu.input, gpu.output});
    if (algorithm_.chunks_per_loop != most)
      xml_.refuse(root, "nchunksperloop", "the most i_chunks or o_chunks of a GPU, " + std::to_string(most));
  }

  /// Checks that the collective is known and that each GPU has its input and output chunks.
  void check_collective(const Node& root) const {
    try {
      extent_of(algorithm_);
    } catch (const InputError& error) {
      xml_.fail(root, error.what());
    }
  }

  void read_blocks(int id) {
    Gpu& gpu = algorithm_.gpus[at(id)];
    const std::vector<Node> nodes = xml_.children(gpus_[at(id)], "tb");
    if ((blocks_ += nodes.size()) > Limits::thread_blocks)
      xml_.fail(gpus_[at(id)], "too many thread blocks (legal: up to " + std::to_string(Limits::thread_blocks) + ")");
    if (nodes.size() > Limits::usual_blocks)
      xml_.warn(gpus_[at(id)], "gpu " + std::to_string(id) + " has " + std::to_string(nodes.size()) +
                                   " thread blocks: RCCL accepts up to " + std::to_string(Limits::usual_blocks));
    gpu.blocks.resize(nodes.size());
    std::vector<bool> seen(nodes.size(), false);
    for (const Node& node : nodes) {
      const int block = xml_.number(node, "id", 0, static_cast<int>(nodes.size()) - 1);
      if (seen[at(block)]) xml_.fail(node, "a second <tb> of id " + std::to_string(block) + " (legal: one)");
      seen[at(block)] = true;
      gpu.blocks[at(block)] = thread_block(id, node);
    }
  }

  ThreadBlock thread_block(int gpu, const Node& node) {
    xml_.check_attributes(node, {"id", "send", "recv", "chan"});
    ThreadBlock block;
    block.line = xml_.line(node);
    block.send = peer(gpu, node, "send");
    block.receive = peer(gpu, node, "recv");
    block.channel = xml_.number(node, "chan", 0, algorithm_.channels - 1);
    const std::vector<Node> nodes = xml_.children(node, "step");
    if ((steps_ += nodes.size()) > Limits::steps)
      xml_.fail(node, "too many steps (legal: up to " + std::to_string(Limits::steps) + ")");
    if (nodes.size() > Limits::usual_steps)
      xml_.warn(node, "a thread block has " + std::to_string(nodes.size()) + " steps: RCCL accepts up to " +
                          std::to_string(Limits::usual_steps));
    for (const Node& n : nodes) {
      const int next = static_cast<int>(block.steps.size());
      if (xml_.number(n, "s", 0, static_cast<int>(Limits::steps)) != next)
        xml_.refuse(n, "s", std::to_string(next) + ", steps count from 0");
      block.steps.push_back(step(gpu, block, n));
    }
    return block;
  }

  int peer(int gpu, const Node& node, const char* name) const {
    const int peer = xml_.number(node, name, -1, algorithm_.ranks() - 1);
    if (peer == gpu) xml_.refuse(node, name, "another GPU than its own, or -1");
    return peer;
  }

  Step step(int gpu, const ThreadBlock& block, const Node& node) {
    xml_.check_attributes(node, {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"});
    Step step;
    step.line = xml_.line(node);
    step.type = type(node);
    const StepTraits& t = traits(step.type);
    step.count = xml_.number(node, "cnt", 0, Limits::count);
    step.source = place(gpu, node, "srcbuf", "srcoff", t.reads_source ? step.count : 0);
    step.destination = place(gpu, node, "dstbuf", "dstoff", t.writes ? step.count : 0);
    if (t.sends && block.send < 0) xml_.fail(node, std::string("a step of type ") + t.name + " in a <tb> without send peer");
    if (t.receives && block.receive < 0)
      xml_.fail(node, std::string("a step of type ") + t.name + " in a <tb> without recv peer");
    step.depends_tb = xml_.number(node, "depid", -1, static_cast<int>(Limits::thread_blocks));
    step.depends_step = xml_.number(node, "deps", -1, static_cast<int>(Limits::steps));
    if ((step.depends_tb < 0) != (step.depends_step < 0))
      xml_.fail(node, "one of depid and deps is -1 (legal: both -1, or neither)");
    xml_.number(node, "hasdep", 0, 1);
    return step;
  }

  StepType type(const Node& node) const {
    const std::string name = xml_.text(node, "type");
    for (const StepTraits& t : step_traits())
      if (name == t.name) return t.type;
    xml_.refuse(node, "type", "s, r, rcs, rrs, rrc, rrcs, cpy, re or nop");
  }

  /// `used` is the number of chunks that the step reads or writes from the place on.
  Place place(int gpu, const Node& node, const char* buffer, const char* offset, int used) const {
    const std::string name = xml_.text(node, buffer);
    if (name != "i" && name != "o" && name != "s") xml_.refuse(node, buffer, "i, o or s");
    Place place;
    place.buffer = name == "i" ? Buffer::input : name == "o" ? Buffer::output : Buffer::scratch;
    const int chunks = chunks_of(algorithm_.gpus[at(gpu)], place.buffer);
    if (used > chunks)
      xml_.fail(node, "cnt " + std::to_string(used) + " of a buffer " + name + " of " + std::to_string(chunks) +
                          " chunks (legal: at most its chunks)");
    place.offset = used > 0 ? xml_.number(node, offset, 0, chunks - used) : xml_.number(node, offset, -1, Limits::chunks);
    return place;
  }

  /// In place, input and output are parts of one buffer, and a file has the chunks of one of them.
  int chunks_of(const Gpu& gpu, Buffer buffer) const {
    if (buffer == Buffer::scratch) return gpu.scratch;
    if (algorithm_.inplace && !algorithm_.out_of_place && std::min(gpu.input, gpu.output) == 0)
      return std::max(gpu.input, gpu.output);
    return buffer == Buffer::input ? gpu.input : gpu.output;
  }

  void check_dependencies() const {
    for (const Gpu& gpu : algorithm_.gpus)
      for (const ThreadBlock& block : gpu.blocks)
        for (const Step& step : block.steps) {
          if (step.depends_tb < 0) continue;
          if (at(step.depends_tb) >= gpu.blocks.size() ||
              at(step.depends_step) >= gpu.blocks[at(step.depends_tb)].steps.size())
            xml_.fail_at(step.line, "depid " + std::to_string(step.depends_tb) + ", deps " +
                                        std::to_string(step.depends_step) +
                                        ": the step does not exist (legal: a <tb> of this "
                                        "<gpu>, and one of its steps)");
        }
  }

  Elements xml_;
  Algorithm algorithm_;
  std::vector<Node> gpus_;
  std::size_t blocks_ = 0, steps_ = 0;
};

}  // namespace

ReadAlgorithm read_algorithm(const std::string& text, const std::string& path) { return Reader(text, path).run(); }

ReadAlgorithm read_algorithm_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw InputError(path + ": not a regular file");
  std::ifstream file(path, std::ios::binary);
  if (const std::string why = refusal_of_file(file, path); !why.empty()) throw InputError(path + ": " + why);
  if (std::filesystem::file_size(path, ignored) > Limits::bytes)
    throw InputError(path + ": too large (legal: up to " + std::to_string(Limits::bytes) + " bytes)");
  return read_algorithm({std::istreambuf_iterator<char>(file), {}}, path);
}

}  // namespace tributary::msccl
