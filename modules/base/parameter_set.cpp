#include "modules/base/parameter_set.h"

#include <algorithm>

#include "modules/base/nearest.h"

namespace tributary {

namespace detail {

std::string legal_text(const Note& note, const std::string& type_legal) {
  std::string text;
  if (!note.min().empty()) text = note.min() + " to " + note.max();
  if (!note.multiple().empty()) text += (text.empty() ? "a multiple of " : ", a multiple of ") + note.multiple();
  return text.empty() ? type_legal : text;
}

ParameterError illegal(const std::string& path, const std::string& what, const std::string& legal) {
  const bool said = what.find(legal) != std::string::npos;
  return ParameterError(path + ": " + what + (said ? "" : " (legal: " + legal + ")"));
}

}  // namespace detail

const ParameterField* ParameterSet::find(const std::string& path) const {
  for (const ParameterField& field : fields_)
    if (field.path == path) return &field;
  return nullptr;
}

std::string ParameterSet::current(const std::string& path) const {
  if (find(path) != nullptr) return path;
  for (const Rename& rename : renames_) {
    if (path.rfind(rename.old, 0) != 0) continue;
    const std::string now = rename.now + path.substr(rename.old.size());
    if (find(now) != nullptr) return now;
  }
  return path;
}

const ParameterField& ParameterSet::at(const std::string& path) const {
  if (const ParameterField* field = find(current(path))) return *field;
  std::vector<std::string> names;  // those of before, too: what is misspelt may be one of them
  for (const ParameterField& field : fields_) {
    names.push_back(field.path);
    for (const Rename& rename : renames_)
      if (field.path.rfind(rename.now, 0) == 0) names.push_back(rename.old + field.path.substr(rename.now.size()));
  }
  std::vector<std::string> meant;
  for (const std::string& name : nearest_names(path, names)) {
    const std::string now = current(name);
    if (std::find(meant.begin(), meant.end(), now) == meant.end()) meant.push_back(now);
  }
  throw ParameterError(unknown_name("parameter", path, meant, false) + " (tributary list parameters names all)");
}

void ParameterSet::set(const std::string& path, const std::string& text) const { at(path).set(text); }

void ParameterSet::set_assignment(const std::string& assignment) const {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ParameterError("'" + assignment +
                         "' is no assignment (legal: PATH=VALUE, for instance nvswitch.link.latency=20ns)");
  set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace tributary
