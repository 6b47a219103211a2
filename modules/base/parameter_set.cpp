#include "modules/base/parameter_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "modules/base/nearest.h"

namespace tributary {
namespace {

/// Returns the names with a tail, from a `.` or `_` on, that is nearest to the text, by at most a third of its length;
/// empty if a whole name is as near.
std::vector<std::string> nearest_by_tail(const std::string& text, const std::vector<std::string>& names) {
  if (text.size() > 200) return {};
  std::size_t best = text.size() / 3, whole = ~std::size_t{0};
  std::vector<std::string> nearest;
  for (const std::string& name : names) {
    whole = std::min(whole, edit_distance(text, name));
    std::size_t distance = ~std::size_t{0};
    for (std::size_t at = name.find_first_of("._"); at != std::string::npos; at = name.find_first_of("._", at + 1))
      distance = std::min(distance, edit_distance(text, name.substr(at + 1)));
    if (distance < best) nearest.clear();
    if (distance > best) continue;
    best = distance;
    nearest.push_back(name);
  }
  return whole <= best ? std::vector<std::string>{} : nearest;
}

}  // namespace

std::string to_string(ParameterRole role) {
  const char* const names[] = {"-", "rate", "cycle", "delay", "room", "shape", "fault", "structure"};
  return names[static_cast<std::size_t>(role)];
}

namespace {

/// Returns for instance "128B to 16MiB, a multiple of 128B", or the legal values of the type.
std::string legal_text(const Note& note, const std::string& type_legal) {
  std::string text;
  if (!note.min().empty()) text = note.min() + " to " + note.max();
  if (!note.multiple().empty()) text += (text.empty() ? "a multiple of " : ", a multiple of ") + note.multiple();
  return text.empty() ? type_legal : text;
}

}  // namespace

namespace detail {

ParameterError illegal(const std::string& path, const std::string& what, const std::string& legal) {
  const bool said = what.find(legal) != std::string::npos;
  return ParameterError(path + ": " + what + (said ? "" : " (legal: " + legal + ")"));
}

ParameterError out_of_range(const std::string& path, const std::string& text, const std::string& legal) {
  return illegal(path, "'" + text + "' is out of range", legal);
}

ParameterError no_multiple(const std::string& path, const std::string& text, const Note& note, const std::string& legal) {
  return illegal(path, "'" + text + "' is not a multiple of " + note.multiple(), legal);
}

template const FieldAccess& field_access<Bytes>();
template const FieldAccess& field_access<Time>();
template const FieldAccess& field_access<Bandwidth>();
template const FieldAccess& field_access<bool>();
template const FieldAccess& field_access<double>();
template const FieldAccess& field_access<std::uint32_t>();
template const FieldAccess& field_access<std::uint64_t>();
template const FieldAccess& field_access<std::optional<Bytes>>();
template const FieldAccess& field_access<std::optional<Time>>();
template const FieldAccess& field_access<std::optional<Bandwidth>>();
template const FieldAccess& field_access<std::optional<bool>>();
template const FieldAccess& field_access<std::optional<double>>();
template const FieldAccess& field_access<std::optional<std::uint32_t>>();
template const FieldAccess& field_access<std::optional<std::uint64_t>>();

}  // namespace detail

std::string ParameterField::legal() const {
  return legal_text(note, access_->legal()) + (access_->optional ? ", or auto" : "");
}

void ParameterSet::append(ParameterSet other) {
  fields_.insert(fields_.end(), std::make_move_iterator(other.fields_.begin()),
                 std::make_move_iterator(other.fields_.end()));
}

void ParameterSet::add(const char* name, void* x, const Note& note, const detail::FieldAccess& access) {
  fields_.emplace_back(prefix_ + name, x, note, access);
}

std::string ParameterSet::enter(const char* name) {
  std::string outer = prefix_;
  prefix_ += name;
  prefix_ += '.';
  return outer;
}

const ParameterField* ParameterSet::find(const std::string& path) const {
  for (const ParameterField& field : fields_)
    if (field.path == path) return &field;
  return nullptr;
}

std::string ParameterSet::current(const std::string& path) const {
  if (find(path) != nullptr) return path;
  for (const Rename& rename : renames_) {
    if (path.rfind(rename.old, 0) != 0) continue;
    std::string now = rename.now + path.substr(rename.old.size());
    if (find(now) != nullptr) return now;
  }
  return path;
}

const ParameterField& ParameterSet::at(const std::string& path) const {
  if (const ParameterField* field = find(current(path))) return *field;
  std::vector<std::string> names;  // includes former names, which the text may misspell
  for (const ParameterField& field : fields_) {
    names.push_back(field.path);
    for (const Rename& rename : renames_)
      if (field.path.rfind(rename.now, 0) == 0) names.push_back(rename.old + field.path.substr(rename.now.size()));
  }
  std::vector<std::string> meant;
  const std::vector<std::string> tails = nearest_by_tail(path, names);
  for (const std::string& name : tails.empty() ? nearest_names(path, names) : tails) {
    const std::string now = current(name);
    if (std::find(meant.begin(), meant.end(), now) == meant.end()) meant.push_back(now);
  }
  if (meant.size() > 3) meant.resize(3);
  throw ParameterError("unknown parameter '" + path + "'" +
                       (meant.empty() ? "" : "; did you mean " + join_names(meant) + "?") +
                       " (tributary list parameters names all)");
}

void ParameterSet::set(const std::string& path, const std::string& text) const { at(path).set(text); }

void ParameterSet::set_assignment(const std::string& assignment) const {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ParameterError("'" + assignment +
                         "' is not an assignment (legal: PATH=VALUE, for instance nvswitch.link.latency=20ns)");
  set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace tributary
