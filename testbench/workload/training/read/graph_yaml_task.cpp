#include "testbench/workload/training/read/graph_yaml_task.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "modules/base/field_type.h"
#include "modules/base/nearest.h"
#include "modules/base/text_format.h"

namespace tributary::training {
namespace {

constexpr std::uint64_t most_int = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t most_ps = 1'000'000'000'000'000'000;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;

/// Keys of a task, in the order of `key_names`.
enum class Key {
  id,
  name,
  kind,
  group,
  rank,
  after,
  priority,
  queue,
  iteration,
  layer,
  micro_batch,
  pass,
  time,
  memory_bound,
  flop,
  bytes,
  rows,
  columns,
  length,
  delay,
  collective,
  algorithm,
  type,
  root,
  peer,
  tag,
  buffer,
  unknown
};

const std::vector<std::string>& key_names() {
  static const std::vector<std::string> all{
      "id",     "name",        "kind",       "group",     "rank",         "after", "priority", "queue", "iteration",
      "layer",  "micro_batch", "pass",       "time",      "memory_bound", "flop",  "bytes",    "rows",  "columns",
      "length", "delay",       "collective", "algorithm", "type",         "root",  "peer",     "tag",   "buffer"};
  return all;
}

Key key_of(const std::string& name) {
  static const std::unordered_map<std::string, Key> keys = [] {
    std::unordered_map<std::string, Key> map;
    for (std::size_t i = 0; i < key_names().size(); ++i) map[key_names()[i]] = static_cast<Key>(i);
    return map;
  }();
  const auto found = keys.find(name);
  return found == keys.end() ? Key::unknown : found->second;
}

/// Parses a value that has its own text form; `most` is in base units.
template <class T>
T value_of(const YamlNode& node, const std::string& key) {
  const std::string& text = yaml_text(node, key);
  try {
    return FieldType<T>::parse(text);
  } catch (const UnitError&) {
    throw YamlFlaw{node.line, key + " is " + shown(text) + " (legal: " + FieldType<T>::legal() + ")"};
  }
}

template <class T>
std::uint64_t quantity(const YamlNode& node, const std::string& key, std::uint64_t most) {
  const T value = value_of<T>(node, key);
  T limit;
  limit.value = most;
  if (value.value > most)
    throw YamlFlaw{node.line, key + " is " + to_string(value) + " (legal: up to " + to_string(limit) + ")"};
  return value.value;
}

std::int32_t whole(const YamlNode& node, const std::string& key, std::int64_t least = 0) {
  const std::string& text = yaml_text(node, key);
  const bool negative = least < 0 && !text.empty() && text.front() == '-';
  std::uint64_t n = most_int + 1;
  try {
    n = parse_count(negative ? text.substr(1) : text, most_int);
  } catch (const UnitError&) {  // reported below
  }
  const auto value = static_cast<std::int64_t>(n) * (negative ? -1 : 1);
  if (n > most_int || value < least)
    throw YamlFlaw{node.line, key + " is " + shown(text) + " (legal: a whole number from " + std::to_string(least) + " to " +
                                  std::to_string(most_int) + ")"};
  return static_cast<std::int32_t>(value);
}

class Fields {
 public:
  explicit Fields(const YamlNode& node) : line_(node.line) {
    if (!node.is_map()) fail("a task must be a map of keys");
    for (const auto& [name, value] : node.entries) {
      const std::string& word = yaml_text(*name, "a key");
      const Key key = key_of(word);
      if (word == "stream") throw YamlFlaw{name->line, "key 'stream' was renamed: use queue"};
      if (key == Key::unknown) throw YamlFlaw{name->line, unknown_name("key of a task", one_line(word), key_names())};
      const auto bit = std::uint64_t{1} << static_cast<unsigned>(key);
      if ((seen_ & bit) != 0) throw YamlFlaw{name->line, "key '" + word + "' is given twice (legal: once)"};
      seen_ |= bit;
      take(key, word, *value);
    }
  }

