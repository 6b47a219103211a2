/// Packed trees, and hybrids over NVLinks and PCIe, as plans of a BlinkDriver.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "modules/base/index.h"
#include "modules/base/text_format.h"
#include "platforms/topology/nvlink_islands.h"
#include "testbench/codegen/reading_copies.h"
#include "testbench/family/blink/algorithm.h"
#include "testbench/family/blink/chunk_sizes.h"
#include "testbench/family/blink/hybrid_rates.h"
#include "testbench/family/blink/job_trees.h"
#include "testbench/family/blink/predicted_chunk.h"

namespace tributary {
namespace {

const TreeAlgorithm& algorithm_of(const JobSpec& job) { return tree_algorithm(job.collective, job.algorithm); }

std::uint32_t most_streams(const std::vector<StreamProgram>& programs) {
  std::uint32_t most = 0;
  for (const StreamProgram& program : programs) most = std::max(most, program.streams);
  return most;
}

class BlinkTrees : public BlinkAlgorithm {
 public:
  BlinkTrees(const BlinkPlatform& platform, const BlinkParams& params, bool iterates,
             std::shared_ptr<collective::KeptTrees> kept)
      : BlinkAlgorithm(platform, params),
        kept_(kept != nullptr ? std::move(kept) : std::make_shared<collective::KeptTrees>()),
        chunks_(
            params.codegen.chunk, iterates
                                      ? ChunkSizes::Prediction{}
                                      : [this](const JobSpec& job, Bytes message) { return predicted_chunk(job, message); }),
        iterates_(iterates),
        measure_rates_(iterates && params.codegen.hybrid.measure) {}

  std::uint64_t memory_bytes(const JobSpec& job, Bytes message) override;
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const override;
  void measured(const JobSpec& job, const ResultRow& row, Tick start) override;
  void add_bottlenecks(const JobSpec& job, const CopyUse& use, BottleneckAccount& account) const override {
    add_stream_limits(platform().params(), job, use, account);
  }
  bool predicts_chunks() const override { return !iterates_ && chunks_.automatic(); }

 private:
  PlanKey plan_key(const JobSpec& job, Bytes message) override;
  StreamPlan make_plan(const JobSpec& job, const PlanKey& key) override;
  std::uint64_t pcie_bytes(const JobSpec& job, Bytes message) const override;

  const JobTrees& trees(const JobSpec& job);
  /// Returns the rates of a hybrid that measures them; null for any other job.
  HybridRates* rates(const JobSpec& job, Bytes message);
  /// A hybrid that measures its rates keeps one chunk size: else its parts would end at different times for two reasons.
  bool chooses_chunk(const JobSpec& job) const {
    return chunks_.automatic() && !(measure_rates_ && algorithm_of(job).hybrid);
  }
  /// Returns the size for the trees of the job, which are made.
  Bytes predicted_chunk(const JobSpec& job, Bytes message) const;
  std::vector<StreamTree> trees_on_paths(const JobSpec& job, Bytes message);
  StreamPlan plan_over(const std::vector<StreamTree>& trees, const JobSpec& job, Bytes message);
  /// Returns the most streams of a GPU, with those of copies that read.
  std::uint32_t streams_needed(const StreamPlan& plan, const JobSpec& job) const;
  /// Returns the time from `start` until the last flit over links of the kind to the job's GPUs has left; 0 without a flit.
  Tick last_flit(const JobSpec& job, topology::ServerLink kind, Tick start) const;

