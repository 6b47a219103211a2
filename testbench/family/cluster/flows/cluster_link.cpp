#include "testbench/family/cluster/flows/cluster_link.h"

#include <iterator>
#include <set>
#include <utility>

namespace tributary {
namespace {

constexpr std::size_t most_characters = 24;  ///< most characters of the numbers in a name

/// Returns `0-3,7`, or `*` for all numbers below `all`.
std::string text_of(const std::set<std::uint32_t>& numbers, std::size_t all) {
  if (numbers.size() == all) return "*";
  std::string text;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first, next = std::next(first);
    while (next != numbers.end() && *next == *last + 1) last = next++;
    text += (text.empty() ? "" : ",") + std::to_string(*first) + (last == first ? "" : "-" + std::to_string(*last));
    first = next;
  }
  return text;
}

/// Returns the numbers of the devices of a class: `*`, `3`, `0-3_*`; or `*.classN`.
std::string numbers_of(const LinkPlaces& places, std::size_t groups, std::size_t each, std::size_t number) {
  const std::string other = "*.class" + std::to_string(number);
  std::set<std::uint32_t> outer, inner;
  for (const std::uint32_t p : places)
    outer.insert(static_cast<std::uint32_t>(p / each)), inner.insert(static_cast<std::uint32_t>(p % each));
  if (outer.size() * inner.size() != places.size()) return other;
  const std::string of = text_of(outer, groups), in = text_of(inner, each);
  if (of.size() + in.size() > most_characters) return other;
  return each == 1 || (of == "*" && in == "*") ? of : of + "_" + in;
}

}  // namespace

ClusterLink link_at(const ClusterModel& model, LinkKind kind, LinkPlaces places, std::size_t number) {
  const ClusterServer& server = model.server;
  const auto servers = static_cast<std::size_t>(model.servers), leaves = static_cast<std::size_t>(model.leaves());
  const auto named = [&](const char* device, std::size_t groups, std::size_t each) {
    return device + numbers_of(places, groups, each, number);
  };
  const auto make = [&](std::string name, double rate, int links) {
    return ClusterLink{std::move(name), rate, 1.0 * links * static_cast<double>(places.size()), kind, places};
  };
  const double nic_rate = model.flow.inter_rate;
  if (kind == LinkKind::gpu_out || kind == LinkKind::gpu_in) {
    const std::string gpu = named("gpu", servers, static_cast<std::size_t>(server.gpus));
    return make(kind == LinkKind::gpu_out ? gpu + ".port*>switch*.port*" : "switch*.port*>" + gpu + ".port*",
                server.nvlink_rate, server.nvlinks);
  }
  if (kind == LinkKind::board_out || kind == LinkKind::board_in) {
    const std::string of = named("", servers, 1), suffix = of == "*" ? "" : ".server" + of;
    const std::string here = "board0" + suffix, there = "board1" + suffix;
    return make(kind == LinkKind::board_out ? here + ".port*>" + there + ".port*" : there + ".port*>" + here + ".port*",
                server.nvlink_rate, server.trunks);
  }
  if (kind == LinkKind::leaf_up || kind == LinkKind::leaf_down) {
    const std::string leaf = named("leaf", leaves, 1);
    return make(kind == LinkKind::leaf_up ? leaf + ".port*>spine*.port*" : "spine*.port*>" + leaf + ".port*", nic_rate,
                model.spines);
  }
  const std::string nic = named("nic", servers, static_cast<std::size_t>(server.nics));
  if (kind == LinkKind::nic_out) return make(nic + ".port0>leaf*.port*", nic_rate, 1);
  if (kind == LinkKind::nic_in) return make("leaf*.port*>" + nic + ".port0", nic_rate, 1);
  if (kind == LinkKind::pcie_out) return make("gpu*.pcie>" + nic + ".pcie", model.pcie_rate, 1);
  return make(nic + ".pcie>gpu*.pcie", model.pcie_rate, 1);
}

}  // namespace tributary
