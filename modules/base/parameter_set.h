#pragma once
/// ParameterSet: all fields of a parameter struct by path, built from its `visit`, to set, list and dump them
/// (parameters.h).

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/field_type.h"
#include "modules/base/parameters.h"

namespace tributary {

/// Error in a parameter: one line with the fault and the legal values, without position (the reader adds file and line).
class ParameterError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// Access to a field of one type: what the type-erased fields share, compiled once for each type.
struct FieldAccess {
  const char* unit;
  bool ordered;
  bool optional;  ///< `auto` is legal, too
  std::vector<std::string> (*choices)();
  std::string (*legal)();
  /// `legal` is the whole phrase of the field, for errors. Throws ParameterError.
  void (*set)(void* field, const std::string& path, const std::string& text, const Note& note, const std::string& legal);
  std::string (*print)(const void* field);
  ParameterValue (*value)(const void* field);
};
template <class T>
const FieldAccess& field_access();

}  // namespace detail

/// One field of a struct, type-erased. Refers to the struct.
class ParameterField {
 public:
  ParameterField(std::string p, void* object, const Note& n, const detail::FieldAccess& access)
      : path(std::move(p)), note(n), object_(object), access_(&access) {}

  std::string path;
  std::string default_text;  ///< `auto` if the algorithm chooses
  Note note;

  /// Returns the unit of value(): B, ps, B/s; empty for a number or a name.
  std::string unit() const { return access_->unit; }
  /// Returns true for a number or a quantity; names have no order.
  bool numeric() const { return access_->ordered; }
  /// Returns the legal names; none for a number, a quantity or a free text.
  std::vector<std::string> choices() const { return access_->choices(); }
  /// Returns the range or the names as one phrase.
  std::string legal() const;
  /// Throws ParameterError.
  void set(const std::string& text) const { access_->set(object_, path, text, note, legal()); }
  /// Returns a text that set() accepts.
  std::string print() const { return access_->print(object_); }
  ParameterValue value() const { return access_->value(object_); }
  bool is_default() const { return print() == default_text; }

 private:
  void* object_;
  const detail::FieldAccess* access_;
};

/// `ParameterSet set(params); set.set("nvswitch.switch.reduction_table.bytes", "1KiB");` `params` must outlive the set.
class ParameterSet {
 public:
  ParameterSet() = default;
  /// `prefix` precedes all paths.
  template <class Params>
  explicit ParameterSet(Params& params, const std::string& prefix = "") : prefix_(prefix) {
    visit(*this, params);
    Params fresh{};
    DefaultTexts texts{fields_.begin()};
    visit(texts, fresh);
  }

  void append(ParameterSet other);
  /// Registers a renaming: paths that begin with `now` once began with `old`, and are still found by the old name.
  void rename(const std::string& old, const std::string& now) { renames_.push_back({old, now}); }
  /// Returns the present name of a path.
  std::string current(const std::string& path) const;

  /// Throws ParameterError: unknown path (names the nearest), wrong unit, out of range, not a multiple.
  void set(const std::string& path, const std::string& text) const;
  /// Sets one `PATH=VALUE`, as for `--set`.
  void set_assignment(const std::string& assignment) const;

  const std::vector<ParameterField>& fields() const { return fields_; }
  /// Throws ParameterError.
  const ParameterField& at(const std::string& path) const;

  // Visitor interface.
  template <class T>
  void field(const char* name, T& x, const Note& note) {
    add(name, &x, note, detail::field_access<T>());
  }
  template <class Params>
  void group(const char* name, Params& params);

 private:
  struct Rename {
    std::string old, now;
  };
  /// Visits a fresh struct, and writes its texts into the fields of the set in the same order.
  struct DefaultTexts {
    std::vector<ParameterField>::iterator at;

    template <class T>
    void field(const char*, T& x, const Note&) {
      at++->default_text = detail::field_access<T>().print(&x);
    }
    template <class Params>
    void group(const char*, Params& params) {
      visit(*this, params);
    }
  };
  const ParameterField* find(const std::string& path) const;
  void add(const char* name, void* x, const Note& note, const detail::FieldAccess& access);
  /// Appends a name to the prefix; returns the prefix before.
  std::string enter(const char* name);