  std::shared_ptr<collective::KeptTrees> kept_;
  ChunkSizes chunks_;
  bool iterates_, measure_rates_;
  mutable std::map<MessageKey, Bytes> predicted_;
  std::map<JobKey, JobTrees> trees_;
  std::map<MessageKey, HybridRates> rates_;
};

const JobTrees& BlinkTrees::trees(const JobSpec& job) {
  const JobKey key(job);
  if (const auto known = trees_.find(key); known != trees_.end()) return known->second;
  return trees_.emplace(key, trees_of(algorithm_of(job), job, platform().wires(), params().codegen, *kept_)).first->second;
}

HybridRates* BlinkTrees::rates(const JobSpec& job, Bytes message) {
  if (!measure_rates_ || !algorithm_of(job).hybrid || !trees(job).splits()) return nullptr;
  const Time peer_switch = params().platform.gpu.host.peer_switch * job.ranks.size();
  return &rates_.try_emplace({job, message}, message, peer_switch).first->second;
}

BlinkAlgorithm::PlanKey BlinkTrees::plan_key(const JobSpec& job, Bytes message) {
  const HybridRates* measured = rates(job, message);
  trees(job);
  return {message, chunks_.chunk(job, message), measured == nullptr ? 0 : measured->split().pcie_bytes};
}

Bytes BlinkTrees::predicted_chunk(const JobSpec& job, Bytes message) const {
  const MessageKey key(job, message);
  if (const auto known = predicted_.find(key); known != predicted_.end()) return known->second;
  const TreeAlgorithm& algorithm = algorithm_of(job);
  const JobTrees& all = trees_.at(JobKey(job));
  const auto trees = on_routes(all, algorithm, job, message, platform().wires(), params().codegen);
  const bool reads = params().codegen.copies == CopyDirection::read;
  const Bytes chunk = tributary::predicted_chunk(trees, algorithm, job, message, all, platform().wires(),
                                                 reads ? std::optional<Time>(request_time()) : std::nullopt);
  return predicted_.emplace(key, chunk).first->second;
}

StreamPlan BlinkTrees::make_plan(const JobSpec& job, const PlanKey& key) {
  return plan_over(trees_on_paths(job, key.message), job, key.message);
}

StreamPlan BlinkTrees::plan_over(const std::vector<StreamTree>& made, const JobSpec& job, Bytes message) {
  const topology::ServerGraph& servers = platform().servers();
  const JobTrees& all = trees(job);
  const TreeAlgorithm& algorithm = algorithm_of(job);
  StreamOptions how = options(chunks_.chunk(job, message));
  const bool alone = servers.servers() == 1;
  how.island_of = all.islands;
  how.staggered = servers.switched() && all.splits() &&
                  topology::links_to_switches(servers.server())[at(servers.local(job.ranks.front()))] > 0;
  how.from_roots = all.from_roots;
  if (!alone)
    for (const int gpu : job.ranks) how.server_of.push_back(servers.server_of(gpu));
  StreamPlan plan = plan_streams(job, message, made, algorithm.use, how);
  if (params().codegen.stream_reuse || how.reuse || streams_needed(plan, job) <= how.queues) return plan;
  how.reuse = true;  // streams that share a hardware queue wait for each other
  return plan_streams(job, message, made, algorithm.use, how);
}

std::uint32_t BlinkTrees::streams_needed(const StreamPlan& plan, const JobSpec& job) const {
  if (params().codegen.copies == CopyDirection::write) return most_streams(plan.programs);
  constexpr unsigned any_queues = ~0U;
  return most_streams(reading_copies(plan.programs, job.ranks, any_queues));
}

std::vector<StreamTree> BlinkTrees::trees_on_paths(const JobSpec& job, Bytes message) {
  const JobTrees& all = trees(job);
  const HybridRates* measured = rates(job, message);
  if (measured == nullptr) return on_routes(all, algorithm_of(job), job, message, platform().wires(), params().codegen);
  return stream_trees(collective::hybrid_trees(measured->split(), all.nvlink, all.pcie));
}

std::uint64_t BlinkTrees::memory_bytes(const JobSpec& job, Bytes message) {
  if (rates(job, message) == nullptr) return BlinkAlgorithm::memory_bytes(job, message);
  // The mailboxes of a tree are in proportion to its share of the message. Hence no split between NVLinks and PCIe needs
  // more memory than the larger of the two plans that move the whole message over one of them, except that shares are
  // rounded to whole blocks.
  constexpr std::uint64_t rounding = 64 * 1024;
  const JobTrees& all = trees(job);
  return rounding + std::max(most_memory(plan_over(on_path(all.nvlink, CopyPath::nvlink), job, message)),
                             most_memory(plan_over(on_path(all.pcie, CopyPath::pcie), job, message)));
}

std::vector<Choice> BlinkTrees::choices(const JobSpec& job, Bytes message) const {
  if (const auto known = rates_.find({job, message}); known != rates_.end()) {
    const HybridRates& rates = known->second;
    const std::uint64_t on_pcie = rates.split().pcie_bytes;
    return {{"pcie_bytes", static_cast<double>(on_pcie), to_string(bytes(on_pcie))},
            {"nvlink_GBps", rates.nvlink(), fixed(rates.nvlink(), 2)},
            {"pcie_GBps", rates.pcie(), fixed(rates.pcie(), 2)}};
  }
  std::vector<Choice> all = BlinkAlgorithm::choices(job, message);
  if (chooses_chunk(job)) all.insert(all.begin(), chunks_.choice(job, message));
  return all;
}

std::uint64_t BlinkTrees::pcie_bytes(const JobSpec& job, Bytes message) const {
  const JobTrees& all = trees_.at(JobKey(job));
  return split_of(all, algorithm_of(job), job, message, platform().wires(), params().codegen.hybrid).pcie_bytes;
}

void BlinkTrees::measured(const JobSpec& job, const ResultRow& row, Tick start) {
  using topology::ServerLink;
  if (HybridRates* both = rates(job, bytes(row.size_bytes)))
    both->measured(last_flit(job, ServerLink::nvlink, start), last_flit(job, ServerLink::pcie, start));
  if (iterates_ && chooses_chunk(job)) chunks_.measured(job, row);
}

Tick BlinkTrees::last_flit(const JobSpec& job, topology::ServerLink kind, Tick start) const {
  Tick last = 0;
  const std::vector<topology::Link>& links = platform().graph().links();
  for (std::size_t i = 0; i < 2 * links.size(); ++i) {  // each link in both directions
    if (platform().servers().kind(i / 2) != kind) continue;
    const int to = (i % 2 == 0 ? links[i / 2].b : links[i / 2].a).node;
    if (std::find(job.ranks.begin(), job.ranks.end(), to) == job.ranks.end()) continue;
    const LinkMeter& link = *platform().links()[i].transmitter;
    if (link.traffic().packets > 0)
      last = std::max(last, link.traffic().last_start + link.time_of(link.traffic().last_bytes));
  }
  return last > start ? last - start : 0;
}

}  // namespace

std::unique_ptr<BlinkAlgorithm> make_tree_algorithm(const BlinkPlatform& platform, const BlinkParams& params, bool iterates,
                                                    std::shared_ptr<collective::KeptTrees> kept) {
  return std::make_unique<BlinkTrees>(platform, params, iterates, std::move(kept));
}

}  // namespace tributary