  YamlTask take() {
    if (!has(Key::kind)) fail("a task without kind (legal: " + FieldType<TaskKind>::legal() + ")");
    settle();
    return std::move(all_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw YamlFlaw{line_, what}; }

  bool has(Key key) const { return (seen_ >> static_cast<unsigned>(key) & 1) != 0; }

  void take(Key key, const std::string& word, const YamlNode& v) {
    Task& task = all_.task;
    Transfer& moved = task.transfer;
    switch (key) {
      case Key::id:
        all_.id = yaml_text(v, word);
        if (!has(Key::name)) task.name = all_.id;
        break;
      case Key::name:
        task.name = yaml_text(v, word);
        break;
      case Key::kind:
        task.kind = value_of<TaskKind>(v, word);
        break;
      case Key::group:
        all_.group = yaml_text(v, word);
        break;
      case Key::rank:
        task.rank = whole(v, word);
        break;
      case Key::after:
        take_after(v);
        break;
      case Key::priority:
        task.priority = whole(v, word, -static_cast<std::int64_t>(most_int));
        break;
      case Key::queue:
        task.queue = static_cast<std::uint32_t>(whole(v, word));
        break;
      case Key::iteration:
        task.iteration = whole(v, word);
        break;
      case Key::layer:
        task.layer = whole(v, word, -1);
        break;
      case Key::micro_batch:
        task.micro_batch = whole(v, word);
        break;
      case Key::pass:
        task.pass = value_of<Pass>(v, word);
        break;
      case Key::time:
        task.work.time = quantity<Time>(v, word, most_ps);
        break;
      case Key::memory_bound:
        task.work.memory_bound = value_of<bool>(v, word);
        break;
      case Key::flop:
        task.work.flop = yaml_count(v, word, 0, most_bytes);
        break;
      case Key::bytes:
        bytes_ = quantity<Bytes>(v, word, most_bytes);
        break;
      case Key::rows:
        task.work.rows = yaml_count(v, word, 1, most_int);
        break;
      case Key::columns:
        task.work.columns = yaml_count(v, word, 1, most_int);
        break;
      case Key::length:
        task.work.length = yaml_count(v, word, 1, most_int);
        break;
      case Key::delay:
        task.delay = quantity<Time>(v, word, most_ps);
        break;
      case Key::collective:
        moved.collective = yaml_text(v, word);
        break;
      case Key::algorithm:
        moved.algorithm = yaml_text(v, word);
        break;
      case Key::type:
        moved.type = value_of<ElementType>(v, word);
        break;
      case Key::root:
        moved.root = whole(v, word);
        break;
      case Key::peer:
        moved.peer = whole(v, word);
        break;
      case Key::tag:
        moved.tag = static_cast<std::uint32_t>(yaml_count(v, word, 0, 0xFFFFFFFF));
        break;
      case Key::buffer:
        take_buffer(v);
        break;
      case Key::unknown:
        break;
    }
  }

  void take_after(const YamlNode& v) {
    if (v.is_null()) return;
    if (!v.is_sequence()) {
      all_.after.push_back(yaml_text(v, "after"));
      return;
    }
    for (const YamlRef& item : v.items) all_.after.push_back(yaml_text(*item, "after"));
  }

  void take_buffer(const YamlNode& v) {
    if (!v.is_sequence() || v.items.size() != 2)
      throw YamlFlaw{v.line, "buffer is not a pair of numbers (legal: [first byte, bytes])"};
    all_.task.transfer.buffer = BufferRange{yaml_count(*v.items[0], "first byte of the buffer", 0, most_bytes),
                                            yaml_count(*v.items[1], "bytes of the buffer", 1, most_bytes)};
  }

  /// Checks that the keys required by the task's kind are present, and rejects keys of other kinds.
  void settle() {
    Task& task = all_.task;
    const std::string kind = FieldType<TaskKind>::print(task.kind);
    std::vector<Key> needed, possible{Key::id,       Key::name,  Key::kind,      Key::group, Key::rank,        Key::after,
                                      Key::priority, Key::queue, Key::iteration, Key::layer, Key::micro_batch, Key::pass};
    const auto work = [&](Work::Kind of, std::vector<Key> keys) {
      task.work.kind = of;
      needed = std::move(keys);
    };
    switch (task.kind) {
      case TaskKind::compute:
      case TaskKind::optimizer:
        if (has(Key::flop) || has(Key::bytes)) {
          work(Work::Kind::roofline, {Key::flop, Key::bytes});
          task.work.bytes = bytes_;
        } else if (has(Key::rows) || has(Key::columns) || has(Key::length)) {
          work(Work::Kind::gemm, {Key::rows, Key::columns, Key::length});
        } else {
          work(Work::Kind::time, {Key::time});
          possible.push_back(Key::memory_bound);
        }
        break;
      case TaskKind::collective:
        needed = {Key::collective, Key::bytes};
        possible.insert(possible.end(), {Key::algorithm, Key::type, Key::root, Key::buffer});
        break;
      case TaskKind::send:
      case TaskKind::receive:
        needed = {Key::peer, Key::bytes};
        possible.insert(possible.end(), {Key::type, Key::tag, Key::algorithm});
        break;
      case TaskKind::mark:
        possible.push_back(Key::delay);
    }
    if (moves(task.kind)) task.transfer.bytes = bytes_;
    if (const std::uint64_t element = element_size(task.transfer.type); moves(task.kind) && bytes_ % element != 0)
      fail("bytes is " + std::to_string(bytes_) + ", not a whole number of elements of " +
           FieldType<ElementType>::print(task.transfer.type) + " (legal: a multiple of " + std::to_string(element) + ")");
    for (const Key key : needed)
      if (!has(key)) fail("a task of kind " + kind + " without " + key_names()[static_cast<std::size_t>(key)]);
    possible.insert(possible.end(), needed.begin(), needed.end());
    for (std::size_t k = 0; k < key_names().size(); ++k)
      if (has(static_cast<Key>(k)) && std::find(possible.begin(), possible.end(), static_cast<Key>(k)) == possible.end())
        fail("key '" + key_names()[k] + "' in a task of kind " + kind +
             (on_engine(task.kind) ? " (legal: time, or flop and bytes, or rows, columns and length)" : ""));
  }

  std::size_t line_;
  std::uint64_t seen_ = 0, bytes_ = 0;
  YamlTask all_;
};

}  // namespace

std::string shown(const std::string& text) { return "'" + one_line(text.substr(0, 60)) + "'"; }

YamlTask yaml_task(const YamlNode& node) { return Fields(node).take(); }

}  // namespace tributary::training
