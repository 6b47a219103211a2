#include "platforms/cluster/nic_choice.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

namespace tributary {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();  // bounds nothing

double rate_of(const topology::PcieLink& link) {
  const auto rate = static_cast<double>(topology::pcie_rate(link));
  return rate > 0 ? rate : unknown;
}

double rate_of(const std::vector<topology::PcieLink>& links, std::size_t device) {
  return device < links.size() ? rate_of(links[device]) : unknown;
}

double known(double rate) { return rate == unknown ? 0 : rate; }

double least(const std::vector<topology::PcieLink>& links) {
  double rate = unknown;
  for (const topology::PcieLink& link : links) rate = std::min(rate, rate_of(link));
  return known(rate);
}

/// PCIe between the devices of a server. Sockets are connected with each other.
class PcieTree {
 public:
  explicit PcieTree(const topology::Server& server) : server_(server) {}

  /// Returns the number of links between two PCIe nodes.
  int links(int a, int b) const {
    int count = 0;
    for (; a != b; ++count) {  // parents have lower numbers than their children
      int& lower = a > b ? a : b;
      lower = node(lower).parent;
    }
    return count;
  }
  /// Returns true if no PCIe switch is above both nodes.
  bool through_socket(int a, int b) const {
    while (a != b) (a > b ? a : b) = node(std::max(a, b)).parent;
    return a < 0 || node(a).parent < 0;
  }
  /// Returns the rate from a GPU to some NICs together.
  double rate(std::size_t gpu, const std::vector<int>& nics) const {
    return std::min(rate_of(server_.gpu_up, gpu), around(server_.gpu_on[gpu], none, nics));
  }

 private:
  static constexpr int none = -1;
  const topology::PcieNode& node(int number) const { return server_.pcie.at(static_cast<std::size_t>(number)); }

  /// Returns the rate from a node to the NICs below it, but for those below the child `except`.
  double below(int at, int except, const std::vector<int>& nics) const {
    double sum = 0;
    for (const int nic : nics)
      if (server_.nic_on[static_cast<std::size_t>(nic)] == at) sum += rate_of(server_.nic_up, static_cast<std::size_t>(nic));
    for (int child = at + 1; child < static_cast<int>(server_.pcie.size()); ++child)
      if (child != except && node(child).parent == at) sum += std::min(rate_of(node(child).up), below(child, none, nics));
    return sum;
  }
  /// Returns the rate from a node to all NICs but those below the child `except`.
  double around(int at, int except, const std::vector<int>& nics) const {
    const double own = below(at, except, nics);
    if (node(at).parent >= 0) return own + std::min(rate_of(node(at).up), around(node(at).parent, at, nics));
    double others = 0;
    for (int socket = 0; socket < static_cast<int>(server_.pcie.size()); ++socket)
      if (socket != at && node(socket).parent < 0) others += below(socket, none, nics);
    const auto between = static_cast<double>(node(at).to_sockets);
    return own + (between > 0 ? std::min(between, others) : others);
  }

  const topology::Server& server_;
};

/// Returns the most frequent known rate, of several the highest; 0: no rate is known.
std::uint64_t usual_rate(const std::vector<std::uint64_t>& rates) {
  std::map<std::uint64_t, int> count;
  for (const std::uint64_t rate : rates)
    if (rate > 0) ++count[rate];
  std::uint64_t usual = 0;
  int most = 0;
  for (const auto& [rate, nics] : count)
    if (nics >= most) usual = rate, most = nics;
  return usual;
}

/// Assignment of NICs, in numbers of the server.
class Assignment {
 public:
  Assignment(const topology::Server& server, std::vector<int> nics)
      : server_(server), tree_(server), nics_(std::move(nics)), of_gpu_(server.gpu_on.size()) {
    for (std::size_t g = 0; g < of_gpu_.size(); ++g) choose(g);
    join();
  }

  /// NICs of a GPU; the first one is its own.
  const std::vector<std::vector<int>>& of_gpu() const { return of_gpu_; }
  double rate() const {
    double rate = unknown;
    for (std::size_t g = 0; g < of_gpu_.size(); ++g) rate = std::min(rate, tree_.rate(g, of_gpu_[g]));
    return known(rate);
  }
  std::size_t through_sockets() const {
    std::size_t count = 0;
    for (std::size_t g = 0; g < of_gpu_.size(); ++g)
      count += tree_.through_socket(server_.gpu_on[g], place(of_gpu_[g].front()));
    return count;
  }
  std::size_t used() const {
    std::size_t count = users_.size();
    for (const std::vector<int>& nics : of_gpu_) count += nics.size() - 1;
    return count;
  }

