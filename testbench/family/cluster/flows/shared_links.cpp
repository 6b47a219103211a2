#include "testbench/family/cluster/flows/shared_links.h"

#include <map>

namespace tributary {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// Numbers of the part of each place, by kind of link. Each class divides the parts that it meets.
class Partition {
 public:
  void divide(const ClusterLink& link) {
    std::vector<std::uint32_t>& parts = parts_[link.kind];
    if (!link.places.empty() && parts.size() <= link.places.back()) parts.resize(link.places.back() + 1, none);
    std::map<std::uint32_t, std::uint32_t> divided;
    for (const std::uint32_t place : link.places) {
      const auto [part, added] = divided.emplace(parts[place], next_);
      if (added) ++next_;
      parts[place] = part->second;
    }
  }
  /// Returns the places of a class, by part.
  std::map<std::uint32_t, LinkPlaces> of(const ClusterLink& link) const {
    std::map<std::uint32_t, LinkPlaces> found;
    for (const std::uint32_t place : link.places) found[parts_.at(link.kind)[place]].push_back(place);
    return found;
  }

 private:
  std::map<LinkKind, std::vector<std::uint32_t>> parts_;
  std::uint32_t next_ = 0;
};

}  // namespace

SharedLinks::SharedLinks(const ClusterModel& model, const std::vector<const std::vector<ClusterLink>*>& transfers) {
  Partition partition;
  for (const std::vector<ClusterLink>* links : transfers)
    for (const ClusterLink& link : *links) partition.divide(link);
  std::map<std::uint32_t, std::uint32_t> number;  // number of a link, by part
  std::map<LinkKind, std::size_t> of_kind;
  for (const std::vector<ClusterLink>* links : transfers) {
    LinkMap& map = of_.emplace_back();
    for (const ClusterLink& link : *links) {
      std::vector<LinkPart>& shares = map.emplace_back();
      for (const auto& [part, places] : partition.of(link)) {
        const auto [known, added] = number.emplace(part, static_cast<std::uint32_t>(links_.size()));
        if (added) links_.push_back(link_at(model, link.kind, places, of_kind[link.kind]++));
        shares.push_back({known->second, static_cast<double>(places.size()) / static_cast<double>(link.places.size())});
      }
    }
  }
}

}  // namespace tributary
