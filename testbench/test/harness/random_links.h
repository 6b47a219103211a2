#pragma once
/// Random multigraphs of links that connect all ranks.

#include <random>

#include "platforms/topology/allocation.h"

/// Returns a random tree of links and about as many further links, each with a capacity of 1 to `most`.
inline tributary::topology::Allocation random_links(std::mt19937& random, int ranks, int most) {
  tributary::topology::Allocation a;
  const auto n = static_cast<std::size_t>(ranks);
  for (int i = 0; i < ranks; ++i) a.gpus.push_back(i);
  a.links.assign(n, std::vector<int>(n, 0));
  const auto join = [&](std::size_t x, std::size_t y) {
    if (x != y) a.links[x][y] = a.links[y][x] = 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (std::size_t i = 1; i < n; ++i) join(i, random() % i);
  for (std::size_t i = 0; i < n; ++i) join(random() % n, random() % n);
  return a;
}
