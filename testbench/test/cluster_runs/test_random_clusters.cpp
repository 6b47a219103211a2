/// Both modes must simulate the same events on random clusters, with right results, within the bound.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "testbench/collective/staged/staged_schedule.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_random_clusters {
namespace {

/// The i-th cluster of a reproducible random series, and a collective between some of its servers.
class RandomCluster {
 public:
  explicit RandomCluster(std::uint64_t i) : i_(i) {}

  RunSpec spec() {
    server_ = choose({"h100", "a100", "dgx2", "b200"});
    gpus_ = server_ == "dgx2" ? 16 : 8;
    servers_ = 2 + static_cast<int>(below(3));
    fabric_ = choose({"rails", "rails", "rail_leaf_spine", "leaf_spine", "switch"});
    const std::vector<int> ranks = group();
    const collective::StagedAlgorithm algorithm = this->algorithm();
    RunSpec s = collective_spec(algorithm.collective, algorithm.name, ranks, {}, settings());
    s.platform = "cluster:" + std::to_string(servers_) + "x" + server_;
    JobSpec& job = s.jobs.front();
    job.type = type(algorithm);
    job.root = algorithm.collective == "broadcast" ? static_cast<int>(below(ranks.size())) : 0;
    const std::uint64_t element = element_size(job.type);
    job.items = {{"", bytes(element * (1 + below(below(3) == 0 ? 64 : 200'000 / element)))}};
    s.data = below(4) == 0 ? DataMode::random : DataMode::exact;
    s.seed = 1 + below(1000);
    return s;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return tributary::below(random_at(2031, i_, draw_++), n); }
  std::string choose(const std::vector<std::string>& from) { return from[below(from.size())]; }

  /// Returns equal GPUs of at least two servers that follow one another. Two GPUs of a DGX-2 share a NIC: both are in the
  /// group, or none.
  std::vector<int> group() {
    const int count = 2 + static_cast<int>(below(static_cast<std::uint64_t>(servers_ - 1)));
    const int first = static_cast<int>(below(static_cast<std::uint64_t>(servers_ - count + 1)));
    std::vector<int> places;
    whole_ = below(2) == 0;
    const std::uint64_t share = 1 + below(6);
    const int at_nic = gpus_ / 8;
    for (int nic = 0; nic < 8; ++nic)
      if (whole_ || below(8) < share || (nic == 7 && places.empty()))
        for (int g = nic * at_nic; g < (nic + 1) * at_nic; ++g) places.push_back(g);
    each_ = places.size();
    std::vector<int> ranks;
    for (int s = first; s < first + count; ++s)
      for (const int g : places) ranks.push_back(s * gpus_ + g);
    return ranks;
  }
  /// Switches of A100 do not add. A flat ring needs three rails in turn, or a network that joins the rails.
  collective::StagedAlgorithm algorithm() {
    const auto& all = collective::staged_algorithms();
    for (;;) {
      const collective::StagedAlgorithm& a = all[below(all.size())];
      const bool pulls = a.inside == collective::InsideAlgorithm::pull;
      if (pulls && server_ == "a100") continue;
      if (a.flat && fabric_ == "rails" && !whole_ && each_ > 1) continue;
      return a;
    }
  }
  ElementType type(const collective::StagedAlgorithm& algorithm) {
    if (algorithm.between == collective::BetweenAlgorithm::netreduce)
      return below(2) == 0 ? ElementType::f32 : ElementType::i32;
    constexpr ElementType types[] = {ElementType::f32, ElementType::i32, ElementType::f16, ElementType::f64};
    return types[below(4)];
  }
  std::vector<std::string> settings() {
    std::vector<std::string> all{"cluster.fabric=" + fabric_,
                                 choose({"netreduce.link.loss_rate=0", "netreduce.link.loss_rate=0.0001"}),
                                 choose({"cluster.between_window=auto", "cluster.between_window=1"}),
                                 choose({"cluster.chunk=auto", "cluster.chunk=16KiB", "cluster.chunk=64KiB"})};
    if (fabric_ != "rails") all.push_back(choose({"cluster.pxn=true", "cluster.pxn=false"}));
    return all;
  }

  std::uint64_t i_, draw_ = 0;
  std::string server_, fabric_;
  int gpus_ = 0, servers_ = 0;
  std::size_t each_ = 0;
  bool whole_ = false;
};

void check_clusters(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    const RunSpec spec = RandomCluster(i).spec();
    const JobSpec& job = spec.jobs.front();
    INFO("cluster " << i << ": " << spec.platform.name() << ", " << job.collective << " by " << job.algorithm << " of "
                    << job.ranks.size() << " GPUs from " << job.ranks.front() << ", " << job.items.front().size.value
                    << " B");
    try {
      check_modes(spec);
    } catch (const std::exception& error) {
      FAIL_CHECK(error.what());
    }
  }
}

}  // namespace

TEST_CASE("random clusters: both modes agree, are right and within the bound", "[cluster]") { check_clusters(0, 6); }

TEST_CASE("random clusters: 200 of them agree, are right and within the bound", "[.slow][cluster]") {
  const std::uint64_t part = GENERATE(0, 1, 2, 3, 4, 5, 6, 7);
  check_clusters(part * 25, 25);
}

}  // namespace tributary::test_random_clusters
