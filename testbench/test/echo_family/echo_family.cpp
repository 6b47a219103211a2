#include "testbench/test/echo_family/echo_family.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "testbench/run/driver.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/tuning.h"
#include "testbench/test/echo_family/echo_platform.h"

namespace tributary {
namespace {

/// Finds the fastest payload: halves it while that is faster, then keeps the best.
struct PayloadTuner {
  unsigned payload = 0, best = 0;
  Tick best_time = never;

  void measured(Tick time) {
    const bool faster = time < best_time;
    if (faster) best = payload, best_time = time;
    payload = faster ? std::max(payload / 2, 4U) : best;
  }
};

/// A barrier, described at EchoDevice; `adaptive` tries other payloads from one iteration to the next.
class EchoDriver : public Driver, DriverTuning {
 public:
  EchoDriver(const RunSpec& spec, const EchoParams& params, CompletionListener& listener)
      : params_(params),
        platform_(spec.platform.name().c_str(), {params, spec.data != DataMode::none, spec.mode == SimulationMode::windowed},
                  listener) {}

  EchoPlatform& platform() override { return platform_; }
  std::uint64_t memory_bytes(const JobSpec& job, Bytes) override { return job.ranks.size() * block_bytes; }
  void post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) override {
    for (std::size_t r = 0; r < job.ranks.size(); ++r)
      platform_.device(static_cast<unsigned>(job.ranks[r])).post(payload(job, message), start(r));
  }
  DriverFacets facets() override {
    DriverFacets facets;
    facets.tuning = this;
    return facets;
  }
  Tick command_latency() const override { return EchoPlatform::command_latency(params_.link); }
  /// The time of its packet and of the echo of the peer's, in sequence.
  double bound(const JobSpec&, Bytes message) override {
    const double wire = 2.0 * NvLink::flits_for(static_cast<unsigned>(message.value)) * NvLink::flit_bytes;
    return static_cast<double>(message.value) / wire * static_cast<double>(params_.link.rate.value) * 1e-9;
  }

 private:
  std::vector<Choice> choices(const JobSpec& job, Bytes message) const override {
    if (job.algorithm != "adaptive") return {};
    const unsigned chosen = payload(job, message);
    return {{"payload", static_cast<double>(chosen), to_string(Bytes{chosen})}};
  }
  void measured(const JobSpec& job, const ResultRow& row) override {
    if (job.algorithm != "adaptive") return;
    const auto message = static_cast<unsigned>(row.size_bytes);
    tuners_.try_emplace(message, PayloadTuner{message}).first->second.measured(row.time);
  }
  unsigned payload(const JobSpec& job, Bytes message) const {
    const auto tuner = tuners_.find(message.value);
    return job.algorithm == "echo" || tuner == tuners_.end() ? static_cast<unsigned>(message.value) : tuner->second.payload;
  }

  EchoParams params_;
  EchoPlatform platform_;
  std::map<std::uint64_t, PayloadTuner> tuners_;  ///< by size
};

class EchoFamily : public Family {
 public:
  std::string name() const override { return "echo"; }
  EndpointWords endpoint_of(const topology::PlatformDescription&) const override {
    return {"echo", "echo", "echoes", "platforms of two that echo"};
  }
  std::vector<PlatformForm> platforms() const override {
    return {{"echo_pair", "2", "two devices that echo each other's packets"}};
  }
  PlatformName platform(const topology::PlatformDescription& platform) const override {
    if (platform.name() != "echo_pair")
      throw std::invalid_argument("platform echo_pair takes no arguments (legal: echo_pair)");
    return {platform.name(), "", 2, 2};
  }
  topology::Graph graph(const topology::PlatformDescription&) const override { return echo_pair(); }
  std::vector<Algorithm> algorithms() const override {
    return {{"barrier", "echo", "each sends a packet, and waits for its echo"},
            {"barrier", "adaptive", "the same, with less payload in each iteration while that is faster"}};
  }
  std::unique_ptr<FamilyParameters> parameters() const override { return std::make_unique<ParametersOf<EchoParams>>(); }
  void resolve(const RunSpec& spec, RunParameters& params) const override {
    for (const JobSpec& job : spec.jobs)
      if (job.ranks.size() != 2) throw SetupError("an echo of " + std::to_string(job.ranks.size()) + " ranks; legal: 2");
    EchoParams& p = params.of<EchoParams>();
    if (!p.link.replay_buffer) p.link.replay_buffer = 0_B;
  }
  std::unique_ptr<Driver> make(const RunSpec& spec, const RunParameters& params,
                               CompletionListener& listener) const override {
    return std::make_unique<EchoDriver>(spec, params.of<EchoParams>(), listener);
  }
  ObservedProbes observed() const override {
    ObservedProbes observed;
    observed.arrivals = {"*.delivered"};
    observed.counters = {{"*.echoes", "echo.echoes"}};
    return observed;
  }
};

}  // namespace

const Family& echo_family() {
  static const EchoFamily family;
  return family;
}

}  // namespace tributary
