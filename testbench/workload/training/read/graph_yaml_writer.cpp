#include <cstdio>
#include <stdexcept>

#include "modules/base/field_type.h"
#include "testbench/workload/training/read/graph_yaml.h"

namespace tributary::training {
namespace {

/// Returns the character of two or three bytes at `i` if libyaml reads it as a line break or rejects it; else 0.
unsigned not_for_yaml(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned two = (byte(i) & 0x1F) << 6 | (byte(i + 1) & 0x3F);
  if (byte(i) == 0xC2) return two < 0xA0 ? two : 0;
  const unsigned three = (byte(i) & 0xF) << 12 | (byte(i + 1) & 0x3F) << 6 | (byte(i + 2) & 0x3F);
  if ((byte(i) & 0xF0) != 0xE0) return 0;
  return three == 0x2028 || three == 0x2029 || three == 0xFEFF || three >= 0xFFFE ? three : 0;
}

/// Returns the text in quotes, so that it cannot become a null, a number or a key.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    const unsigned wide = not_for_yaml(text, i);
    char escape[8] = "";
    if (c == '"' || c == '\\') {
      std::snprintf(escape, sizeof escape, "\\%c", c);
    } else if (byte < 0x20 || byte == 0x7F) {
      std::snprintf(escape, sizeof escape, "\\x%02x", byte);
    } else if (wide != 0) {
      std::snprintf(escape, sizeof escape, "\\u%04x", wide & 0xFFFF);
      i += byte == 0xC2 ? 1 : 2;
    } else {
      all += c;
    }
    all += escape;
  }
  return all + "\"";
}

/// Returns `[0-3, 7]`: runs of consecutive ranks as first-last.
std::string rank_list(const std::vector<int>& ranks) {
  std::string all;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    all += (all.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) all += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return "[" + all + "]";
}

class Line {
 public:
  explicit Line(std::ostream& out) : out_(out) { out_ << "  - {"; }
  ~Line() { out_ << "}\n"; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& add(const char* key, const std::string& value) {
    out_ << (first_ ? "" : ", ") << key << ": " << value;
    first_ = false;
    return *this;
  }
  template <class T>
  Line& number(const char* key, T value, T standard) {
    return value == standard ? *this : add(key, std::to_string(value));
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

void write_work(const Work& work, Line& line) {
  switch (work.kind) {
    case Work::Kind::time:
      line.add("time", to_string(picoseconds(work.time)));
      if (work.memory_bound) line.add("memory_bound", "true");
      break;
    case Work::Kind::roofline:
      line.add("flop", std::to_string(work.flop)).add("bytes", to_string(bytes(work.bytes)));
      break;
    case Work::Kind::gemm:
      line.add("rows", std::to_string(work.rows)).add("columns", std::to_string(work.columns));
      line.add("length", std::to_string(work.length));
  }
}

void write_transfer(const Task& task, Line& line) {
  const Transfer& t = task.transfer;
  if (task.kind == TaskKind::collective) {
    line.add("collective", quoted(t.collective));
    line.number("root", t.root, 0);
  } else {
    line.add("peer", std::to_string(t.peer)).number("tag", t.tag, std::uint32_t{0});
  }
  line.add("bytes", to_string(bytes(t.bytes)));
  if (!t.algorithm.empty()) line.add("algorithm", quoted(t.algorithm));
  if (t.type != ElementType::f32) line.add("type", FieldType<ElementType>::print(t.type));
  if (t.buffer) line.add("buffer", "[" + std::to_string(t.buffer->first) + ", " + std::to_string(t.buffer->bytes) + "]");
}

void write_task(const TaskGraph& graph, const Task& task, std::ostream& out) {
  Line line(out);
  if (!task.name.empty()) line.add("name", quoted(task.name));
  line.add("kind", FieldType<TaskKind>::print(task.kind));
  if (task.group != 0) line.add("group", quoted(graph.groups.at(task.group).name));
  line.number("rank", task.rank, -1);
  if (on_engine(task.kind)) write_work(task.work, line);
  if (moves(task.kind)) write_transfer(task, line);
  if (task.delay != 0) line.add("delay", to_string(picoseconds(task.delay)));
  if (!task.after.empty()) {
    std::string after;
    for (const TaskId id : task.after) after += (after.empty() ? "" : ", ") + std::to_string(id);
    line.add("after", "[" + after + "]");
  }
  line.number("priority", task.priority, 0).number("queue", task.queue, 0u).number("iteration", task.iteration, 0);
  line.number("layer", task.layer, -1).number("micro_batch", task.micro_batch, 0);
  if (task.pass != Pass::none) line.add("pass", FieldType<Pass>::print(task.pass));
}

}  // namespace

void write_graph_yaml(const TaskGraph& graph, std::ostream& out) {
  const TaskGraph standard(graph.ranks);
  if (graph.groups.empty() || graph.groups[0].name != "all" || graph.groups[0].ranks != standard.groups[0].ranks)
    throw std::invalid_argument("group 0 must contain all ranks");
  out << "training_graph: 1\nranks: " << graph.ranks << "\niterations: " << graph.iterations << "\n";
  out << "compute_order: " << FieldType<Order>::print(graph.compute_order) << "\n";
  out << "comm_order: " << FieldType<Order>::print(graph.comm_order) << "\n";
  out << "issue: " << FieldType<Issue>::print(graph.issue) << "\n";
  if (graph.credit != 0) out << "credit: " << to_string(bytes(graph.credit)) << "\n";
  if (graph.samples != 0) out << (graph.tokens ? "tokens: " : "samples: ") << graph.samples << "\n";
  if (!graph.layers.empty()) {
    out << "layers:\n";
    for (const std::string& layer : graph.layers) out << "  - " << quoted(layer) << "\n";
  }
  if (graph.groups.size() > 1) {
    out << "groups:\n";
    for (std::size_t g = 1; g < graph.groups.size(); ++g)
      out << "  - {name: " << quoted(graph.groups[g].name) << ", ranks: " << rank_list(graph.groups[g].ranks) << "}\n";
  }
  out << "tasks:\n";
  for (const Task& task : graph.tasks) write_task(graph, task, out);
  if (graph.tasks.empty()) out << "  []\n";
}

}  // namespace tributary::training
