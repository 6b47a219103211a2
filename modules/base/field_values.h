#pragma once
/// FieldValues and FieldVisitor: the named values of a transaction. Each transaction names its fields once, in the
/// `*_fields.h` of its block; records, replays, shadows and messages read the same names.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/units.h"

namespace tributary {

/// A record that cannot be a transaction: one line with the field and the legal values.
class FieldError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct FieldValue {
  enum class Kind : std::uint8_t {
    number,
    flag,
    time,  ///< ps; `never` if it does not come
    name,  ///< value of an enumeration
    data,
  };
  std::string key;  ///< with its groups: `packet.address`
  Kind kind = Kind::number;
  std::uint64_t number = 0;      ///< number, flag, time
  std::string text;              ///< name; data of a file: hexadecimal
  std::vector<std::byte> bytes;  ///< data
  ElementType type = ElementType::f32;
  unsigned skip = 0;  ///< leading bytes of the data that are no elements
};

/// Values in the order of the visit. Storage is kept from one transaction to the next.
class FieldValues {
 public:
  FieldValue& add(std::string_view key, FieldValue::Kind kind);
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const FieldValue* begin() const { return all_.data(); }
  const FieldValue* end() const { return all_.data() + size_; }
  FieldValue* begin() { return all_.data(); }
  FieldValue* end() { return all_.data() + size_; }
  const FieldValue& operator[](std::size_t i) const { return all_[i]; }
  /// Returns null if there is no such field.
  const FieldValue* find(std::string_view key) const;
  FieldValue* find(std::string_view key);

 private:
  std::vector<FieldValue> all_;
  std::size_t size_ = 0;
};

/// Returns the value as a text: `17`, `true`, `merged`, `never`; data: their number of bytes.
std::string to_text(const FieldValue& value);
/// Returns an element as a number.
std::string element_text(ElementType type, const std::byte* element);

/// Reads or sets the fields of a transaction.
class FieldVisitor {
 public:
  struct Data {
    const std::byte* bytes = nullptr;
    std::size_t size = 0;
  };
  virtual ~FieldVisitor() = default;

  template <class T>
  void number(const char* key, T& x) {
    static_assert(std::is_unsigned_v<T>);
    x = static_cast<T>(visit_number(key, FieldValue::Kind::number, x, std::numeric_limits<T>::max()));
  }
  void flag(const char* key, bool& x) { x = visit_number(key, FieldValue::Kind::flag, x, 1) != 0; }
  void time(const char* key, Tick& x) { x = visit_number(key, FieldValue::Kind::time, x, never); }
  /// `names` ends with null and is indexed by the value.
  template <class E>
  void name(const char* key, E& x, const char* const* names) {
    x = static_cast<E>(visit_name(key, static_cast<std::size_t>(x), names));
  }
  /// A name without a list of legal ones.
  virtual void text(const char* key, std::string& x) = 0;
  void type(const char* key, ElementType& x);
  void op(const char* key, ReduceOp& x);
  /// Visits bytes. A setting visitor returns bytes of its values, which outlive the transaction.
  virtual Data data(const char* key, Data x, ElementType type, unsigned skip) = 0;
  /// Returns true if the fields of a group follow: `there` of a reading visitor.
  virtual bool has(const char* group, bool there) = 0;
  virtual bool sets() const = 0;

  /// Precedes the keys of all fields in its lifetime with `name` and a dot.
  class Group {
   public:
    Group(FieldVisitor& visitor, const std::string& name) : visitor_(visitor), before_(visitor.prefix_.size()) {
      visitor_.prefix_ += name + ".";
    }
    ~Group() { visitor_.prefix_.resize(before_); }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

   private:
    FieldVisitor& visitor_;
    std::size_t before_;
  };

 protected:
  virtual std::uint64_t visit_number(const char* key, FieldValue::Kind kind, std::uint64_t x, std::uint64_t max) = 0;
  virtual std::size_t visit_name(const char* key, std::size_t x, const char* const* names) = 0;
  std::string full(const char* key) const { return prefix_ + key; }

 private:
  std::string prefix_;
};

/// Appends the fields to `values`.
class FieldReader : public FieldVisitor {
 public:
  explicit FieldReader(FieldValues& values) : values_(values) {}
  void text(const char* key, std::string& x) override;
  Data data(const char* key, Data x, ElementType type, unsigned skip) override;
  bool has(const char*, bool there) override { return there; }
  bool sets() const override { return false; }

 private:
  std::uint64_t visit_number(const char* key, FieldValue::Kind kind, std::uint64_t x, std::uint64_t max) override;
  std::size_t visit_name(const char* key, std::size_t x, const char* const* names) override;

  FieldValues& values_;
};

/// Sets the fields to `values`. Throws FieldError if one is missing or illegal.
class FieldSetter : public FieldVisitor {
 public:
  explicit FieldSetter(FieldValues& values) : values_(values) {}
  void text(const char* key, std::string& x) override;
  /// Data of a file are decoded.
  Data data(const char* key, Data x, ElementType type, unsigned skip) override;
  bool has(const char* group, bool there) override;
  bool sets() const override { return true; }

 private:
  std::uint64_t visit_number(const char* key, FieldValue::Kind kind, std::uint64_t x, std::uint64_t max) override;
  std::size_t visit_name(const char* key, std::size_t x, const char* const* names) override;
  FieldValue& at(const std::string& key);

  FieldValues& values_;
  std::size_t next_ = 0;  // values in the order of the visit are found at once
};

/// Decodes hexadecimal digits. Returns false if `text` has others or an odd number.
bool from_hex(std::string_view text, std::vector<std::byte>& bytes);
void append_hex(const std::vector<std::byte>& bytes, std::string& text);

}  // namespace tributary
