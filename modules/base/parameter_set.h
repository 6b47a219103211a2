#pragma once
/// ParameterSet: all fields of a parameter struct by path, built from its `visit`, to set, list and dump them
/// (parameters.h).

#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
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

/// The legal names of a type; none for numbers, quantities and free texts.
template <class T, class = void>
struct Choices {
  static std::vector<std::string> all() { return {}; }
};
template <class T>
struct Choices<T, std::void_t<decltype(FieldType<T>::choices())>> {
  static std::vector<std::string> all() { return FieldType<T>::choices(); }
};

}  // namespace detail

/// One field of a struct, type-erased. Refers to the struct.
struct ParameterField {
  std::string path;
  std::string unit;                  ///< unit of `value`: B, ps, B/s; empty for a number or a name
  bool numeric;                      ///< has an order: a number or a quantity, and no name
  std::vector<std::string> choices;  ///< legal names; empty for a number, a quantity or a free text
  std::string legal;                 ///< range or names, as one phrase
  std::string default_text;          ///< `auto` if the algorithm chooses
  Note note;
  std::function<void(const std::string&)> set;  ///< throws ParameterError
  std::function<std::string()> print;           ///< text that `set` accepts
  std::function<ParameterValue()> value;

  bool is_default() const { return print() == default_text; }
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
    read_defaults(fresh);
  }

  void append(ParameterSet other) {
    fields_.insert(fields_.end(), std::make_move_iterator(other.fields_.begin()),
                   std::make_move_iterator(other.fields_.end()));
  }
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
  void field(const std::string& name, T& x, const Note& note);
  template <class T>
  void field(const std::string& name, std::optional<T>& x, const Note& note);
  template <class Params>
  void group(const std::string& name, Params& params);

 private:
  struct Rename {
    std::string old, now;
  };
  const ParameterField* find(const std::string& path) const;
  template <class Params>
  void read_defaults(Params& fresh);

  std::vector<ParameterField> fields_;
  std::vector<Rename> renames_;
  std::string prefix_;
};

namespace detail {

/// Returns for instance "128B to 16MiB, a multiple of 128B", or the legal values of the type.
std::string legal_text(const Note& note, const std::string& type_legal);
/// Returns an error for `path` that names the legal values.
ParameterError illegal(const std::string& path, const std::string& what, const std::string& legal);

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
      throw illegal(path, "'" + text + "' is out of range", legal);
    if (!note.multiple().empty() && !Type::is_multiple(x, Type::parse(note.multiple())))
      throw illegal(path, "'" + text + "' is not a multiple of " + note.multiple(), legal);
  }
  return x;
}

}  // namespace detail

template <class T>
void ParameterSet::field(const std::string& name, T& x, const Note& note) {
  using Type = FieldType<T>;
  const std::string path = prefix_ + name, legal = detail::legal_text(note, Type::legal());
  fields_.push_back(
      {path, Type::unit, Type::ordered, detail::Choices<T>::all(), legal, "", note,
       [path, &x, note, legal](const std::string& text) { x = detail::parse_checked<T>(path, text, note, legal); },
       [&x] { return Type::print(x); }, [&x] { return Type::value(x); }});
}

template <class T>
void ParameterSet::field(const std::string& name, std::optional<T>& x, const Note& note) {
  using Type = FieldType<T>;
  const std::string path = prefix_ + name, legal = detail::legal_text(note, Type::legal()) + ", or auto";
  const auto set = [path, &x, note, legal](const std::string& text) {
    if (text == "auto")
      x.reset();
    else
      x = detail::parse_checked<T>(path, text, note, legal);
  };
  fields_.push_back({path, Type::unit, Type::ordered, detail::Choices<T>::all(), legal, "", note, set,
                     [&x] { return x ? Type::print(*x) : std::string("auto"); },
                     [&x] { return x ? Type::value(*x) : ParameterValue{}; }});
}

template <class Params>
void ParameterSet::group(const std::string& name, Params& params) {
  const std::string outer = prefix_;
  prefix_ += name + ".";
  visit(*this, params);
  prefix_ = outer;
}

template <class Params>
void ParameterSet::read_defaults(Params& fresh) {
  ParameterSet defaults;
  visit(defaults, fresh);
  for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i].default_text = defaults.fields_[i].print();
}

}  // namespace tributary
