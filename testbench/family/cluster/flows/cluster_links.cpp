#include "testbench/family/cluster/flows/cluster_links.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

std::size_t class_of(const std::vector<std::size_t>& classes, std::size_t number) {
  return classes.empty() ? 0 : classes.at(number);
}

std::size_t count_of(const std::vector<std::size_t>& classes) {
  return classes.empty() ? 1 : 1 + *std::max_element(classes.begin(), classes.end());
}

void sort_once(LinkPlaces& places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

}  // namespace

ClusterLinks::ClusterLinks(const ClusterModel& model, const ClusterGroup& group, const LinkClasses& classes,
                           const UsedLeaves& leaves)
    : model_(model), group_(group) {
  if (group.shape.ranks_each > 1) add_nvlinks(classes);
  if (group.shape.servers == 1) return;
  add_rails(classes);
  if (leaves.up.empty() || model.spines == 0) return;
  uplink_ = static_cast<std::uint32_t>(links_.size());
  add(LinkKind::leaf_up, leaves.up), add(LinkKind::leaf_down, leaves.down);
}

void ClusterLinks::add(LinkKind kind, LinkPlaces places, std::size_t number) {
  links_.push_back(link_at(model_, kind, std::move(places), number));
}

void ClusterLinks::add_nvlinks(const LinkClasses& classes) {
  std::vector<LinkPlaces> gpus(count_of(classes.gpus));
  LinkPlaces servers;
  for (const collective::GroupShape& shape : group_.each)
    for (int i = 0; i < shape.servers; ++i) {
      servers.push_back(static_cast<std::uint32_t>(shape.server(i)));
      for (int j = 0; j < shape.ranks_each; ++j) {
        const int gpu = shape.server(i) * model_.server.gpus + shape.local[static_cast<std::size_t>(j)];
        gpus[class_of(classes.gpus, static_cast<std::size_t>(shape.rank(i, j)))].push_back(static_cast<std::uint32_t>(gpu));
      }
    }
  const double all = 1.0 * group_.shape.ranks() * group_.groups();
  for (std::size_t c = 0; c < gpus.size(); ++c) {
    sort_once(gpus[c]);
    gpu_share_.push_back(static_cast<double>(gpus[c].size()) / all);
    add(LinkKind::gpu_out, gpus[c], c), add(LinkKind::gpu_in, gpus[c], c);
  }
  if (!group_.far()) return;
  first_trunk_ = static_cast<std::uint32_t>(links_.size());
  sort_once(servers);
  add(LinkKind::board_out, servers), add(LinkKind::board_in, servers);
}

/// Returns the NICs of some places of the servers of a class.
LinkPlaces ClusterLinks::nics(const LinkClasses& classes, std::size_t of_class, int place) const {
  LinkPlaces found;
  for (const collective::GroupShape& shape : group_.each)
    for (int i = 0; i < shape.servers; ++i) {
      if (class_of(classes.servers, static_cast<std::size_t>(i)) != of_class) continue;
      for (int j = 0; j < shape.ranks_each; ++j) {
        if (place != RailPlaces::all && place != j) continue;
        const auto gpu = static_cast<std::size_t>(shape.local[static_cast<std::size_t>(j)]);
        found.push_back(static_cast<std::uint32_t>(shape.server(i) * model_.server.nics + model_.server.nic_of.at(gpu)));
      }
    }
  sort_once(found);
  return found;
}

void ClusterLinks::add_rails(const LinkClasses& classes) {
  first_rail_ = static_cast<std::uint32_t>(links_.size());
  for (std::size_t c = 0; c < count_of(classes.servers); ++c) {
    const LinkPlaces from = nics(classes, c, group_.places.from), to = nics(classes, c, group_.places.to);
    add(LinkKind::nic_out, from, c), add(LinkKind::nic_in, to, c);
    add(LinkKind::pcie_out, from, c), add(LinkKind::pcie_in, to, c);
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
  for (std::size_t c = 0; c < gpu_share_.size(); ++c) {
    const auto out = 2 * static_cast<std::uint32_t>(c);
    const double share = gpu_share_[c];
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

/// A TLP holds data of one WRITE.
RailLoad ClusterLinks::messages(double bytes, double count) const {
  const double tlps = std::ceil(bytes / model_.pcie_payload);
  return {count * bytes, count * collective::write_wire_bytes(bytes, model_.flow.payload),
          count * (bytes + tlps * model_.pcie_overhead)};
}

RailLoad ClusterLinks::slices(double bytes, double slice) const {
  const double full = std::ceil(bytes / slice) - 1;
  const RailLoad first = messages(slice, full), last = messages(bytes - full * slice);
  return {bytes, first.wire + last.wire, first.pcie + last.pcie};
}

std::vector<collective::FluidUse> ClusterLinks::rail(const ClassShares& from, const ClassShares& to, const RailLoad& load,
                                                     double spine) const {
  const double wire = load.wire / load.payload, pcie = load.pcie / load.payload;
  std::vector<collective::FluidUse> uses;
  for (const ClassShare& c : from) {
    uses.push_back({first_of(c.of_class), c.share * wire});
    uses.push_back({first_of(c.of_class) + 2, c.share * pcie});
  }
  for (const ClassShare& c : to) {
    uses.push_back({first_of(c.of_class) + 1, c.share * wire});
    uses.push_back({first_of(c.of_class) + 3, c.share * pcie});
  }
  for (std::uint32_t direction = 0; has_uplinks() && spine > 0 && direction < 2; ++direction)
    uses.push_back({uplink_ + direction, spine * wire});
  return uses;
}

}  // namespace tributary
