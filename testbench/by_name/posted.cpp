#include "testbench/by_name/posted.h"

#include "modules/link/link_protocol.h"
#include "testbench/by_name/rounds/machine_rounds.h"

namespace tributary {
namespace {

std::string name_of(const Posting& posting) { return posting.job.collective + " by " + posting.job.algorithm; }

bool is_done(const Posting& posting) { return posting.state == Posting::State::done && kernel_now() >= posting.end; }

const Posting& ended(const Posting& posting) {
  if (!is_done(posting)) throw std::logic_error(name_of(posting) + " has not ended");
  return posting;
}

/// Checks that the memories of the ranks hold the result.
const Posting& stored(const Posting& posting) {
  ended(posting);
  if (!posting.results && posting.machine == nullptr) throw std::logic_error(name_of(posting) + " has lost its machine");
  if (!posting.results && posting.machine->spec().data == DataMode::none)
    throw std::logic_error(name_of(posting) + " has no data (SimulatedMachine::set_data)");
  return posting;
}

}  // namespace

const std::string& Posted::collective() const { return posting_->job.collective; }
const std::string& Posted::algorithm() const { return posting_->job.algorithm; }
std::size_t Posted::ranks() const { return posting_->job.ranks.size(); }
bool Posted::done() const { return is_done(*posting_); }

Tick Posted::start() const {
  if (posting_->state == Posting::State::waits) throw std::logic_error(name_of(*posting_) + " has not started");
  return posting_->start;
}

Tick Posted::end() const { return ended(*posting_).end; }
Tick Posted::end_of(int rank) const { return ended(*posting_).end_of.at(static_cast<std::size_t>(rank)); }

double Posted::algbw_GBps() const {
  return static_cast<double>(posting_->message.value) * 1e3 / static_cast<double>(time());
}

const sc_core::sc_event& Posted::finished() const { return posting_->finished; }

std::uint64_t Posted::wrong() const {
  const Posting& posting = stored(*posting_);
  if (!posting.wrong) posting_->wrong = posting.machine->count_wrong(posting);
  return *posting.wrong;
}

std::vector<std::byte> Posted::result(int rank) const {
  const Posting& posting = stored(*posting_);
  const auto own = static_cast<std::size_t>(rank);
  return posting.results ? posting.results->at(own) : posting.machine->results(posting).at(own);
}

void Posted::check_element(std::size_t bytes) const {
  const std::size_t own = element_size(posting_->job.type);
  if (bytes != own)
    throw std::logic_error(name_of(*posting_) + " has elements of " + std::to_string(own) + " B, not of " +
                           std::to_string(bytes) + " B");
}

std::string Posted::error() const {
  const Posting& posting = *posting_;
  if (!posting.failure.empty()) return name_of(posting) + ": " + posting.failure;
  if (posting.state == Posting::State::waits) return name_of(posting) + " has not started";
  if (!is_done(posting)) {
    const std::vector<std::string> waiting =
        posting.machine != nullptr ? posting.machine->waiting() : std::vector<std::string>{};
    return name_of(posting) + " has not ended" + (waiting.empty() ? "" : "; " + waiting.front());
  }
  const bool has_data = posting.results || (posting.machine != nullptr && posting.machine->spec().data != DataMode::none);
  if (!has_data) return "";
  const std::uint64_t wrong = this->wrong();
  return wrong == 0 ? "" : name_of(posting) + " has " + std::to_string(wrong) + " wrong elements";
}

}  // namespace tributary
