#include "testbench/by_name/rounds/machine_rounds.h"

// `sc_spawn` has a header of its own, which <systemc> leaves out.
#include <sysc/kernel/sc_spawn.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/link/link_protocol.h"
#include "testbench/by_name/rounds/named_job.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/servers.h"
#include "testbench/run/free_memory.h"
#include "testbench/run/task.h"

namespace tributary {

/// Elaborates the platform at the end of elaboration. A primitive channel does so outside of any module, so the devices have
/// the names that they have in `tributary run`.
class MachineRounds::Builder : public sc_core::sc_prim_channel {
 public:
  explicit Builder(MachineRounds& rounds)
      : sc_prim_channel(sc_core::sc_gen_unique_name("simulated_machine")), rounds_(rounds) {}

 private:
  void before_end_of_elaboration() override {
    rounds_.build();
    rounds_.start_process();
  }

  MachineRounds& rounds_;
};

namespace {

topology::PlatformDescription complete(const std::string& name) {
  const topology::PlatformDescription given(name);
  return family_of(given).platform(given).name;
}

RunSpec spec_of(const std::string& platform) {
  RunSpec spec;
  spec.platform = complete(platform);
  return spec;
}

GivenOperands read_operands(const JobSpec& job, Bytes message, const FillOperand& fill) {
  std::vector<std::vector<std::byte>> messages(job.ranks.size(), std::vector<std::byte>(message.value));
  for (std::size_t r = 0; r < messages.size(); ++r) fill(static_cast<int>(r), messages[r].data(), message.value);
  return {job.type, job.op, std::move(messages)};
}

}  // namespace

MachineRounds::MachineRounds(const std::string& platform)
    : spec_(spec_of(platform)),
      family_(family_of(spec_.platform)),
      completion_(family_.endpoint_of(spec_.platform).device),
      builder_(std::make_unique<Builder>(*this)) {}

MachineRounds::~MachineRounds() {
  keep_results();
  for (const std::shared_ptr<Posting>& posting : round_.postings) posting->machine = nullptr;
  for (const Round& round : waiting_rounds_)
    for (const std::shared_ptr<Posting>& posting : round.postings) posting->machine = nullptr;
}

RunSpec& MachineRounds::settings() {
  if (posted_ || driver_)
    throw std::logic_error("settings of " + spec_.platform.name() + " change after its first collective");
  return spec_;
}

// ---- posting

std::shared_ptr<Posting> MachineRounds::post(const std::string& collective, const std::string& algorithm, Bytes message,
                                             const PostOptions& options) {
  const auto posting = std::make_shared<Posting>();
  posting->job = named_job(spec_, collective, algorithm, message, options);
  posting->message = message;
  posting->asked = options.start;
  posting->alone = options.alone;
  posting->machine = this;
  posting->end_of.resize(posting->job.ranks.size());
  if (options.operands) posting->operands = read_operands(posting->job, message, options.operands);

  const bool joins = !waiting_rounds_.empty() && !excludes(waiting_rounds_.back(), *posting);
  std::vector<std::shared_ptr<Posting>> postings;
  if (joins) postings = waiting_rounds_.back().postings;
  postings.push_back(posting);
  Round round = make_round(spec_, std::move(postings));
  const bool first = !driver_ && waiting_rounds_.size() == (joins ? 1 : 0);  // the machine follows from this round alone
  if (!first) check_same_machine(machine_, round, driver_ != nullptr);
  if (driver_ && at_rest()) {  // else the round is lowered when it begins
    keep_results();
    allocate({&round});
    round.lowered = true;
  }
  posted_ = true;
  if (first) machine_ = Round{{}, spec_, round.params, {}, false};
  machine_.hardware.insert(round.hardware.begin(), round.hardware.end());
  if (joins) waiting_rounds_.pop_back();
  waiting_rounds_.push_back(std::move(round));
  add_last_round();
  return posting;
}

/// Adds the last round to the machine unless it is elaborated, and lets the process begin it.
void MachineRounds::add_last_round() {
  Round& round = waiting_rounds_.back();
  for (std::size_t j = 0; j < round.postings.size(); ++j) round.postings[j]->job = round.spec.jobs[j];  // with fallbacks
  for (const std::string& note : round.spec.notes)
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  if (sc_core::sc_start_of_simulation_invoked()) proceed_.notify(sc_core::SC_ZERO_TIME);
  if (driver_) return;
  machine_.spec.jobs.clear();
  for (const Round& one : waiting_rounds_)
    machine_.spec.jobs.insert(machine_.spec.jobs.end(), one.spec.jobs.begin(), one.spec.jobs.end());
}

// ---- elaboration

void MachineRounds::build() {
  if (driver_) return;
  if (waiting_rounds_.empty()) {
    const auto standard = std::make_shared<Posting>();
    standard->job = default_job(spec_);
    machine_ = make_round(spec_, {standard});
    machine_.postings.clear();
  }
  driver_ = family_.make(machine_.spec, machine_.params, *this);
  memory_.assign(driver_->platform().endpoints(), 0);
  std::vector<const Round*> rounds;
  for (Round& round : waiting_rounds_) rounds.push_back(&round), round.lowered = true;
  allocate(rounds);
}

void MachineRounds::start_process() {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.set_sensitivity(&proceed_);
  sc_core::sc_spawn([this] { proceed(); }, sc_core::sc_gen_unique_name("simulated_machine_rounds"), &options);
}

Platform& MachineRounds::platform() {
  build();
  return driver_->platform();
}

ProbeDirectory& MachineRounds::probes() {
  if (probes_ == nullptr) {
    Platform& system = platform();
    probes_ = std::make_unique<ProbeDirectory>();
    system.describe(*probes_);
  }
  return *probes_;
}

std::vector<std::string> MachineRounds::waiting() const {
  return driver_ ? driver_->platform().waiting() : std::vector<std::string>{};
}

void MachineRounds::allocate(const std::vector<const Round*>& rounds) {
  driver_->clear();
  std::vector<std::uint64_t> most = memory_;
  std::uint64_t beside = 0;
  const DriverServers* const servers = driver_->facets().servers;
  for (const Round* round : rounds) {
    for (const JobSpec& job : round->spec.jobs) {
      const Bytes message = job.items.front().size;
      const std::uint64_t bytes = driver_->memory_bytes(job, message);
      for (const int endpoint : job.ranks) {
        std::uint64_t& own = most.at(static_cast<std::size_t>(endpoint));
        own = std::max(own, bytes);
      }
      if (servers != nullptr) beside = std::max(beside, servers->memory_beside_ranks(job, message));
    }
    driver_->clear();
  }
  if (most == memory_) return;
  const bool data = spec_.data != DataMode::none;
  MemoryNeed need;
  for (std::size_t e = 0; e < most.size(); ++e)
    if (most[e] > memory_[e]) need.add_job(1, most[e], data);
  if (data) need.add_beside_ranks(beside);
  check_memory(need, free_memory());
  memory_ = std::move(most);
  for (unsigned e = 0; e < memory_.size() && data; ++e)
    if (memory_[e] != 0) driver_->platform().resize_memory(e, memory_[e]);
}

// ---- rounds

void MachineRounds::proceed() {
  if (waiting_rounds_.empty() || !completion_.all_done()) return;
  if (at_rest()) return begin_in_time();
  constexpr Tick usual = 1'000'000;  // 1 us
  const Tick quiet = driver_->platform().quiet_from(), now = kernel_now();
  if (quiet > now || sc_core::sc_pending_activity()) proceed_.notify(to_sc_time(quiet > now ? quiet - now : usual));
}

bool MachineRounds::at_rest() const {
  if (rank_of_.empty()) return true;  // no round has begun
  if (!completion_.all_done()) return false;
  const Platform& system = driver_->platform();
  return kernel_now() >= std::max(completion_.last(), system.quiet_from()) && system.waiting().empty() &&
         system.live_packets() == 0;
}

/// Begins the next round when its first command is due: clocks of devices run from then on, as they do in `tributary run`.
void MachineRounds::begin_in_time() {
  Tick start = never;
  for (const std::shared_ptr<Posting>& posting : waiting_rounds_.front().postings)
    start = std::min(start, posting->asked.value);
  const Tick soonest = kernel_now() + driver_->command_latency();
  if (start <= soonest) return begin_round();
  proceed_.notify(to_sc_time(start - soonest));
}

void MachineRounds::begin_round() {
  keep_results();
  round_ = std::move(waiting_rounds_.front());
  waiting_rounds_.pop_front();
  Platform& system = driver_->platform();
  system.reset();
  driver_->clear();
  if (!round_.lowered) allocate({&round_});
  const Tick earliest = kernel_now() + driver_->command_latency();
  Tick t0 = never;
  std::vector<std::vector<int>> endpoints;
  rank_of_.clear();
  for (std::size_t j = 0; j < round_.postings.size(); ++j) {
    const Posting& posting = *round_.postings[j];
    t0 = std::min(t0, std::max(earliest, posting.asked.value));
    endpoints.push_back(posting.job.ranks);
    for (std::size_t r = 0; r < posting.job.ranks.size(); ++r)
      rank_of_[static_cast<unsigned>(posting.job.ranks[r])] = {j, r};
  }
  completion_.expect(endpoints);
  completion_.at_end([this](Tick last) {
    const Tick now = kernel_now();
    if (!waiting_rounds_.empty()) proceed_.notify(to_sc_time(std::max(last, now) - now));
  });
  system.begin(t0);
  for (std::size_t j = 0; j < round_.postings.size(); ++j) begin(*round_.postings[j], j, t0);
}

void MachineRounds::begin(Posting& posting, std::size_t index, Tick t0) {
  const JobSpec& job = posting.job;
  posting.state = Posting::State::runs;
  posting.start = std::max(t0, posting.asked.value);
  if (posting.operands)
    posting.operands->fill(collective_of(job.collective).initial(job, posting.message), memory_of(job));
  else if (spec_.data != DataMode::none)
    fill_buffers(job, posting.message, data_of(round_.spec, job, index), memory_of(job));
  driver_->post(job, posting.message,
                [&](std::size_t r) { return posting.start + job.skew.delay(r, spec_.seed, index, 0).value; });
}

MemoryOfRank MachineRounds::memory_of(const JobSpec& job) {
  return [this, &job](int rank) {
    return driver_->platform().memory_of(static_cast<unsigned>(job.ranks.at(static_cast<std::size_t>(rank))));
  };
}

}  // namespace tributary
