#include "modules/base/field_values.h"

#include <cstring>

#include "modules/base/field_type.h"
#include "modules/base/nearest.h"

namespace tributary {
namespace {

/// Names of an enumeration of parameters, ended by null.
template <class E>
const char* const* names_of() {
  static const std::vector<const char*> names = [] {
    std::vector<const char*> all;
    for (const auto& [value, name] : EnumNames<E>::names()) {
      const auto index = static_cast<std::size_t>(value);
      if (all.size() <= index) all.resize(index + 1, "");
      all[index] = name.c_str();
    }
    all.push_back(nullptr);
    return all;
  }();
  return names.data();
}

template <class T>
T element(const std::byte* at) {
  T x;
  std::memcpy(&x, at, sizeof x);
  return x;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::vector<std::string> list_of(const char* const* names) {
  std::vector<std::string> all;
  for (; *names != nullptr; ++names) all.emplace_back(*names);
  return all;
}

}  // namespace

FieldValue& FieldValues::add(std::string_view key, FieldValue::Kind kind) {
  if (size_ == all_.size()) all_.emplace_back();
  FieldValue& value = all_[size_++];
  value.key.assign(key);
  value.kind = kind;
  value.number = 0;
  value.text.clear();
  value.bytes.clear();
  return value;
}

const FieldValue* FieldValues::find(std::string_view key) const {
  for (const FieldValue& value : *this)
    if (value.key == key) return &value;
  return nullptr;
}

FieldValue* FieldValues::find(std::string_view key) {
  return const_cast<FieldValue*>(static_cast<const FieldValues*>(this)->find(key));
}

std::string to_text(const FieldValue& value) {
  switch (value.kind) {
    case FieldValue::Kind::flag:
      return value.number != 0 ? "true" : "false";
    case FieldValue::Kind::name:
      return value.text;
    case FieldValue::Kind::data:
      return std::to_string(value.bytes.size()) + " B";
    case FieldValue::Kind::time:
      return value.number == never ? "never" : std::to_string(value.number) + " ps";
    case FieldValue::Kind::number:
      break;
  }
  return std::to_string(value.number);
}

std::string element_text(ElementType type, const std::byte* at) {
  switch (type) {
    case ElementType::f64:
      return print_real(element<double>(at));
    case ElementType::f32:
      return print_real(element<float>(at));
    case ElementType::f16:
      return print_real(from_f16(element<std::uint16_t>(at)));
    case ElementType::bf16:
      return print_real(from_bf16(element<std::uint16_t>(at)));
    case ElementType::i8:
      return std::to_string(element<std::int8_t>(at));
    case ElementType::i16:
      return std::to_string(element<std::int16_t>(at));
    case ElementType::i32:
      return std::to_string(element<std::int32_t>(at));
    case ElementType::i64:
      break;
  }
  return std::to_string(element<std::int64_t>(at));
}

void FieldVisitor::type(const char* key, ElementType& x) { name(key, x, names_of<ElementType>()); }
void FieldVisitor::op(const char* key, ReduceOp& x) { name(key, x, names_of<ReduceOp>()); }

// ---- read

std::uint64_t FieldReader::visit_number(const char* key, FieldValue::Kind kind, std::uint64_t x, std::uint64_t) {
  return values_.add(full(key), kind).number = x;
}

void FieldReader::text(const char* key, std::string& x) { values_.add(full(key), FieldValue::Kind::name).text = x; }

std::size_t FieldReader::visit_name(const char* key, std::size_t x, const char* const* names) {
  FieldValue& value = values_.add(full(key), FieldValue::Kind::name);
  std::size_t known = 0;
  while (known < x && names[known] != nullptr) ++known;
  if (names[known] != nullptr)
    value.text = names[known];
  else
    value.text = "undefined " + std::to_string(x);  // the answer of a wrong block
  value.number = x;
  return x;
}

FieldVisitor::Data FieldReader::data(const char* key, Data x, ElementType type, unsigned skip) {
  if (x.bytes == nullptr) return x;
  FieldValue& value = values_.add(full(key), FieldValue::Kind::data);
  value.bytes.assign(x.bytes, x.bytes + x.size);
  value.type = type;
  value.skip = skip;
  return x;
}

// ---- set

FieldValue& FieldSetter::at(const std::string& key) {
  if (next_ < values_.size() && values_[next_].key == key) return values_.begin()[next_++];
  FieldValue* const found = values_.find(key);
  if (found == nullptr) throw FieldError("field `" + key + "` is missing");
  next_ = static_cast<std::size_t>(found - values_.begin()) + 1;
  return *found;
}

std::uint64_t FieldSetter::visit_number(const char* key, FieldValue::Kind kind, std::uint64_t, std::uint64_t max) {
  const std::string name = full(key);
  const FieldValue& value = at(name);
  if (value.kind == FieldValue::Kind::name || value.kind == FieldValue::Kind::data)
    throw FieldError("field `" + name + "` is " + (value.text.empty() ? "no number" : "'" + value.text + "'") +
                     " (legal: " + (kind == FieldValue::Kind::flag ? "true or false" : "a whole number") + ")");
  if (value.number > max)
    throw FieldError("field `" + name + "` is " + std::to_string(value.number) + " (legal: at most " + std::to_string(max) +
                     ")");
  return value.number;
}

void FieldSetter::text(const char* key, std::string& x) {
  const std::string name = full(key);
  const FieldValue& value = at(name);
  if (value.kind != FieldValue::Kind::name) throw FieldError("field `" + name + "` is no text");
  x = value.text;
}

std::size_t FieldSetter::visit_name(const char* key, std::size_t, const char* const* names) {
  const std::string name = full(key);
  const FieldValue& value = at(name);
  for (std::size_t i = 0; names[i] != nullptr; ++i)
    if (*names[i] != '\0' && value.text == names[i]) return i;
  throw FieldError(unknown_name("value of field `" + name + "`:", to_text(value), list_of(names)));
}

FieldVisitor::Data FieldSetter::data(const char* key, Data, ElementType type, unsigned skip) {
  const std::string name = full(key);
  FieldValue* const found = values_.find(name);
  if (found == nullptr) return {};
  if (found->kind != FieldValue::Kind::data) {
    if (found->kind != FieldValue::Kind::name || !from_hex(found->text, found->bytes))
      throw FieldError("field `" + name + "` is no text of hexadecimal digits, two for each byte");
    found->kind = FieldValue::Kind::data;
  }
  found->type = type;
  found->skip = skip;
  return {found->bytes.data(), found->bytes.size()};
}

bool FieldSetter::has(const char* group, bool) {
  const std::string start = full(group) + ".";
  for (const FieldValue& value : values_)
    if (value.key.compare(0, start.size(), start) == 0) return true;
  return false;
}

bool from_hex(std::string_view text, std::vector<std::byte>& bytes) {
  bytes.clear();
  if (text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return true;
}

void append_hex(const std::vector<std::byte>& bytes, std::string& text) {
  constexpr char digits[] = "0123456789abcdef";
  std::size_t at = text.size();
  text.resize(at + 2 * bytes.size());
  for (const std::byte b : bytes) {
    text[at++] = digits[std::to_integer<unsigned>(b) >> 4];
    text[at++] = digits[std::to_integer<unsigned>(b) & 15];
  }
}

}  // namespace tributary