 private:
  int place(int nic) const { return server_.nic_on[static_cast<std::size_t>(nic)]; }
  int links(std::size_t gpu, int nic) const { return tree_.links(server_.gpu_on[gpu], place(nic)); }
  int users(int nic) const {
    const auto found = users_.find(nic);
    return found == users_.end() ? 0 : found->second;
  }

  void choose(std::size_t gpu) {
    const auto better = [&](int a, int b) {
      return std::tuple(links(gpu, a), users(a), a) < std::tuple(links(gpu, b), users(b), b);
    };
    const int nic = *std::min_element(nics_.begin(), nics_.end(), better);
    ++users_[nic];
    of_gpu_[gpu].push_back(nic);
  }

  /// Gives each NIC without a GPU to a GPU whose own NIC is as near, and leaves all GPUs equally many.
  void join() {
    for (const int nic : nics_) {
      std::vector<int>* best = nullptr;
      for (std::size_t g = 0; users(nic) == 0 && g < of_gpu_.size(); ++g) {
        const int own = of_gpu_[g].front();
        const bool near = users(own) == 1 && links(g, nic) == links(g, own);
        if (near && (best == nullptr || of_gpu_[g].size() < best->size())) best = &of_gpu_[g];
      }
      if (best != nullptr) best->push_back(nic);
    }
    std::size_t each = nics_.size();
    for (const std::vector<int>& nics : of_gpu_) each = std::min(each, nics.size());
    for (std::vector<int>& nics : of_gpu_) nics.resize(each);
  }

  const topology::Server& server_;
  PcieTree tree_;
  std::vector<int> nics_;
  std::vector<std::vector<int>> of_gpu_;
  std::map<int, int> users_;  ///< GPUs by NIC
};

/// Numbers the NICs that GPUs use in the order of the server.
void number_nics(const Assignment& assigned, NicChoice& choice) {
  std::map<int, int> number;
  for (const std::vector<int>& nics : assigned.of_gpu()) number[nics.front()] = 0;
  for (auto& [nic, place] : number) place = choice.nics++;
  for (const std::vector<int>& nics : assigned.of_gpu()) choice.nic_of.push_back(number[nics.front()]);
  choice.joined = static_cast<int>(assigned.of_gpu().front().size());
}

void note_joined(NicChoice& choice) {
  if (choice.joined > 1)
    choice.notes.push_back(std::to_string(choice.joined) + " NICs of a GPU are one NIC of their rates together");
}

}  // namespace

NicChoice choose_nics(const topology::Server& server) {
  NicChoice choice;
  choice.gpu_link = least(server.gpu_up), choice.nic_link = least(server.nic_up);
  const std::uint64_t rate = usual_rate(server.nic_rate);
  choice.nic_rate = static_cast<double>(rate);
  std::vector<int> usable;
  for (std::size_t n = 0; n < server.nic_on.size(); ++n)
    if (rate == 0 || server.nic_rate[n] == rate) usable.push_back(static_cast<int>(n));
  if (usable.empty()) return choice;
  const Assignment assigned(server, usable);
  number_nics(assigned, choice);
  choice.pcie_rate = assigned.rate();
  note_joined(choice);
  if (const std::size_t others = server.nic_on.size() - usable.size(); others > 0)
    choice.notes.push_back("unused NICs of other rates: " + std::to_string(others));
  if (const std::size_t far = usable.size() - assigned.used(); far > 0)
    choice.notes.push_back("unused NICs farther from the GPUs: " + std::to_string(far));
  if (const std::size_t gpus = assigned.through_sockets(); gpus > 0)
    choice.notes.push_back("the path of " + std::to_string(gpus) + (gpus == 1 ? " GPU to its NIC" : " GPUs to their NICs") +
                           " crosses a socket, which has the rate of the PCIe links");
  return choice;
}

NicChoice divide_nics(const NicChoice& own, int gpus, int nics) {
  if (gpus % nics != 0 && nics % gpus != 0)
    throw std::invalid_argument("cluster.nics=" + std::to_string(nics) + " cannot be divided among " + std::to_string(gpus) +
                                " GPUs (legal: a divisor or a multiple)");
  NicChoice choice;
  choice.nic_rate = own.nic_rate, choice.gpu_link = own.gpu_link, choice.nic_link = own.nic_link;
  choice.nics = std::min(nics, gpus), choice.joined = nics / choice.nics;
  for (int g = 0; g < gpus; ++g) choice.nic_of.push_back(g * choice.nics / gpus);
  choice.pcie_rate = own.gpu_link;
  if (const double joined = choice.joined * own.nic_link; joined > 0)
    choice.pcie_rate = own.gpu_link > 0 ? std::min(own.gpu_link, joined) : joined;
  note_joined(choice);
  return choice;
}

}  // namespace tributary
