#include "testbench/observe/vcd_header.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "testbench/observe/natural_order.h"

namespace tributary {
namespace {

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t dot = path.find('.', at);
    parts.push_back(path.substr(at, dot - at));
    at = dot == std::string::npos ? dot : dot + 1;
  }
  return parts;
}

void change_scope(OutputFile& out, std::vector<std::string>& open, const std::vector<std::string>& wanted) {
  const auto differs = std::mismatch(open.begin(), open.end(), wanted.begin(), wanted.end());
  for (auto s = differs.first; s != open.end(); ++s) out.append("$upscope $end\n");
  for (auto s = differs.second; s != wanted.end(); ++s) out.append("$scope module " + *s + " $end\n");
  open = wanted;
}

}  // namespace

std::string vcd_code(std::size_t n) {
  std::string code;
  for (++n; n > 0; n /= 94) code.push_back(static_cast<char>('!' + --n % 94));
  return code;
}

void write_vcd_header(OutputFile& out, std::vector<VcdVariable> variables) {
  std::sort(variables.begin(), variables.end(), [](auto& a, auto& b) { return natural_less(a.path, b.path); });
  out.append("$version Tributary $end\n$timescale 1 ps $end\n");
  std::vector<std::string> open;
  for (const VcdVariable& v : variables) {
    std::vector<std::string> parts = split(v.path);
    const std::string leaf = parts.back();
    parts.pop_back();
    change_scope(out, open, parts);
    static constexpr const char* types[] = {"wire", "event", "real", "string"};
    const bool wide = v.type == VcdVariable::Type::wire && v.width > 1;
    const std::string type = types[static_cast<std::size_t>(v.type)], range = "[" + std::to_string(v.width - 1) + ":0]";
    out.append("$var " + type + " " + std::to_string(v.width) + " " + v.code + " " + leaf + (wide ? " " + range : "") +
               " $end\n");
  }
  change_scope(out, open, {});
  out.append("$enddefinitions $end\n");
}

}  // namespace tributary
