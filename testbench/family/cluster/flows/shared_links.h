#pragma once
/// SharedLinks: classes of links of a graph, for transfers whose classes have some links in common.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "testbench/family/cluster/flows/cluster_link.h"

namespace tributary {

/// A link of a graph, and its share of the links of a class.
struct LinkPart {
  std::uint32_t link = 0;
  double share = 1;
};
/// The links of a graph that are a class of links; by class.
using LinkMap = std::vector<std::vector<LinkPart>>;

/// Divides the classes of links of several transfers into the largest classes whose links all belong to the same classes of
/// the same transfers. So links that several transfers share are counted once, and apart from those that one has alone.
class SharedLinks {
 public:
  /// `transfers`: the classes of each transfer, those of one transfer without common links.
  SharedLinks(const ClusterModel& model, const std::vector<const std::vector<ClusterLink>*>& transfers);

  const std::vector<ClusterLink>& links() const { return links_; }
  /// Returns numbers in links().
  const LinkMap& of(std::size_t transfer) const { return of_.at(transfer); }

 private:
  std::vector<ClusterLink> links_;
  std::vector<LinkMap> of_;
};

}  // namespace tributary
