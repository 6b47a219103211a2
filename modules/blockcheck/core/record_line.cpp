#include "modules/blockcheck/core/record_line.h"

namespace tributary {
namespace {

using Kind = FieldValue::Kind;

void append_value(const FieldValue& value, std::string& text) {
  switch (value.kind) {
    case Kind::flag:
      text += value.number != 0 ? "true" : "false";
      return;
    case Kind::name:
      text += '"' + value.text + '"';
      return;
    case Kind::data:
      text += '"';
      append_hex(value.bytes, text);
      text += '"';
      return;
    case Kind::time:
      if (value.number == never) return void(text += "null");
      break;
    case Kind::number:
      break;
  }
  text += std::to_string(value.number);
}

}  // namespace

void append_object(const FieldValues& values, std::string& text) {
  char before = '{';
  for (const FieldValue& value : values) {
    text += before;
    text += '"' + value.key + "\":";
    append_value(value, text);
    before = ',';
  }
  if (before == '{') text += '{';
  text += '}';
}

void append_line(const BlockAccess& access, std::string& text) {
  text += "{\"time\":" + std::to_string(access.time) + ",\"ticket\":" + std::to_string(access.ticket) + ",\"request\":";
  append_object(access.request, text);
  text += ",\"answer\":";
  append_object(access.answer, text);
  text += ",\"interval\":" + std::to_string(access.interval) + ",\"latency\":" + std::to_string(access.latency);
  if (access.early.interval != 0) text += ",\"early_interval\":" + std::to_string(access.early.interval);
  if (access.early.latency != 0) text += ",\"early_latency\":" + std::to_string(access.early.latency);
  text += "}\n";
}

std::string fields_text(const FieldValues& values) {
  std::string text;
  for (const FieldValue& value : values)
    if (value.kind != Kind::data) text += (text.empty() ? "" : ", ") + value.key + " " + to_text(value);
  return text;
}

}  // namespace tributary
