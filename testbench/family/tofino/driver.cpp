#include "testbench/family/tofino/driver.h"

#include <algorithm>

#include "modules/tofino/core/update_header.h"
#include "testbench/family/tofino/algorithms.h"
#include "testbench/family/tofino/bottlenecks.h"

namespace tributary {
namespace {

constexpr std::uint64_t page = 4096;

std::uint64_t result_of(Bytes message) { return (message.value + page - 1) / page * page; }

AggregationScheme scheme_of(const RunSpec& spec) { return tofino_algorithm(spec.jobs.front()).scheme; }

TofinoPlatform::Config config_of(const RunSpec& spec, const TofinoPlatformParams& params) {
  TofinoPlatform::Config c;
  c.params = params;
  c.scheme = scheme_of(spec);
  c.workers = static_cast<unsigned>(spec.jobs.front().ranks.size());
  c.with_data = spec.data != DataMode::none;
  c.windowed = spec.mode == SimulationMode::windowed;
  c.seed = spec.seed;
  c.lanes = spec.lanes();
  for (const std::string& rule : spec.frame_faults) c.faults.push_back(parse_fault_rule(rule));
  return c;
}

}  // namespace

TofinoDriver::TofinoDriver(const RunSpec& spec, const TofinoPlatformParams& params, CompletionListener& listener)
    : params_(params),
      scheme_(TofinoScheme::of(scheme_of(spec), params)),
      system_("tofino", topology::tofino(spec.platform.name(), scheme_of(spec) == AggregationScheme::atp),
              config_of(spec, params), listener),
      bottlenecks_(tofino_bottlenecks(spec, params)) {}

std::uint64_t TofinoDriver::memory_bytes(const JobSpec&, Bytes message) { return 2 * result_of(message); }

void TofinoDriver::post(const JobSpec& job, Bytes message, const std::function<Tick(std::size_t rank)>& start) {
  system_.begin_job(job.ranks);
  TofinoJob of_rank;
  of_rank.workers = static_cast<std::uint16_t>(job.ranks.size());
  of_rank.result = result_of(message);
  of_rank.bytes = message.value;
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    of_rank.rank = static_cast<std::uint16_t>(r);
    system_.worker(static_cast<unsigned>(job.ranks[r])).post(of_rank, start(r));
  }
}

PacketTrail TofinoDriver::trail_of(const PacketView& view) const {
  const UpdateHeader update = read_update(*static_cast<const Packet*>(view.storage));
  return {update.packet, update.job};
}

/// Returns the rate at which a worker's port alone could send its packets, over the wire or through the passes of its
/// pipeline; without packets that only agree on exponents.
double TofinoDriver::bound(const JobSpec& job, Bytes message) {
  const PassScheduler passes(scheme_.passes(static_cast<unsigned>(job.ranks.size()), params_));
  const unsigned payload = scheme_.worker.payload;
  const auto taken = [&](unsigned values) -> std::uint64_t {
    const unsigned bytes = update_header_bytes(scheme_.scheme) + values;
    const FrameKind kind = update_frame_kind(scheme_.scheme);
    return std::max(EthernetFrame::wire_bytes(kind, bytes), EthernetFrame::bytes(kind, bytes) * passes.passes(values));
  };
  const auto rest = static_cast<unsigned>(message.value % payload);
  const std::uint64_t bytes = message.value / payload * taken(payload) + (rest == 0 ? 0 : taken(rest));
  return static_cast<double>(message.value) / static_cast<double>(bytes) * static_cast<double>(params_.link.rate.value) *
         1e-9;
}

std::vector<OperandRange> TofinoDriver::results(const JobSpec& job, Bytes message) const {
  std::vector<OperandRange> ranges = Driver::results(job, message);
  for (OperandRange& range : ranges) range.address += result_of(message);
  return ranges;
}

}  // namespace tributary
