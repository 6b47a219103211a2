#include "testbench/family/cluster/flows/even_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tributary {
namespace {

using Groups = std::vector<std::size_t>;
using AllLinks = std::vector<std::vector<ClusterLink>>;

/// Groups of a set at a place, and the class of all of them, if it is one.
struct Users {
  std::size_t groups = 0;
  std::optional<std::size_t> of_class;
};
using UsersOfPlaces = std::map<std::pair<LinkKind, std::uint32_t>, Users>;

UsersOfPlaces users_of(const AllLinks& links, const Groups& groups) {
  UsersOfPlaces users;
  for (const std::size_t g : groups)
    for (std::size_t c = 0; c < links[g].size(); ++c)
      for (const std::uint32_t place : links[g][c].places) {
        Users& u = users[{links[g][c].kind, place}];
        if (u.groups++ == 0)
          u.of_class = c;
        else if (u.of_class != c)
          u.of_class.reset();
      }
  return users;
}

/// Returns the number of groups at each link of each class; nothing if they are not equally many, or of unlike classes.
std::optional<std::vector<std::size_t>> key_of(const std::vector<ClusterLink>& links, const UsersOfPlaces& users) {
  std::vector<std::size_t> key;
  for (const ClusterLink& link : links) {
    key.push_back(users.at({link.kind, link.places.front()}).groups);
    for (const std::uint32_t place : link.places) {
      const Users& u = users.at({link.kind, place});
      if (!u.of_class || u.groups != key.back()) return std::nullopt;
    }
  }
  return key;
}

void divide(const AllLinks& links, const Groups& groups, std::vector<Groups>& sets) {
  const UsersOfPlaces users = users_of(links, groups);
  std::map<std::vector<std::size_t>, Groups> by_key;
  for (const std::size_t g : groups) {
    if (const auto key = key_of(links[g], users))
      by_key[*key].push_back(g);
    else
      sets.push_back({g});
  }
  for (const auto& [key, alike] : by_key) {
    if (alike.size() == groups.size())
      sets.push_back(alike);
    else
      divide(links, alike, sets);
  }
}

}  // namespace

std::vector<Groups> even_groups(const AllLinks& links) {
  Groups all;
  for (std::size_t g = 0; g < links.size(); ++g) all.push_back(g);
  std::vector<Groups> sets;
  divide(links, all, sets);
  std::sort(sets.begin(), sets.end());
  return sets;
}

}  // namespace tributary
