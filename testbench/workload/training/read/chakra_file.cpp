#include "testbench/workload/training/read/chakra_file.h"

#include <protozero/pbf_reader.hpp>

#include "modules/base/text_format.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/chakra_groups.h"
#include "testbench/workload/training/read/chakra_json.h"
#include "testbench/workload/training/read/file_begin.h"
#include "testbench/workload/training/read/framed_messages.h"
#include "testbench/workload/training/read/plain_name.h"

namespace tributary::training {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr auto varint = pbf_wire_type::varint;
constexpr auto text = pbf_wire_type::length_delimited;

constexpr std::uint32_t at(std::uint32_t field, pbf_wire_type type) { return protozero::tag_and_type(field, type); }

using Flaw = ChakraFlaw;

/// An attribute: its value is one field of a `oneof`, identified by its number.
struct Attribute {
  std::string name;
  std::uint32_t field = 0;     ///< field number of the value; 0: none
  std::uint64_t number = 0;    ///< value of integers, in wire encoding, and of bool
  protozero::data_view bytes;  ///< value of a string, or of a list of bool
};

enum Value : std::uint32_t {
  int32 = 7,
  int64 = 9,
  uint32 = 11,
  uint64 = 13,
  sint32 = 15,
  sint64 = 17,
  fixed32 = 19,
  fixed64 = 21,
  sfixed32 = 23,
  sfixed64 = 25,
  boolean = 27,
  bool_list = 28,
  string = 29
};

Attribute attribute(pbf_reader message) {
  Attribute a;
  while (message.next()) {
    if (message.tag_and_type() == at(1, text)) {
      a.name = message.get_string();
    } else if (message.tag() == 2) {
      message.skip();  // documentation of the attribute
    } else {
      a.field = message.tag();
      if (message.has_wire_type(varint)) {
        a.number = message.get_uint64();
      } else if (message.has_wire_type(pbf_wire_type::fixed64)) {
        a.number = message.get_fixed64();
      } else if (message.has_wire_type(pbf_wire_type::fixed32)) {
        a.number = message.get_fixed32();
      } else if (message.has_wire_type(text)) {
        a.bytes = message.get_view();
      } else {
        message.skip();
      }
    }
  }
  return a;
}

[[noreturn]] void wrong_value(const Attribute& a, const char* legal) {
  throw Flaw("attribute " + a.name + " has a value of another type (field " + std::to_string(a.field) + "; legal: " + legal +
             ")");
}

/// Returns an integer value. All integer types are accepted, since writers differ.
std::uint64_t number(const Attribute& a) {
  bool negative = false;
  std::uint64_t value = a.number;
  switch (a.field) {
    case uint32:
    case uint64:
    case fixed32:
    case fixed64:
      break;
    case int32:
    case int64:
    case sfixed64:
      negative = value >> 63 != 0;
      break;
    case sfixed32:
      negative = value >> 31 != 0;
      break;
    case sint32:
    case sint64:  // the sign is the lowest bit
      negative = value % 2 != 0;
      value /= 2;
      break;
    default:
      wrong_value(a, "a whole number");
  }
  if (negative) throw Flaw("attribute " + a.name + " is negative (legal: from 0)");
  return value;
}

std::string word(const Attribute& a) {
  if (a.field != string) wrong_value(a, "a text");
  return plain_name(std::string(a.bytes), ChakraLimits::name);
}

/// True if a list of bool, packed or not, contains false.
bool holds_false(const Attribute& a) {
  if (a.field != bool_list) wrong_value(a, "a list of bool");
  bool found = false;
  for (pbf_reader list(a.bytes); list.next();) {
    if (list.tag_and_type() == at(1, varint)) {
      found |= list.get_uint64() == 0;
    } else if (list.tag_and_type() == at(1, text)) {
      for (const std::uint64_t flag : list.get_packed_uint64()) found |= flag == 0;
    } else {
      list.skip();
    }
  }
  return found;
}

void take_attribute(ChakraNode& node, const Attribute& a) {
  const auto take = [&](std::optional<std::uint64_t>& field) { field = number(a); };
  if (a.name == "is_cpu_op") {
    node.on_cpu = (a.field == boolean ? a.number : number(a)) != 0;
  }
  if (a.name == "num_ops") take(node.operations);
  if (a.name == "tensor_size") take(node.tensor_bytes);
  if (a.name == "comm_type") take(node.type_number);
  if (a.name == "comm_size") take(node.bytes);
  if (a.name == "comm_src") take(node.source);
  if (a.name == "comm_dst") take(node.destination);
  if (a.name == "comm_tag") take(node.tag);
  if (a.name == "comm_priority") take(node.priority);
  if (a.name == "pg_name" || a.name == "comm_group") node.group = a.field == string ? word(a) : std::to_string(number(a));
  if (a.name == "involved_dim") node.part_of_dimensions = holds_false(a);
}

/// Appends the numbers of a repeated field, packed or single.
void take_numbers(pbf_reader& message, std::vector<std::uint64_t>& numbers) {
  if (message.has_wire_type(varint)) {
    numbers.push_back(message.get_uint64());
  } else if (message.has_wire_type(text)) {
    for (const std::uint64_t n : message.get_packed_uint64()) numbers.push_back(n);
  } else {
    throw Flaw("dependencies are not a list of numbers");
  }
}

/// Returns the first field of IOInfo.
std::string values_of(pbf_reader message) {
  std::string values;
  while (message.next()) {
    if (message.tag_and_type() == at(1, text)) {
      values = message.get_string();
    } else {
      message.skip();
    }
  }
  return values;
}

void take_node(ChakraNode& node, pbf_reader message) {
  std::string inputs;
  std::uint64_t type = 0;
  while (message.next()) {
    const std::uint32_t field = message.tag();
    if (field == 4 || field == 5) {
      take_numbers(message, field == 4 ? node.control_deps : node.data_deps);
      continue;
    }
    switch (message.tag_and_type()) {
      case at(1, varint):
        node.id = message.get_uint64();
        break;
      case at(2, text):
        node.name = plain_name(message.get_string(), ChakraLimits::name);
        break;
      case at(3, varint):
        type = message.get_uint64();
        break;
      case at(7, varint):
        node.micros = message.get_uint64();
        break;
      case at(8, text):
        inputs = values_of(message.get_message());
        break;
      case at(10, text):
        take_attribute(node, attribute(message.get_message()));
        break;
      default:
        message.skip();
    }
  }
  node.type = chakra_type(type);
  if (node.type == ChakraType::metadata) node.groups = process_groups(inputs);
}

/// Checks the metadata, the first message of a file. A node has a number in field 1, where metadata have a text.
void check_metadata(pbf_reader message) {
  while (message.next()) {
    const std::uint32_t field = message.tag();
    if (field > 2 || !message.has_wire_type(text))
      throw Flaw("the first message is not metadata (legal: a Chakra trace, schema 0.0.4 or later)");
    message.skip();
  }
}

/// Runs `read` on a message, and reports its errors with their position.
template <class Read>
void guarded(const FramedMessages& messages, const ChakraNode* node, Read&& read) {
  std::string what;
  try {
    read();
    return;
  } catch (const Flaw& flaw) {
    what = flaw.what();
  } catch (const protozero::exception&) {
    what = "a message is not valid Protocol Buffers (legal: a Chakra trace)";
  }
  messages.fail(
      (node == nullptr || node->name.empty() ? "" : "node " + std::to_string(node->id) + " '" + node->name + "': ") + what);
}

}  // namespace

std::string ChakraNode::place() const {
  return "byte " + std::to_string(offset) + ": node " + std::to_string(id) + " '" + name + "'";
}

void read_chakra(std::istream& file, const std::string& path, const std::function<void(ChakraNode&&)>& take) {
  const std::string begin = begin_of(file, begin_of_trace);
  if (!is_binary(begin.substr(0, begin_of_format)) && begins_chakra_json(begin))
    return read_chakra_json(file, path, begin, take);
  FramedMessages messages(file, path, ChakraLimits::message);
  const auto metadata = messages.next();
  if (!metadata) throw InputError(path + ": empty (legal: a Chakra trace, with metadata and nodes)");
  guarded(messages, nullptr, [&] { check_metadata(pbf_reader(metadata->data(), metadata->size())); });
  while (const auto message = messages.next()) {
    ChakraNode node;
    node.offset = messages.offset();
    guarded(messages, &node, [&] { take_node(node, pbf_reader(message->data(), message->size())); });
    take(std::move(node));
  }
}

}  // namespace tributary::training
