#include "platforms/topology/files/anynet.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

#include "platforms/topology/files/plain_text.h"
#include "platforms/topology/files/topology_text.h"
#include "platforms/topology/route_cycles.h"

namespace tributary::topology {
namespace {

constexpr int most_number = 1023, most_cycles = 1'000'000, most_ports = 64, most_ordered_switches = 3;

std::string lower(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

constexpr const char *router_word = "router", *node_word = "node";
bool is_head(const std::string& word) { return word == router_word || word == node_word; }

struct Device {
  bool router = false;
  int number = 0;
  bool operator<(const Device& o) const { return std::pair(router, number) < std::pair(o.router, o.number); }
  std::string text() const { return (router ? "router " : "node ") + std::to_string(number); }
};

/// One direction of the links of a pair: their latency in cycles, if a line gave it.
struct Told {
  std::optional<int> cycles;
  std::size_t line = 0;
};

class Reader {
 public:
  Reader(const PlainText& plain, const std::string& path) : text_(plain.text, path), path_(path), warnings_(plain.notes) {
    std::istringstream lines(text_.text());
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) read(line, number);
    check_nodes();
    build();
    warn_all();
  }

  Anynet result() { return {std::move(network_), std::move(cycles_), std::move(warnings_)}; }

 private:
  void read(std::string line, std::size_t number) {
    if (const std::size_t comment = std::min(line.find("//"), line.find('#')); comment != std::string::npos)
      line.resize(comment), comments_ = true;
    tabs_ |= line.find('\t') != std::string::npos;
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(lower(word)), capitals_ |= words.back() != word;
    std::size_t at = 0;
    if (words.empty()) return;
    const Device head = device(words, at, number);
    seen(head, number);
    std::map<Device, int> named;
    while (at < words.size()) {
      const Device other = device(words, at, number);
      seen(other, number);
      if (head.router && other.router) count(head, other, ++named[other]);
      std::optional<int> cycles;
      if (at < words.size() && !is_head(words[at])) {
        const int given = decimal(words[at], 0, most_cycles);
        if (given < 1)
          text_.fail(number, "latency " + quoted(words[at]) + " (legal: 1 to " + std::to_string(most_cycles) + " cycles)");
        cycles = given;
        ++at;
      }
      join(head, other, cycles, number);
    }
  }

  Device device(const std::vector<std::string>& words, std::size_t& at, std::size_t line) const {
    const std::string& kind = words[at++];
    if (!is_head(kind)) text_.fail(line, quoted(kind) + " (legal: router or node, and its number)");
    const int number = at < words.size() ? decimal(words[at], 0, most_number) : -1;
    if (number < 0)
      text_.fail(line, kind + " " + (at < words.size() ? quoted(words[at]) : "without a number") + " (legal: 0 to " +
                           std::to_string(most_number) + ")");
    ++at;
    return {kind == router_word, number};
  }
  void seen(const Device& d, std::size_t line) { (d.router ? routers_ : nodes_).emplace(d.number, line); }

  void join(const Device& a, const Device& b, std::optional<int> cycles, std::size_t line) {
    if (!a.router && !b.router) text_.fail(line, a.text() + " with " + b.text() + " (legal: a node with its router)");
    if (a.router && b.router && a.number == b.number) text_.fail(line, a.text() + " with itself (legal: another router)");
    tell(a, b, cycles, line);
    const bool both_directions = !a.router || !b.router;
    tell(b, a, both_directions ? cycles : std::nullopt, line);
    late_node_ |= a.router && !b.router && cycles;
    if (a.router == b.router) return;
    const int node = a.router ? b.number : a.number, router = a.router ? a.number : b.number;
    const auto [known, first] = router_of_.emplace(node, router);
    if (!first && known->second != router)
      text_.fail(line, "node " + std::to_string(node) + " at router " + std::to_string(router) + ", and at router " +
                           std::to_string(known->second) + " (legal: one)");
  }
  /// Two routers have as many links as a line of one of them names the other; the line of the other may repeat them.
  void count(const Device& a, const Device& b, int links) {
    for (const auto& ends : {std::pair(a, b), std::pair(b, a)}) {
      int& most = parallel_.try_emplace(ends, 1).first->second;
      most = std::max(most, links);
    }
  }
  int links_between(const Device& a, const Device& b) const {
    const auto found = parallel_.find({a, b});
    return found == parallel_.end() ? 1 : found->second;
  }
  void tell(const Device& from, const Device& to, std::optional<int> cycles, std::size_t line) {
    Told& told = links_[{from, to}];
    if (cycles && told.cycles && *cycles != *told.cycles)
      text_.fail(line, "latency " + std::to_string(*cycles) + " from " + from.text() + " to " + to.text() + ", which line " +
                           std::to_string(told.line) + " gives " + std::to_string(*told.cycles) + " (legal: one)");
    if (cycles) told = {cycles, line};
  }

  void check_nodes() const {
    if (nodes_.size() < 2)
      text_.fail(1, std::to_string(nodes_.size()) + " nodes (legal: 2 to " + std::to_string(most_number + 1) + ")");
    int next = 0;
    for (const auto& [node, line] : nodes_) {
      if (node != next++)
        text_.fail(line, "node " + std::to_string(node) + ", but no node " + std::to_string(next - 1) +
                             " (legal: nodes from 0 without a gap)");
      if (router_of_.count(node) == 0) text_.fail(line, "node " + std::to_string(node) + " at no router (legal: one)");
    }
  }

  void build() {
    std::map<Device, std::vector<Device>> peers;  // in order: nodes, then routers
    for (const auto& [ends, told] : links_) {
      std::vector<Device>& all = peers[ends.first];
      all.insert(all.end(), static_cast<std::size_t>(links_between(ends.first, ends.second)), ends.second);
    }
    Graph& graph = network_.graph;
    std::map<Device, int> number;
    for (const auto& [node, line] : nodes_) {
      number[{false, node}] = static_cast<int>(number.size());
      graph.add_node({NodeKind::nic, "nic" + std::to_string(node), 1, 0, -1, node});
    }
    int index = 0;
    for (const auto& [router, line] : routers_) {
      const std::size_t ports = peers[{true, router}].size();
      if (ports > most_ports)
        text_.fail(line, "router " + std::to_string(router) + " has " + std::to_string(ports) + " links (legal: up to " +
                             std::to_string(most_ports) + ")");
      number[{true, router}] = static_cast<int>(number.size());
      graph.add_node({NodeKind::switch_node, "router" + std::to_string(router), static_cast<int>(ports), 0, 0, index++});
    }
    const auto port = [&](const Device& from, const Device& to) {
      const std::vector<Device>& all = peers[from];
      const auto same = [&](const Device& d) { return d.router == to.router && d.number == to.number; };
      return PortRef{number.at(from), static_cast<int>(std::find_if(all.begin(), all.end(), same) - all.begin())};
    };
    for (const Node& node : graph.nodes()) cycles_.emplace_back(static_cast<std::size_t>(node.ports), 1);
    for (const auto& [ends, told] : links_) {
      const PortRef from = port(ends.first, ends.second), back = port(ends.second, ends.first);
      for (int link = 0; link < links_between(ends.first, ends.second); ++link) {
        cycles_[static_cast<std::size_t>(from.node)][static_cast<std::size_t>(from.port + link)] = told.cycles.value_or(1);
        if (ends.first < ends.second) graph.connect({from.node, from.port + link}, {back.node, back.port + link});
      }
    }
    network_.name = "file:" + path_;
    network_.ring.resize(nodes_.size());
    std::iota(network_.ring.begin(), network_.ring.end(), 0);
    check_routes();
  }

  /// Two router-to-router links of a path use virtual channels 0 and 1 in this order, which avoids cyclic waiting. A
  /// router message has no more virtual channels, so longer paths go up and down a tree of the routers if links could wait
  /// for each other in a cycle.
  void check_routes() {
    const Routes routes(network_.graph);
    for (int to = 1; to < network_.size(); ++to)
      if (routes.next_hops(0, to).empty())
        text_.fail(nodes_.at(to), "node 0 and node " + std::to_string(to) + " are not connected (legal: one network)");
    const RouteSurvey survey = survey_routes(network_);
    network_.ordered_hops = !survey.circle.empty() && survey.most_switches <= most_ordered_switches;
    if (survey.circle.empty() || network_.ordered_hops) return;
    network_.up_down = std::make_shared<const UpDown>(network_.graph);
  }

  void warn_all() {
    if (late_node_)
      warnings_.push_back(
          "a latency after a node holds in both directions, as BookSim's README says; its own parser takes it for that of a "
          "link of routers");
    if (std::any_of(parallel_.begin(), parallel_.end(), [](const auto& row) { return row.second > 1; }))
      warnings_.push_back("several links between two routers, which BookSim's own parser takes for one");
    if (comments_) warnings_.push_back("comments, which BookSim does not know");
    if (tabs_) warnings_.push_back("tabs, which BookSim does not know");
    if (capitals_) warnings_.push_back("capital letters, which BookSim does not know");
  }

  TopologyText text_;
  std::string path_;
  std::map<int, std::size_t> nodes_, routers_;  // line of the first mention
  std::map<int, int> router_of_;                // by node
  std::map<std::pair<Device, Device>, Told> links_;
  std::map<std::pair<Device, Device>, int> parallel_;  // links of each pair of routers, in both orders
  Network network_{};
  std::vector<std::vector<int>> cycles_;  // [node][port]
  std::vector<std::string> warnings_;
  bool comments_ = false, tabs_ = false, capitals_ = false, late_node_ = false;
};

}  // namespace

bool is_anynet(const std::string& text) {
  std::istringstream lines(text.substr(0, 65'536));
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min({line.size(), line.find("//"), line.find('#')}));
    std::istringstream words(line);
    std::string first;
    if (words >> first) return is_head(lower(first));
  }
  return false;
}

std::vector<std::vector<int>> link_cycles(const PlatformDescription& network) {
  return network.file_network() != nullptr ? network.file_network()->cycles : std::vector<std::vector<int>>{};
}

Anynet read_anynet(const std::string& bytes, const std::string& path) { return Reader(plain_text(bytes), path).result(); }

}  // namespace tributary::topology
