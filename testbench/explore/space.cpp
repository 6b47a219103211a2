#include "testbench/explore/space.h"

#include <algorithm>
#include <set>

#include "modules/base/nearest.h"
#include "modules/base/text_format.h"

namespace tributary::explore {

Space::Space(std::vector<Variable> variables) : variables_(std::move(variables)) {
  if (variables_.empty()) throw PlanError("the space has no variable (legal: at least one)");
  std::set<std::string> names;
  for (const Variable& variable : variables_) {
    if (!names.insert(variable.name).second) throw PlanError(variable.name + ": two variables have this name");
    const std::size_t count = variable.values.size();
    if (count == 0) throw PlanError(variable.name + ": the variable has no values (legal: at least one)");
    if (count > most_values)
      throw PlanError(variable.name + ": " + std::to_string(count) + " values (legal: up to " + std::to_string(most_values) +
                      ")");
    std::set<std::string> known;
    for (const std::string& value : variable.values)
      if (!known.insert(value).second)
        throw PlanError(variable.name + ": the list holds '" + one_line(value) + "' twice (legal: each value once)");
    size_ = size_ > ~std::uint64_t{0} / count ? ~std::uint64_t{0} : size_ * count;
  }
}

Point Space::at(std::uint64_t number) const {
  Point point(dimensions());
  for (std::size_t v = dimensions(); v-- > 0;) {
    point[v] = static_cast<std::uint32_t>(number % values(v));
    number /= values(v);
  }
  return point;
}

std::size_t Space::find(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < dimensions(); ++v) {
    if (variables_[v].name == name) return v;
    names.push_back(variables_[v].name);
  }
  throw PlanError(unknown_name("variable", name, names));
}

Point Space::point_of(const std::vector<std::string>& texts) const {
  Point point(dimensions());
  for (std::size_t v = 0; v < dimensions(); ++v) {
    const auto& all = variables_[v].values;
    const auto found = std::find(all.begin(), all.end(), texts.at(v));
    if (found == all.end())
      throw PlanError(variables_[v].name + ": " + unknown_name("value", texts[v], all, all.size() <= 16));
    point[v] = static_cast<std::uint32_t>(found - all.begin());
  }
  return point;
}

}  // namespace tributary::explore
