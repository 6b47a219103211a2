#include "testbench/workload/training/read/chakra_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "modules/base/nearest.h"
#include "testbench/workload/training/read/chakra_collectives.h"
#include "testbench/workload/training/read/chakra_groups.h"
#include "testbench/workload/training/read/json_objects.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_word = 60;

/// Types of nodes in the schema, by number, and in the JSON of symbolic_tensor_graph (null: none).
struct TypeName {
  const char *schema, *generator;
};
constexpr std::array<TypeName, 11> type_names{{{"INVALID_NODE", nullptr},
                                               {"METADATA_NODE", nullptr},
                                               {"MEM_LOAD_NODE", "mem_load_node"},
                                               {"MEM_STORE_NODE", "mem_store_node"},
                                               {"COMP_NODE", "comp_node"},
                                               {"COMM_SEND_NODE", "comm_send_node"},
                                               {"COMM_RECV_NODE", "comm_recv_node"},
                                               {"COMM_COLL_NODE", "coll_comm_node"},
                                               {"DATA_LOAD_NODE", nullptr},
                                               {"BATCH_NODE", nullptr},
                                               {"CHECKPOINT_NODE", nullptr}}};

/// Returns the value of the first of these keys; null if the object has none.
const Json* value_of(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto found = object.find(key); found != object.end()) return &*found;
  return nullptr;
}

std::string plain_text(const Json& value) {
  return plain_name(
      value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace),
      longest_word);
}

/// Returns an integer. Protobuf's JSON has those of 64 bits as texts.
std::uint64_t number(const Json& value, const std::string& name) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error == std::errc() && end == text.data() + text.size()) return n;
  }
  throw ChakraFlaw(name + " is '" + plain_text(value) + "' (legal: a whole number from 0)");
}

std::vector<std::uint64_t> numbers(const Json* list, const std::string& name) {
  std::vector<std::uint64_t> all;
  if (list == nullptr) return all;
  if (!list->is_array()) throw ChakraFlaw(name + " is '" + plain_text(*list) + "' (legal: a list of numbers)");
  for (const Json& value : *list) all.push_back(number(value, name));
  return all;
}

std::uint64_t collective_number(const Json& value) {
  if (!value.is_string() || value.get_ref<const std::string&>().find_first_not_of("0123456789") == std::string::npos)
    return number(value, "comm_type");
  std::vector<std::string> names;
  for (const ChakraCollective& c : chakra_collectives) names.emplace_back(c.there);
  const auto found = std::find(names.begin(), names.end(), value.get_ref<const std::string&>());
  if (found == names.end()) throw ChakraFlaw("comm_type is '" + plain_text(value) + "' (legal: " + join_names(names) + ")");
  return static_cast<std::uint64_t>(found - names.begin());
}

bool holds_false(const Json& list) {
  const Json* values = list.is_object() ? value_of(list, {"values"}) : &list;
  if (values == nullptr || !values->is_array()) return false;
  return std::any_of(values->begin(), values->end(), [](const Json& flag) { return number(flag, "involved_dim") == 0; });
}

/// Takes an attribute by its name in the schema; others are skipped.
void take_attribute(ChakraNode& node, const std::string& name, const Json& value) {
  const auto take = [&](std::optional<std::uint64_t>& field) { field = number(value, name); };
  if (name == "is_cpu_op") node.on_cpu = number(value, name) != 0;
  if (name == "num_ops") take(node.operations);
  if (name == "tensor_size") take(node.tensor_bytes);
  if (name == "comm_size") take(node.bytes);
  if (name == "comm_src") take(node.source);
  if (name == "comm_dst") take(node.destination);
  if (name == "comm_tag") take(node.tag);
  if (name == "comm_priority") take(node.priority);
  if (name == "comm_type") node.type_number = collective_number(value);
  if (name == "pg_name" || name == "comm_group") node.group = plain_text(value);
  if (name == "involved_dim") node.part_of_dimensions = holds_false(value);
}

/// Keys of a node, with those of mlcommons/chakra's feeder (`Id`) at the end.
constexpr std::initializer_list<const char*> id_keys{"id", "Id"}, name_keys{"name", "Name"},
    type_keys{"type", "node_type", "NodeType"}, time_keys{"durationMicros", "duration_micros", "runtime"};
constexpr const char* feeder_list = "\"workload_graph\"";

