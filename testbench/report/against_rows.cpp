#include "testbench/report/against_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"
#include "testbench/run/status.h"

namespace tributary {
namespace {

std::string microseconds(Tick time) { return fixed(static_cast<double>(time) * 1e-6, 2); }

std::string change(const AgainstRow& r) {
  const double share = static_cast<double>(r.row.time) / static_cast<double>(r.base.time) - 1;
  return (share < 0 ? "" : "+") + fixed(100 * share, 1) + " %";
}

bool compares(const AgainstRow& r) { return is_complete(r.row.status) && is_complete(r.base.status) && r.base.time > 0; }

}  // namespace

std::string against_text(const std::string& algorithm, const std::vector<AgainstRow>& rows) {
  const std::string title = "against " + algorithm;
  std::size_t names = title.size();
  for (const AgainstRow& r : rows) names = std::max(names, r.algorithm.size());
  std::string text = "# " + left(title, names) + right("size (B)", 14) + right("time (us)", 14) + right("algbw (GB/s)", 14) +
                     right("time", 10) + "\n";
  for (const AgainstRow& r : rows) {
    text += "# " + left(r.algorithm, names) + right(std::to_string(r.row.size_bytes), 14);
    if (compares(r))
      text += right(microseconds(r.row.time), 14) + right(fixed(r.row.algbw_GBps(), 2), 14) + right(change(r), 10) + "\n";
    else
      text += "  " + std::string(status_name(r.row.status)) + "\n";
  }
  return text;
}

std::string against_json(const std::vector<AgainstRow>& rows) {
  using Json = nlohmann::ordered_json;
  const auto in_ns = [](Tick ps) { return static_cast<double>(ps) / 1000; };
  Json all = Json::array();
  for (const AgainstRow& r : rows) {
    const bool compared = compares(r);
    all.push_back({{"algorithm", r.algorithm},
                   {"label", r.row.label},
                   {"size_bytes", r.row.size_bytes},
                   {"status", status_name(r.row.status)},
                   {"time_ns", compared ? Json(in_ns(r.row.time)) : Json(nullptr)},
                   {"difference_ns", compared ? Json(in_ns(r.row.time) - in_ns(r.base.time)) : Json(nullptr)},
                   {"algbw_GBps", compared ? Json(r.row.algbw_GBps()) : Json(nullptr)},
                   {"wrong", r.row.wrong ? Json(*r.row.wrong) : Json(nullptr)}});
  }
  return all.dump();
}

}  // namespace tributary
