#include "testbench/family/cluster/flows/cluster_links.h"

#include <cmath>

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

}  // namespace

ClusterLinks::ClusterLinks(const ClusterModel& model, const ClusterGroup& group, const std::vector<int>& rail_classes)
    : model_(model), group_(group) {
  const ClusterServer& server = model.server;
  const double servers = group.shape.servers, gpu_links = servers * group.shape.ranks_each * server.nvlinks;
  if (group.shape.ranks_each > 1) {
    links_.push_back({"gpu*.port*>switch*.port*", server.nvlink_rate, gpu_links});
    links_.push_back({"switch*.port*>gpu*.port*", server.nvlink_rate, gpu_links});
    if (group.far()) {
      links_.push_back({"board0.port*>board1.port*", server.nvlink_rate, servers * server.trunks});
      links_.push_back({"board1.port*>board0.port*", server.nvlink_rate, servers * server.trunks});
    }
  }
  first_rail_ = static_cast<std::uint32_t>(links_.size());
  if (group.shape.servers == 1) return;
  for (std::size_t c = 0; c < rail_classes.size(); ++c) {
    const double nics = 1.0 * rail_classes[c] * group.nics;
    const std::string nic = "nic*" + (rail_classes.size() > 1 ? ".class" + std::to_string(c) : std::string());
    links_.push_back({nic + ".port0>leaf*.port*", model.flow.inter_rate, nics});
    links_.push_back({"leaf*.port*>" + nic + ".port0", model.flow.inter_rate, nics});
    links_.push_back({"gpu*.pcie>" + nic + ".pcie", model.pcie_rate, nics});
    links_.push_back({nic + ".pcie>gpu*.pcie", model.pcie_rate, nics});
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

std::vector<collective::FluidUse> ClusterLinks::inside(const InsideLoad& load, double payload) const {
  std::vector<collective::FluidUse> uses{{0, load.out / payload}, {1, load.into / payload}};
  for (std::uint32_t direction = 0; group_.far() && direction < 2; ++direction)
    if (load.trunks[direction] > 0) uses.push_back({2 + direction, load.trunks[direction] / ranks() / payload});
  return uses;
}

std::vector<collective::FluidUse> ClusterLinks::rail(int from, int to, double payload, double wire) const {
  const double tlps = std::ceil(payload / model_.pcie_payload), pcie = 1 + tlps * model_.pcie_overhead / payload;
  const std::uint32_t out = first_of(from), into = first_of(to);
  return {{out, wire / payload}, {into + 1, wire / payload}, {out + 2, pcie}, {into + 3, pcie}};
}

}  // namespace tributary
