#include "testbench/family/cluster/flows/cluster_links.h"

#include <cmath>
#include <map>

namespace tributary {
namespace {

constexpr double flit = 16, block = 128;

/// Bytes of a message of NVLink: packets with data, requests, acks.
struct Wire {
  explicit Wire(double bytes) {
    const double blocks = std::ceil(bytes / block);
    data = (blocks + std::ceil(bytes / flit)) * flit;
    headers = blocks * flit;
  }
  double data, headers;
};

/// Returns `NAME`, or `NAME.class1` if there are several classes.
std::string name_of(const char* name, std::size_t number, std::size_t classes) {
  return classes > 1 ? std::string(name) + ".class" + std::to_string(number) : name;
}

}  // namespace

ClusterLinks::ClusterLinks(const ClusterModel& model, const ClusterGroup& group, const LinkClasses& classes, bool uplinks)
    : model_(model), group_(group), classes_(classes) {
  if (group.shape.ranks_each > 1) add_nvlinks();
  if (group.shape.servers == 1) return;
  add_rails();
  if (!uplinks || model.spines == 0) return;
  uplink_ = static_cast<std::uint32_t>(links_.size());
  const double leaves = model.leaf_is_rack ? group.racks : model.server.nics;
  links_.push_back({"leaf*.port*>spine*.port*", model.flow.inter_rate, leaves * model.spines});
  links_.push_back({"spine*.port*>leaf*.port*", model.flow.inter_rate, leaves * model.spines});
}

void ClusterLinks::add_nvlinks() {
  const ClusterServer& server = model_.server;
  for (std::size_t c = 0; c < classes_.gpus.size(); ++c) {
    const double links = classes_.gpus[c] * group_.groups() * server.nvlinks;
    const std::string gpu = name_of("gpu*", c, classes_.gpus.size());
    links_.push_back({gpu + ".port*>switch*.port*", server.nvlink_rate, links});
    links_.push_back({"switch*.port*>" + gpu + ".port*", server.nvlink_rate, links});
  }
  if (!group_.far()) return;
  first_trunk_ = static_cast<std::uint32_t>(links_.size());
  const double trunks = 1.0 * group_.servers * server.trunks;
  links_.push_back({"board0.port*>board1.port*", server.nvlink_rate, trunks});
  links_.push_back({"board1.port*>board0.port*", server.nvlink_rate, trunks});
}

void ClusterLinks::add_rails() {
  first_rail_ = static_cast<std::uint32_t>(links_.size());
  for (std::size_t c = 0; c < classes_.servers.size(); ++c) {
    const double nics = classes_.servers[c] * group_.nics;
    const std::string nic = name_of("nic*", c, classes_.servers.size());
    links_.push_back({nic + ".port0>leaf*.port*", model_.flow.inter_rate, nics});
    links_.push_back({"leaf*.port*>" + nic + ".port0", model_.flow.inter_rate, nics});
    links_.push_back({"gpu*.pcie>" + nic + ".pcie", model_.pcie_rate, nics});
    links_.push_back({nic + ".pcie>gpu*.pcie", model_.pcie_rate, nics});
  }
}

InsideLoad ClusterLinks::pull(double part) const {
  const Wire w(part);
  const double others = ranks() - 1, here = group_.boards[0], there = group_.boards[1];
  InsideLoad load{w.headers + others * w.data, w.data + others * w.headers, {0, 0}};
  if (group_.far()) load.trunks[0] = here * w.headers + there * w.data, load.trunks[1] = there * w.headers + here * w.data;
  return load;
}

InsideLoad ClusterLinks::multicast(double part) const {
  const Wire w(part);
  const double acks = model_.acks ? w.headers : 0, others = ranks() - 1, here = group_.boards[0], there = group_.boards[1];
  InsideLoad load{w.data + others * acks, others * w.data + others * acks, {0, 0}};
  if (group_.far())
    load.trunks[0] = here * w.data + here * there * acks, load.trunks[1] = there * w.data + here * there * acks;
  return load;
}

InsideLoad ClusterLinks::ring_step(double part) const {
  const Wire w(part);
  const double both = w.data + (model_.acks ? w.headers : 0), across = group_.crossings / 2.0 * both;
  return {both, both, {across, across}};
}

InsideLoad ClusterLinks::exchange(double part) const {
  const Wire w(part);
  const double both = w.data + (model_.acks ? w.headers : 0), others = ranks() - 1;
  const double across = 1.0 * group_.boards[0] * group_.boards[1] * both;
  return {others * both, others * both, {across, across}};
}

WriteLoad ClusterLinks::write(double part, double receivers, bool multicast) const {
  const Wire w(part);
  const double acks = model_.acks ? receivers * w.headers : 0, copies = multicast ? 1 : receivers;
  WriteLoad load{copies * w.data, receivers * w.data, acks, 0};
  const double pairs = ranks() * (ranks() - 1), far = 2.0 * group_.boards[0] * group_.boards[1] / pairs;
  load.trunk = (multicast ? w.data : far * load.into) / 2 + far * acks / 2;
  return load;
}

std::vector<collective::FluidUse> ClusterLinks::inside(const InsideLoad& load, double payload) const {
  std::vector<collective::FluidUse> uses;
  const double gpus = group_.shape.ranks();
  for (std::size_t c = 0; c < classes_.gpus.size(); ++c) {
    const auto out = 2 * static_cast<std::uint32_t>(c);
    const double share = classes_.gpus[c] / gpus;
    uses.push_back({out, share * load.out / payload}), uses.push_back({out + 1, share * load.into / payload});
  }
  for (std::uint32_t direction = 0; group_.far() && direction < 2; ++direction)
    if (load.trunks[direction] > 0) uses.push_back({first_trunk_ + direction, load.trunks[direction] / ranks() / payload});
  return uses;
}

std::vector<collective::FluidUse> ClusterLinks::writes(const WriteLoad& load, double payload, const ClassShares& from,
                                                       const ClassShares& to) const {
  std::map<std::uint32_t, double> bytes;
  for (const ClassShare& c : from) {
    const auto out = 2 * static_cast<std::uint32_t>(c.of_class);
    bytes[out] += c.share * load.out, bytes[out + 1] += c.share * load.acks;
  }
  for (const ClassShare& c : to) {
    const auto out = 2 * static_cast<std::uint32_t>(c.of_class);
    bytes[out + 1] += c.share * load.into, bytes[out] += c.share * load.acks;
  }
  if (group_.far()) bytes[first_trunk_] += load.trunk, bytes[first_trunk_ + 1] += load.trunk;
  std::vector<collective::FluidUse> uses;
  for (const auto& [link, crossed] : bytes)
    if (crossed > 0) uses.push_back({link, crossed / payload});
  return uses;
}

std::vector<collective::FluidUse> ClusterLinks::rail(const ClassShares& from, const ClassShares& to, double payload,
                                                     double wire, double spine) const {
  const double tlps = std::ceil(payload / model_.pcie_payload), pcie = 1 + tlps * model_.pcie_overhead / payload;
  std::vector<collective::FluidUse> uses;
  for (const ClassShare& c : from) {
    uses.push_back({first_of(c.of_class), c.share * wire / payload});
    uses.push_back({first_of(c.of_class) + 2, c.share * pcie});
  }
  for (const ClassShare& c : to) {
    uses.push_back({first_of(c.of_class) + 1, c.share * wire / payload});
    uses.push_back({first_of(c.of_class) + 3, c.share * pcie});
  }
  for (std::uint32_t direction = 0; has_uplinks() && spine > 0 && direction < 2; ++direction)
    uses.push_back({uplink_ + direction, spine * wire / payload});
  return uses;
}

}  // namespace tributary
