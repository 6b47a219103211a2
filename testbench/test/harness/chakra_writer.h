#pragma once
/// Writes Chakra execution traces for tests of their reader: messages of Protocol Buffers, each preceded by its length
/// (mlcommons/chakra, schema/protobuf/et_def.proto).

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

namespace tributary {

class ChakraWriter {
 public:
  /// One attribute: the number of the field that holds the value, and the value.
  struct Attribute {
    std::string name;
    std::uint32_t field = 9;
    std::int64_t number = 0;
    std::string text = {};
  };
  static Attribute integer(const std::string& name, std::int64_t n) { return {name, 9, n}; }
  static Attribute unsigned_number(const std::string& name, std::int64_t n) { return {name, 13, n}; }
  static Attribute flag(const std::string& name, bool b) { return {name, 27, b ? 1 : 0}; }
  static Attribute word(const std::string& name, const std::string& text) { return {name, 29, 0, text}; }
  /// A list of bool.
  static Attribute flags(const std::string& name, const std::vector<bool>& list) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    std::vector<std::uint32_t> numbers(list.begin(), list.end());
    writer.add_packed_uint32(1, numbers.begin(), numbers.end());
    return {name, 28, 0, bytes};
  }

  struct Node {
    std::uint64_t id = 0;
    std::string name;
    std::uint32_t type = 4;
    std::uint64_t micros = 0;
    std::vector<std::uint64_t> data = {}, control = {};
    std::vector<Attribute> attributes = {};
    std::string input_values = {};
    bool packed = true;  ///< encoding of the dependencies
  };

  explicit ChakraWriter(const std::string& version = "0.0.4") {
    std::string message;
    protozero::pbf_writer(message).add_string(1, version);
    frame(message);
  }

  ChakraWriter& add(const Node& node) {
    std::string message;
    protozero::pbf_writer writer(message);
    if (node.id != 0) writer.add_uint64(1, node.id);
    writer.add_string(2, node.name);
    writer.add_uint32(3, node.type);
    add_list(writer, 4, node.control, node.packed);
    add_list(writer, 5, node.data, node.packed);
    if (node.micros != 0) writer.add_uint64(7, node.micros);
    if (!node.input_values.empty()) {
      protozero::pbf_writer inputs(writer, 8);
      inputs.add_string(1, node.input_values);
    }
    for (const Attribute& a : node.attributes) {
      protozero::pbf_writer attribute(writer, 10);
      attribute.add_string(1, a.name);
      if (a.field >= 28) {
        attribute.add_bytes(a.field, a.text);
      } else if (a.field == 19 || a.field == 23) {
        attribute.add_fixed32(a.field, static_cast<std::uint32_t>(a.number));
      } else if (a.field == 21 || a.field == 25) {
        attribute.add_fixed64(a.field, static_cast<std::uint64_t>(a.number));
      } else {
        attribute.add_int64(a.field, a.number);
      }
    }
    frame(message);
    return *this;
  }

  /// A message of arbitrary bytes.
  void frame(const std::string& message) {
    protozero::write_varint(std::back_inserter(bytes_), message.size());
    bytes_ += message;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static void add_list(protozero::pbf_writer& writer, std::uint32_t field, const std::vector<std::uint64_t>& list,
                       bool packed) {
    if (packed) {
      writer.add_packed_uint64(field, list.begin(), list.end());
    } else {
      for (const std::uint64_t n : list) writer.add_uint64(field, n);
    }
  }

  std::string bytes_;
};

namespace chakra_nodes {

/// A collective of the GPU; `type` as in the format.
inline ChakraWriter::Node collective(std::uint64_t id, int type, std::int64_t bytes, std::vector<std::uint64_t> data = {}) {
  return {id,
          "coll" + std::to_string(id),
          7,
          0,
          data,
          {},
          {ChakraWriter::flag("is_cpu_op", false), ChakraWriter::integer("comm_type", type),
           ChakraWriter::integer("comm_size", bytes)}};
}

/// An operation of the host.
inline ChakraWriter::Node host(std::uint64_t id, std::uint64_t micros, std::vector<std::uint64_t> data = {}) {
  return {id, "host" + std::to_string(id), 4, micros, data, {}, {ChakraWriter::flag("is_cpu_op", true)}};
}

}  // namespace chakra_nodes

}  // namespace tributary
