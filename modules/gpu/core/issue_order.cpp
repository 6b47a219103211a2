#include "modules/gpu/core/issue_order.h"

#include <charconv>

#include "modules/base/units.h"

namespace tributary {

IssueOrder ParameterText<IssueOrder>::parse(const std::string& text) {
  if (text == "linear") return {};
  const std::string prefix = "shuffled:";
  IssueOrder order;
  if (text.compare(0, prefix.size(), prefix) == 0) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, order.window);
    if (error == std::errc{} && stop == end && order.window >= 2 && order.window <= (1u << 24)) return order;
  }
  throw UnitError("'" + text + "' is not an issue order (" + legal() + ")");
}

std::string ParameterText<IssueOrder>::print(const IssueOrder& order) {
  return order.window == 0 ? "linear" : "shuffled:" + std::to_string(order.window);
}

}  // namespace tributary
