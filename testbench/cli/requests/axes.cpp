#include "testbench/cli/requests/axes.h"

#include <set>

#include "testbench/workload/input_error.h"

namespace tributary {

std::size_t Axes::choose(const std::string& name, const Values& values, const std::string& where) {
  if (met_ == axes_.size()) add(name, values(), where);
  const Axis& axis = axes_[met_++];
  if (axis.name != name) throw InputError(where + name + ": the file changed while it was read");
  return axis.chosen;
}

void Axes::add(const std::string& name, const std::vector<std::string>& values, const std::string& where) {
  if (values.empty()) throw InputError(where + name + ": the axis has no values (legal: at least one)");
  std::set<std::string> known;
  for (const std::string& value : values)
    if (!known.insert(value).second)
      throw InputError(where + name + ": the axis holds '" + value + "' twice (legal: each value once)");
  for (const Axis& axis : axes_)
    if (axis.name == name) throw InputError(where + name + ": given twice");
  if (values.size() > most_points / points_)
    throw InputError(where + name + ": the sweep has more points than " + std::to_string(most_points) +
                     " (legal: fewer or shorter axes)");
  points_ *= values.size();
  axes_.push_back({name, values, 0});
}

void Axes::select(std::size_t point) {
  met_ = 0;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    axis->chosen = point % axis->values.size();
    point /= axis->values.size();
  }
}

}  // namespace tributary
