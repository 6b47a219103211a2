#include "testbench/run/energy/link_bytes.h"

namespace tributary {
namespace {

/// Returns `gpu3` of `gpu3.port2`.
std::string device_of(const std::string& end) { return end.substr(0, end.find('.')); }

template <class Counts>
double bytes_where(const ResultRow& row, Counts counts) {
  double bytes = 0;
  for (const LinkUse& link : row.links) {
    const auto arrow = link.name.find('>');
    if (arrow == std::string::npos) continue;
    if (counts(device_of(link.name.substr(0, arrow)), device_of(link.name.substr(arrow + 1)))) bytes += bytes_of(link);
  }
  return bytes;
}

}  // namespace

std::set<std::string> names_of(const topology::Graph& graph, topology::NodeKind kind) {
  std::set<std::string> names;
  for (const topology::Node& node : graph.nodes())
    if (node.kind == kind) names.insert(node.name);
  return names;
}

double bytes_of_links(const ResultRow& row) {
  double bytes = 0;
  for (const LinkUse& link : row.links) bytes += bytes_of(link);
  return bytes;
}

std::uint64_t number_of_links(const ResultRow& row) {
  std::uint64_t links = 0;
  for (const LinkUse& link : row.links) links += link.count;
  return links;
}

double bytes_into(const ResultRow& row, const std::set<std::string>& devices) {
  return bytes_where(row, [&](const std::string&, const std::string& to) { return devices.count(to) != 0; });
}

double bytes_from(const ResultRow& row, const std::set<std::string>& devices) {
  return bytes_where(row, [&](const std::string& from, const std::string&) { return devices.count(from) != 0; });
}

std::string device_kind(const std::string& name) { return name.substr(0, name.find_first_of("0123456789.*")); }

KindOfLink kind_of_link(const std::string& link) {
  const auto arrow = link.find('>');
  return {device_kind(link.substr(0, arrow)), arrow == std::string::npos ? "" : device_kind(link.substr(arrow + 1))};
}

}  // namespace tributary
