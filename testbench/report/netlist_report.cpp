#include "testbench/report/netlist_report.h"

#include <nlohmann/json.hpp>

#include "modules/base/text_format.h"

namespace tributary {
namespace {

using nlohmann::ordered_json;
using Role = NetlistSocket::Role;

constexpr std::size_t column = 36;

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "(nothing)" : text;
}

std::string tree_line(unsigned depth, const std::string& name, const std::string& what) {
  return left(std::string(2 * std::size_t{depth}, ' ') + name, column) + " " + what + "\n";
}

void add_tree(std::string& text, const NetlistModule& module, unsigned depth) {
  text += tree_line(depth, last_part(module.name), module.type + (module.called_directly ? ", called directly" : ""));
  for (const NetlistSocket& socket : module.sockets)
    text += tree_line(depth + 1, socket.name, (socket.role == Role::initiator ? "> " : "< ") + joined(socket.bound));
  for (const NetlistModule& inner : module.modules) add_tree(text, inner, depth + 1);
}

ordered_json module_json(const NetlistModule& module) {
  ordered_json sockets = ordered_json::array(), modules = ordered_json::array();
  for (const NetlistSocket& s : module.sockets)
    sockets.push_back({{"name", s.name},
                       {"role", s.role == Role::initiator ? "initiator" : "target"},
                       {"protocol", s.protocol},
                       {"width_bits", s.width},
                       {"bound", s.bound}});
  for (const NetlistModule& inner : module.modules) modules.push_back(module_json(inner));
  return {{"name", module.name},
          {"type", module.type},
          {"called_directly", module.called_directly},
          {"sockets", sockets},
          {"modules", modules}};
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

/// Returns `dgx2.gpu0.port0.out` as a field of its module's box.
std::string field(const std::string& socket) {
  const std::size_t dot = socket.rfind('.');
  return quoted(socket.substr(0, dot)) + ":" + quoted(socket.substr(dot + 1));
}

void add_boxes(std::string& text, const NetlistModule& module, const std::string& indent) {
  const bool cluster = !module.modules.empty();
  const std::string inner = cluster ? indent + "  " : indent;
  if (cluster)
    text += indent + "subgraph " + quoted("cluster_" + module.name) + " {\n" + inner +
            "label=" + quoted(last_part(module.name) + " (" + module.type + ")") + ";\n";
  std::string fields;
  for (const NetlistSocket& s : module.sockets) fields += "|<" + s.name + "> " + s.name;
  if (!cluster || !fields.empty())
    text += inner + quoted(module.name) + " [label=" + quoted("{" + last_part(module.name) + fields + "}") +
            (module.called_directly ? ", style=dashed];\n" : "];\n");
  for (const NetlistModule& m : module.modules) add_boxes(text, m, inner);
  if (cluster) text += indent + "}\n";
}

void add_arrows(std::string& text, const NetlistModule& module) {
  for (const NetlistSocket& s : module.sockets)
    for (const std::string& target : s.role == Role::initiator ? s.bound : std::vector<std::string>{})
      text += "  " + field(module.name + "." + s.name) + " -> " + field(target) + ";\n";
  for (const NetlistModule& inner : module.modules) add_arrows(text, inner);
}

}  // namespace

std::string netlist_text(const std::vector<NetlistModule>& netlist) {
  std::string text;
  for (const NetlistModule& module : netlist) add_tree(text, module, 0);
  return text;
}

std::string netlist_json(const std::string& platform, const std::vector<NetlistModule>& netlist) {
  ordered_json modules = ordered_json::array();
  for (const NetlistModule& module : netlist) modules.push_back(module_json(module));
  return ordered_json{{"tributary", TRIBUTARY_VERSION}, {"platform", platform}, {"modules", modules}}.dump(1) + "\n";
}

std::string netlist_dot(const std::string& platform, const std::vector<NetlistModule>& netlist) {
  std::string text = "digraph " + quoted(platform) + " {\n  node [shape=record];\n";
  for (const NetlistModule& module : netlist) add_boxes(text, module, "  ");
  for (const NetlistModule& module : netlist) add_arrows(text, module);
  return text + "}\n";
}

}  // namespace tributary