/// Takes {"name": "comm_size", "int64Val": "4096"}: the value is the other key, whatever its type.
void take_listed(ChakraNode& node, const Json& attribute) {
  const Json* name = attribute.is_object() ? value_of(attribute, {"name"}) : nullptr;
  if (name == nullptr || !name->is_string())
    throw ChakraFlaw("an attribute without a name (legal: {\"name\": \"comm_size\", \"int64Val\": \"4096\"})");
  for (const auto& [key, value] : attribute.items())
    if (key != "name" && key != "docString" && key != "doc_string") take_attribute(node, name->get<std::string>(), value);
}

ChakraType type_of(const Json& node) {
  const Json* type = value_of(node, type_keys);
  if (type == nullptr) return ChakraType::invalid;  // protobuf leaves the value 0 out
  if (!type->is_string()) return chakra_type(number(*type, "type"));
  const std::string& name = type->get_ref<const std::string&>();
  std::vector<std::string> legal;
  for (std::size_t i = 0; i < type_names.size(); ++i) {
    if (name == type_names[i].schema || (type_names[i].generator != nullptr && name == type_names[i].generator))
      return chakra_type(i);
    legal.emplace_back(type_names[i].schema);
  }
  throw ChakraFlaw("type is '" + plain_text(*type) + "' (legal: " + join_names(legal) + ")");
}

void take_node(ChakraNode& node, const Json& value) {
  if (const Json* id = value_of(value, id_keys); id != nullptr) node.id = number(*id, "id");
  if (const Json* name = value_of(value, name_keys); name != nullptr)
    node.name = plain_name(name->is_string() ? name->get<std::string>() : plain_text(*name), ChakraLimits::name);
  node.type = type_of(value);
  if (const Json* time = value_of(value, time_keys); time != nullptr) node.micros = number(*time, "duration_micros");
  node.data_deps = numbers(value_of(value, {"dataDeps", "data_deps"}), "data_deps");
  node.control_deps = numbers(value_of(value, {"ctrlDeps", "ctrl_deps"}), "ctrl_deps");
  for (const auto& [key, one] : value.items())
    if (!one.is_object() || key == "involved_dim") take_attribute(node, key, one);
  if (const Json* list = value_of(value, {"attr"}); list != nullptr && list->is_array())
    for (const Json& attribute : *list) take_listed(node, attribute);
  const Json values = node.type == ChakraType::metadata ? value.value("/inputs/values"_json_pointer, Json()) : Json();
  if (values.is_string()) node.groups = process_groups(values.get<std::string>());
}

/// True for the message before the nodes: {"version": "0.0.4", "attr": [...]}.
bool is_metadata(const Json& value) {
  return value_of(value, id_keys) == nullptr && value_of(value, name_keys) == nullptr &&
         value_of(value, type_keys) == nullptr;
}

/// Returns 2 for one object with the list of nodes, 1 for a sequence of objects.
unsigned depth_of(const std::string& begin) {
  const std::size_t list = std::min(begin.find("\"nodes\""), begin.find(feeder_list)), end = begin.find('}');
  return list != std::string::npos && list < end ? 2 : 1;
}

}  // namespace

const char* name_of(ChakraType type) { return type_names[static_cast<std::size_t>(type)].schema; }

bool begins_chakra_json(const std::string& begin) {
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || begin[first] != '{' || begin.find("\"traceEvents\"") != std::string::npos) return false;
  const auto named = [&](const char* name) {
    return name != nullptr && begin.find('"' + std::string(name) + '"') != std::string::npos;
  };
  return begin.find(feeder_list) != std::string::npos ||
         std::any_of(type_names.begin(), type_names.end(),
                     [&](const TypeName& type) { return named(type.schema) || named(type.generator); });
}

void read_chakra_json(std::istream& file, const std::string& path, const std::string& begin,
                      const std::function<void(ChakraNode&&)>& take) {
  JsonObjects objects(file, path, depth_of(begin), ChakraLimits::message);
  while (const auto text = objects.next()) {
    const Json value = Json::parse(*text, nullptr, false);
    if (value.is_discarded()) objects.fail("not JSON (legal: a Chakra trace as JSON)");
    if (is_metadata(value)) continue;
    ChakraNode node;
    node.offset = objects.offset();
    try {
      take_node(node, value);
    } catch (const ChakraFlaw& flaw) {
      objects.fail((node.name.empty() ? "" : "node " + std::to_string(node.id) + " '" + node.name + "': ") + flaw.what());
    }
    take(std::move(node));
  }
}

}  // namespace tributary::training
