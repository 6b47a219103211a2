#include "testbench/workload/yaml_document.h"

#include <yaml.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <new>

#include "modules/base/input_file.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Owns an event of libyaml.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }

  yaml_event_t* get() { return &event_; }
  yaml_event_type_t type() const { return event_.type; }
  std::size_t line() const { return event_.start_mark.line + 1; }

  /// Returns the name that the value defines or the alias refers to; empty without one.
  std::string anchor() const {
    const yaml_char_t* name = nullptr;
    if (type() == YAML_ALIAS_EVENT) name = event_.data.alias.anchor;
    if (type() == YAML_SCALAR_EVENT) name = event_.data.scalar.anchor;
    if (type() == YAML_SEQUENCE_START_EVENT) name = event_.data.sequence_start.anchor;
    if (type() == YAML_MAPPING_START_EVENT) name = event_.data.mapping_start.anchor;
    return name == nullptr ? "" : reinterpret_cast<const char*>(name);
  }
  std::string text() const {
    const auto& scalar = event_.data.scalar;
    return {reinterpret_cast<const char*>(scalar.value), scalar.length};
  }
  bool plain() const { return event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }

 private:
  yaml_event_t event_{};
};

bool means_null(const std::string& plain) {
  return plain.empty() || plain == "~" || plain == "null" || plain == "Null" || plain == "NULL";
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& path) : text_(text), path_(path) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() { yaml_parser_delete(&parser_); }

  std::vector<YamlRef> documents() {
    std::vector<YamlRef> all;
    for (;;) {
      Event event;
      next(event);
      if (event.type() == YAML_STREAM_END_EVENT) return all;
      if (event.type() != YAML_DOCUMENT_START_EVENT) continue;  // start of the stream, or end of a document
      anchors_.clear();
      Event top;
      next(top);
      all.push_back(value(top, 1));
    }
  }

  YamlRef streamed(const std::string& key, const std::function<void(const YamlNode&)>& take) {
    Event event, top;
    while (event.type() != YAML_DOCUMENT_START_EVENT) {
      renew(event);
      if (event.type() == YAML_STREAM_END_EVENT) fail(event.line(), "no YAML document (legal: one)");
    }
    next(top);
    if (top.type() != YAML_MAPPING_START_EVENT) fail(top.line(), "not a map of keys");
    auto node = std::make_shared<YamlNode>();
    node->line = top.line();
    node->kind = YamlNode::Kind::map;
    for (;;) {
      Event name, entry;
      next(name);
      if (name.type() == YAML_MAPPING_END_EVENT) break;
      YamlRef word = value(name, 2);
      next(entry);
      if (word->is_scalar() && word->text == key && entry.type() == YAML_SEQUENCE_START_EVENT) {
        stream_items(take);
        node->entries.emplace_back(std::move(word), std::make_shared<YamlNode>());
      } else {
        node->entries.emplace_back(std::move(word), value(entry, 2));
      }
    }
    while (event.type() != YAML_STREAM_END_EVENT) {
      renew(event);
      if (event.type() == YAML_DOCUMENT_START_EVENT) fail(event.line(), "another YAML document (legal: one)");
    }
    return node;
  }

 private:
  /// Replaces an event by the next one.
  void renew(Event& event) {
    yaml_event_delete(event.get());
    next(event);
  }

  void stream_items(const std::function<void(const YamlNode&)>& take) {
    const std::size_t rest = values_;
    for (;;) {
      Event event;
      next(event);
      if (event.type() == YAML_SEQUENCE_END_EVENT) break;
      values_ = 0;
      take(*value(event, 3));
    }
    values_ = rest;
  }

  void next(Event& event) {
    if (yaml_parser_parse(&parser_, event.get()) == 0) refuse();
  }

  YamlRef value(const Event& event, std::size_t depth) {
    if (depth > YamlLimits::depth) too_deep(event.line());
    if (event.type() == YAML_ALIAS_EVENT) return alias(event, depth);
    count(1, event.line());
    auto node = std::make_shared<YamlNode>();
    node->line = event.line();
    const std::string anchor = event.anchor();
    if (!anchor.empty()) anchors_[anchor] = nullptr;  // known, but incomplete
    if (event.type() == YAML_SCALAR_EVENT) take_text(event, *node);
    if (event.type() == YAML_SEQUENCE_START_EVENT) take_items(*node, depth);
    if (event.type() == YAML_MAPPING_START_EVENT) take_entries(*node, depth);
    if (!anchor.empty()) anchors_[anchor] = node;
    return node;
  }

  YamlRef alias(const Event& event, std::size_t depth) {
    const auto found = anchors_.find(event.anchor());
    if (found == anchors_.end()) fail(event.line(), "the alias *" + event.anchor() + " has no anchor before it");
    if (found->second == nullptr)
      fail(event.line(), "the alias *" + event.anchor() + " is inside the value that it refers to");
    if (depth + found->second->height - 1 > YamlLimits::depth) too_deep(event.line());
    count(found->second->size, event.line());
    return found->second;
  }

  void take_text(const Event& event, YamlNode& node) const {
    node.text = event.text();
    if (node.text.size() > YamlLimits::text)
      fail(event.line(), "a value of " + std::to_string(node.text.size()) + " bytes (legal: up to " +
                             std::to_string(YamlLimits::text) + ")");
    const bool null = event.plain() && means_null(node.text);
    node.kind = null ? YamlNode::Kind::null : YamlNode::Kind::scalar;
  }

  void take_items(YamlNode& node, std::size_t depth) {
    node.kind = YamlNode::Kind::sequence;
    for (;;) {
      Event event;
      next(event);
      if (event.type() == YAML_SEQUENCE_END_EVENT) return;
      node.items.push_back(value(event, depth + 1));
      add(node, *node.items.back());
    }
  }

  void take_entries(YamlNode& node, std::size_t depth) {
    node.kind = YamlNode::Kind::map;
    for (;;) {
      Event key, entry;
      next(key);
      if (key.type() == YAML_MAPPING_END_EVENT) return;
      YamlRef name = value(key, depth + 1);
      next(entry);
      node.entries.emplace_back(std::move(name), value(entry, depth + 1));
      add(node, *node.entries.back().first);
      add(node, *node.entries.back().second);
    }
  }

  static void add(YamlNode& node, const YamlNode& part) {
    node.height = std::max(node.height, part.height + 1);
    node.size += part.size;
  }

  void count(std::size_t values, std::size_t line) {
    values_ += values;
    if (values_ > YamlLimits::values)
      fail(line,
           "more than " + std::to_string(YamlLimits::values) + " values, counting each alias as a copy (legal: fewer)");
  }

  [[noreturn]] void too_deep(std::size_t line) const {
    fail(line, "nested too deeply (legal: up to " + std::to_string(YamlLimits::depth) + " levels)");
  }

  /// Reports the error found by libyaml.
  [[noreturn]] void refuse() const {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    const std::size_t bytes = std::min(text_.size(), parser_.problem_offset);
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(bytes), '\n');
    const std::size_t line =
        parser_.error == YAML_READER_ERROR ? static_cast<std::size_t>(lines) : parser_.problem_mark.line;
    fail(line + 1, std::string("invalid YAML: ") + (parser_.problem == nullptr ? "it cannot be read" : parser_.problem));
  }

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw InputError(path_ + ":" + std::to_string(line) + ": " + what);
  }

  const std::string& text_;
  const std::string& path_;
  yaml_parser_t parser_{};
  std::map<std::string, YamlRef> anchors_;  ///< null: still being read
  std::size_t values_ = 0;
};

}  // namespace

std::vector<YamlRef> parse_yaml(const std::string& text, const std::string& path) { return Parser(text, path).documents(); }

YamlRef stream_yaml(const std::string& text, const std::string& path, const std::string& key,
                    const std::function<void(const YamlNode&)>& take) {
  return Parser(text, path).streamed(key, take);
}

std::vector<YamlRef> read_yaml(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (const std::string why = refusal_of_file(file, path); !why.empty()) throw InputError(path + ": " + why);
  std::string text(YamlLimits::bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > YamlLimits::bytes)
    throw InputError(path + ": too large for a scenario (legal: up to " + std::to_string(YamlLimits::bytes) + " bytes)");
  return parse_yaml(text, path);
}

}  // namespace tributary
