#include "modules/base/parameter_set.h"

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

const ParameterField& ParameterSet::at(const std::string& path) const {
  std::vector<std::string> paths;
  for (const ParameterField& field : fields_) {
    if (field.path == path) return field;
    paths.push_back(field.path);
  }
  throw ParameterError(unknown_name("parameter", path, paths, false) + " (tributary list parameters names all)");
}

void ParameterSet::set(const std::string& path, const std::string& text) const { at(path).set(text); }

void ParameterSet::set_assignment(const std::string& assignment) const {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ParameterError("'" + assignment + "' is no assignment (legal: PATH=VALUE, for instance link.latency=20ns)");
  set(assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace tributary
