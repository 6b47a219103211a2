#include "platforms/topology/dgx1.h"

namespace tributary::topology {
namespace {

struct Pair {
  std::size_t a, b;
  int links_v;  ///< NVLinks in the DGX-1V; the DGX-1P has one
};

/// GPUs 0 to 3 and 4 to 7 are the quads.
constexpr Pair pairs[] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {1, 2, 2}, {1, 3, 1}, {2, 3, 2}, {4, 5, 1}, {4, 6, 1},
                          {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}, {0, 4, 2}, {1, 5, 2}, {2, 6, 1}, {3, 7, 1}};

Server dgx1(const char* name, bool volta) {
  Server s;
  s.name = name;
  s.links.assign(8, std::vector<int>(8, 0));
  for (const Pair& p : pairs) s.links[p.a][p.b] = s.links[p.b][p.a] = volta ? p.links_v : 1;
  s.pcie = {{-1}, {-1}, {0}, {0}, {1}, {1}};
  s.gpu_on = {2, 2, 3, 3, 4, 4, 5, 5};
  s.nic_on = {2, 3, 4, 5};
  return s;
}

}  // namespace

Server dgx1p() { return dgx1("dgx1p", false); }
Server dgx1v() { return dgx1("dgx1v", true); }

}  // namespace tributary::topology