  std::vector<ParameterField> fields_;
  std::vector<Rename> renames_;
  std::string prefix_;
};

namespace detail {

ParameterError illegal(const std::string& path, const std::string& what, const std::string& legal);
ParameterError out_of_range(const std::string& path, const std::string& text, const std::string& legal);
ParameterError no_multiple(const std::string& path, const std::string& text, const Note& note, const std::string& legal);

template <class T>
T parse_checked(const std::string& path, const std::string& text, const Note& note, const std::string& legal) {
  using Type = FieldType<T>;
  T x;
  try {
    x = Type::parse(text);
  } catch (const UnitError& error) {
    throw illegal(path, error.what(), legal);
  }
  if constexpr (Type::ordered) {
    if ((!note.min().empty() && x < Type::parse(note.min())) || (!note.max().empty() && x > Type::parse(note.max())))
      throw out_of_range(path, text, legal);
    if (!note.multiple().empty() && !Type::is_multiple(x, Type::parse(note.multiple())))
      throw no_multiple(path, text, note, legal);
  }
  return x;
}

/// The legal names of a type; none for numbers, quantities and free texts.
template <class T, class = void>
struct Choices {
  static std::vector<std::string> all() { return {}; }
};
template <class T>
struct Choices<T, std::void_t<decltype(FieldType<T>::choices())>> {
  static std::vector<std::string> all() { return FieldType<T>::choices(); }
};

template <class T>
struct Access {
  using Type = FieldType<T>;
  using Value = T;
  static void set(void* field, const std::string& path, const std::string& text, const Note& note,
                  const std::string& legal) {
    *static_cast<T*>(field) = parse_checked<T>(path, text, note, legal);
  }
  static std::string print(const void* field) { return Type::print(*static_cast<const T*>(field)); }
  static ParameterValue value(const void* field) { return Type::value(*static_cast<const T*>(field)); }
};
template <class T>
struct Access<std::optional<T>> {
  using Type = FieldType<T>;
  using Value = T;
  static const std::optional<T>& of(const void* field) { return *static_cast<const std::optional<T>*>(field); }
  static void set(void* field, const std::string& path, const std::string& text, const Note& note,
                  const std::string& legal) {
    auto& x = *static_cast<std::optional<T>*>(field);
    if (text == "auto")
      x.reset();
    else
      x = parse_checked<T>(path, text, note, legal);
  }
  static std::string print(const void* field) { return of(field) ? Type::print(*of(field)) : "auto"; }
  static ParameterValue value(const void* field) { return of(field) ? Type::value(*of(field)) : ParameterValue{}; }
};

template <class T>
const FieldAccess& field_access() {
  using A = Access<T>;
  using Type = typename A::Type;
  static const FieldAccess access = {
      Type::unit, Type::ordered, !std::is_same_v<T, typename A::Value>, Choices<typename A::Value>::all, Type::legal, A::set,
      A::print,   A::value};
  return access;
}

// Compiled once, in parameter_set.cpp: fields of these types are everywhere.
extern template const FieldAccess& field_access<Bytes>();
extern template const FieldAccess& field_access<Time>();
extern template const FieldAccess& field_access<Bandwidth>();
extern template const FieldAccess& field_access<bool>();
extern template const FieldAccess& field_access<double>();
extern template const FieldAccess& field_access<std::uint32_t>();
extern template const FieldAccess& field_access<std::uint64_t>();
extern template const FieldAccess& field_access<std::optional<Bytes>>();
extern template const FieldAccess& field_access<std::optional<Time>>();
extern template const FieldAccess& field_access<std::optional<Bandwidth>>();
extern template const FieldAccess& field_access<std::optional<bool>>();
extern template const FieldAccess& field_access<std::optional<double>>();
extern template const FieldAccess& field_access<std::optional<std::uint32_t>>();
extern template const FieldAccess& field_access<std::optional<std::uint64_t>>();

}  // namespace detail

template <class Params>
void ParameterSet::group(const char* name, Params& params) {
  const std::string outer = enter(name);
  visit(*this, params);
  prefix_ = outer;
}

}  // namespace tributary
