#pragma once
/// Bytes that the links of a row of results have carried, from and to devices of a kind.

#include <set>
#include <string>

#include "platforms/topology/graph.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the names of the nodes of a kind.
std::set<std::string> names_of(const topology::Graph& graph, topology::NodeKind kind);
/// Returns the bytes of all links that a use stands for.
inline double bytes_of(const LinkUse& link) { return static_cast<double>(link.bytes) * static_cast<double>(link.count); }
/// Returns the bytes of all links, with packets that were sent again.
double bytes_of_links(const ResultRow& row);
std::uint64_t number_of_links(const ResultRow& row);
/// Return the bytes on links to and from these devices.
double bytes_into(const ResultRow& row, const std::set<std::string>& devices);
double bytes_from(const ResultRow& row, const std::set<std::string>& devices);

/// Returns the kind of a device by its name: `host` of `host12`, `switch` of `switch0_3`.
std::string device_kind(const std::string& name);
/// A directed link, with the kinds of its ends.
struct KindOfLink {
  std::string from, to;
};
KindOfLink kind_of_link(const std::string& link);

/// Returns the bytes of the links whose ends `counts(from, to)` selects by kind.
template <class Counts>
double bytes_by_kind(const ResultRow& row, Counts counts) {
  double bytes = 0;
  for (const LinkUse& link : row.links) {
    const KindOfLink kind = kind_of_link(link.name);
    if (counts(kind.from, kind.to)) bytes += bytes_of(link);
  }
  return bytes;
}
/// Returns the number of these links.
template <class Counts>
double links_by_kind(const ResultRow& row, Counts counts) {
  double links = 0;
  for (const LinkUse& link : row.links) {
    const KindOfLink kind = kind_of_link(link.name);
    if (counts(kind.from, kind.to)) links += static_cast<double>(link.count);
  }
  return links;
}

}  // namespace tributary
