#include "testbench/run/blocks/record_reader.h"

#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"
#include "testbench/run/blocks/block_recorder.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_line_bytes = std::size_t{1} << 26;

/// Parses an object. A key that occurs twice is an error.
Json parse_object(const std::string& text, const std::string& where) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(where + ": no JSON: " + one_line(error.what()));
  }
  if (!json.is_object()) throw InputError(where + ": no JSON object");
  return json;
}

[[noreturn]] void illegal(const std::string& where, const std::string& key, const std::string& what) {
  throw InputError(where + ": key `" + one_line(key) + "` " + what);
}

const Json& at(const Json& json, const char* key, const std::string& where) {
  const auto found = json.find(key);
  if (found == json.end()) illegal(where, key, "is missing");
  return *found;
}

std::uint64_t number(const Json& json, const char* key, const std::string& where) {
  const Json& value = at(json, key, where);
  if (!value.is_number_unsigned()) illegal(where, key, "is no whole number");
  return value.get<std::uint64_t>();
}

std::string text(const Json& json, const char* key, const std::string& where) {
  const Json& value = at(json, key, where);
  if (!value.is_string()) illegal(where, key, "is no text");
  return value.get<std::string>();
}

void add_value(const std::string& key, const Json& value, const std::string& where, FieldValues& values) {
  using Kind = FieldValue::Kind;
  if (values.find(key) != nullptr) illegal(where, key, "occurs twice");
  if (value.is_boolean())
    values.add(key, Kind::flag).number = value.get<bool>() ? 1 : 0;
  else if (value.is_number_unsigned())
    values.add(key, Kind::number).number = value.get<std::uint64_t>();
  else if (value.is_null())
    values.add(key, Kind::time).number = never;
  else if (value.is_string())
    values.add(key, Kind::name).text = value.get<std::string>();
  else
    illegal(where, key, "is no text, whole number, true, false or null");
}

void read_values(const Json& json, const char* key, const std::string& where, FieldValues& values) {
  const Json& object = at(json, key, where);
  if (!object.is_object()) illegal(where, key, "is no object");
  values.clear();
  for (const auto& [name, value] : object.items()) add_value(name, value, where, values);
}

/// Refuses keys that a line does not have: a misspelt one would be ignored.
void check_keys(const Json& json, std::initializer_list<const char*> legal, const std::string& where) {
  for (const auto& [name, value] : json.items()) {
    bool known = false;
    for (const char* key : legal) known = known || name == key;
    if (!known) illegal(where, name, "is unknown");
  }
}

}  // namespace

RecordHeader parse_record_header(const std::string& content, const std::string& file) {
  const Json json = parse_object(content, file);
  check_keys(
      json, {"format", "tributary", "block", "place", "platform", "clock_ps", "config", "transactions", "complete", "beats"},
      file);
  RecordHeader header;
  if (number(json, "format", file) != BlockRecorder::format)
    illegal(
        file, "format",
        "is " + std::to_string(number(json, "format", file)) + " (legal: " + std::to_string(BlockRecorder::format) + ")");
  header.place.block = text(json, "block", file);
  header.place.name = text(json, "place", file);
  header.platform = text(json, "platform", file);
  header.place.clock = number(json, "clock_ps", file);
  read_values(json, "config", file, header.place.config);
  header.transactions = number(json, "transactions", file);
  const Json& complete = at(json, "complete", file);
  if (!complete.is_boolean()) illegal(file, "complete", "is not true or false");
  header.complete = complete.get<bool>();
  return header;
}

RecordReader::Line RecordReader::next(BlockAccess& access) {
  if (!std::getline(in_, text_)) return Line::end;
  ++line_;
  const std::string where = position();
  if (text_.size() > most_line_bytes) throw InputError(where + ": the line is longer than 64 MiB");
  const Json json = parse_object(text_, where);
  if (json.contains("reset")) {
    check_keys(json, {"reset"}, where);
    if (json["reset"] != true) illegal(where, "reset", "is not true");
    return Line::reset;
  }
  check_keys(json, {"time", "ticket", "request", "answer", "interval", "latency", "early_interval", "early_latency"}, where);
  access.time = number(json, "time", where);
  if (access.time > never / 4) illegal(where, "time", "is beyond 53 days");
  const std::uint64_t ticket = number(json, "ticket", where);
  if (ticket != transactions_)
    illegal(where, "ticket",
            "is " + std::to_string(ticket) + " (legal: " + std::to_string(transactions_) + ", the next one)");
  access.ticket = static_cast<std::uint32_t>(ticket);
  read_values(json, "request", where, access.request);
  read_values(json, "answer", where, access.answer);
  access.interval = number(json, "interval", where);
  access.latency = number(json, "latency", where);
  access.early.interval = json.contains("early_interval") ? number(json, "early_interval", where) : 0;
  access.early.latency = json.contains("early_latency") ? number(json, "early_latency", where) : 0;
  ++transactions_;
  return Line::access;
}

}  // namespace tributary
