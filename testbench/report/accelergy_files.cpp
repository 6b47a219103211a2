#include "testbench/report/accelergy_files.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "modules/base/field_type.h"
#include "modules/base/text_format.h"

namespace tributary {
namespace {

using Kind = Action::Kind;

constexpr unsigned sram_width = 64;  ///< bits of an access

struct Component {
  const Action* action = nullptr;
  std::vector<std::pair<std::string, double>> counts;
};

const char* class_of(const Action& a) {
  switch (a.kind) {
    case Kind::read:
    case Kind::write:
      return "SRAM";
    case Kind::add:
      return is_integer(a.type) || a.op != ReduceOp::sum ? "intadder" : "fpadder";
    case Kind::search:
      return "comparator";
    default:
      return a.part == EnergyPart::links                                    ? "serdes"
             : a.part == EnergyPart::switches || a.part == EnergyPart::nics ? "crossbar"
             : a.part == EnergyPart::memory                                 ? "DRAM"
                                                                            : "wire";
  }
}

/// Returns the name of the action, and the number of accesses.
std::pair<std::string, double> count_of(const Action& a) {
  switch (a.kind) {
    case Kind::read:
      return {"read", a.count * 8 / sram_width};
    case Kind::write:
      return {"write", a.count * 8 / sram_width};
    case Kind::add:
      return {"add", a.count};
    case Kind::search:
      return {"compare", a.count};
    default:
      return {a.part == EnergyPart::memory ? "read" : "transfer", a.count};
  }
}

std::string name_of_component(const Action& a) {
  return "system." + std::string(a.component) + (a.instances > 1 ? "[0.." + std::to_string(a.instances - 1) + "]" : "");
}

/// Returns the components in the order of their first action. Equal actions of one component are added.
std::vector<Component> components_of(const Energy& energy) {
  std::vector<Component> all;
  for (const PricedAction& priced : energy.actions) {
    const Action& a = priced.action;
    const auto same = [&](const Component& c) { return c.action->component == std::string(a.component); };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(all.end(), Component{&a, {}});
    found->counts.push_back(count_of(a));
  }
  return all;
}

constexpr const char* header =
    "# Written by tributary energy. Counts are those of all instances of a component together.\n"
    "# Standing power has no place in this form. serdes, wire, crossbar and DRAM at the level of bits are compounds that\n"
    "# the primitive library lacks: define them, or delete their rows.\n";

std::string attributes_of(const Action& a) {
  if (a.kind == Kind::read || a.kind == Kind::write)
    return "width: " + std::to_string(sram_width) +
           ", depth: " + std::to_string(std::max<std::uint64_t>(1, a.array_bytes * 8 / sram_width));
  if (a.kind == Kind::add) return "datawidth: " + std::to_string(8 * element_size(a.type));
  return "datawidth: 1";
}

}  // namespace

std::string accelergy_counts(const Energy& energy) {
  std::string text = std::string(header) + "action_counts:\n  version: 0.3\n  local:\n";
  for (const Component& c : components_of(energy)) {
    text += "    - name: " + name_of_component(*c.action) + "\n      action_counts:\n";
    for (const auto& [name, count] : c.counts)
      text += "        - name: " + name + "\n          counts: " + fixed(std::round(count), 0) + "\n";
  }
  return text;
}

std::string accelergy_architecture(const Energy& energy, double node) {
  std::string text =
      std::string(header) +
      "architecture:\n  version: 0.3\n  subtree:\n    - name: system\n      attributes:\n        technology: " +
      print_real(node) + "nm\n      local:\n";
  for (const Component& c : components_of(energy))
    text += "        - name: " + name_of_component(*c.action).substr(7) + "\n          class: " + class_of(*c.action) +
            "\n          attributes: {" + attributes_of(*c.action) + "}\n";
  return text;
}

}  // namespace tributary
