#pragma once
/// CommandHost: an engine of a host that carries out the commands of a software schedule over RDMA: each chunk that it sends
/// is a WRITE with the number of the command there that waits for it.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/timing/completion_listener.h"
#include "modules/ethernet/host_engine_module.h"
#include "modules/nic/core/command_engine.h"
#include "platforms/netreduce/host_params.h"

namespace tributary {

/// What a host does for one collective.
struct HostCommands {
  std::vector<NicCommand> commands;              ///< targets are hosts
  std::map<std::uint16_t, unsigned> pairs = {};  ///< queue pair to each host that it sends to
  std::vector<bool> acknowledged = {};           ///< commands that end when their send is acknowledged; empty: none
  std::set<std::uint16_t> beside = {};           ///< what comes from these is added as it comes, in no time of its own
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
};

/// A chunk is added in the time that the host's processor takes to read it; chunks one after another.
///
/// A command that sends ends when its WRITE is posted: those after it need not wait for the ACK. The NIC reads the memory
/// again when it sends again, so a command whose chunk is overwritten before another host's message tells that it has
/// arrived is marked in the program, and ends with the completion. A queue pair takes the next WRITE while less than
/// `in_flight` bytes of it are not acknowledged.
class CommandHostCore : public HostEngine, private CommandListener, private ReductionPort {
 public:
  CommandHostCore(const HostParams& params, Verbs& nic)
      : rate_(params.reduction_rate), in_flight_(params.in_flight.value), nic_(nic) {}

  /// Data are added there; null: time alone.
  void set_memory(std::byte* memory) { memory_ = memory; }
  void post(HostCommands program, Tick t0);
  /// Both are called with exact times, ahead of the kernel's.
  void on_end(std::function<void(Tick)> done, std::function<void(Tick, const std::string&)> failed) {
    done_ = std::move(done), failed_ = std::move(failed);
  }

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;
  Tick run_until(Tick horizon) override { return engine_.run_until(horizon); }
  Tick next() const override { return engine_.next(); }
  std::vector<std::string> waiting() const override { return engine_.waiting(); }
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override { engine_.describe(directory, prefix); }

 private:
  bool ends_with_ack(std::uint32_t command) const { return !acknowledged_.empty() && acknowledged_.at(command); }
  // CommandListener
  void add(const NicCommand& command) override;
  void send(std::uint32_t command, std::uint64_t address, std::uint32_t bytes, const NicTarget& to, Tick now) override;
  bool room(const NicTarget& to) const override {
    const auto sent = unacknowledged_.find(pairs_.at(to.nic));
    return sent == unacknowledged_.end() || sent->second < in_flight_;
  }
  void commands_done(Tick when) override { done_(when); }
  // ReductionPort
  Tick add(Tick now, std::uint64_t elements) override;
  Tick idle_at() const override { return idle_at_; }

  Bandwidth rate_;
  std::uint64_t in_flight_;
  Verbs& nic_;
  ChunkSums sums_;
  CommandEngine engine_{static_cast<CommandListener&>(*this), static_cast<ReductionPort&>(*this), sums_};
  std::map<std::uint16_t, unsigned> pairs_;
  std::vector<bool> acknowledged_;                    // by command; empty: none
  std::map<unsigned, std::uint64_t> unacknowledged_;  // bytes, by queue pair
  std::vector<std::uint32_t> bytes_;                  // by command
  std::set<std::uint16_t> beside_;
  bool adds_along_ = false;  // what is added now
  ElementType type_ = ElementType::f32;
  ReduceOp op_ = ReduceOp::sum;
  std::byte* memory_ = nullptr;
  Tick idle_at_ = 0;
  std::function<void(Tick)> done_;
  std::function<void(Tick, const std::string&)> failed_;
};

/// Rules: CommandHostCore. Part of a host, which calls it for its events.
class CommandHost : public HostEngineModule {
 public:
  /// `endpoint`: of the host, as `listener` knows it.
  CommandHost(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint,
              CompletionListener& listener);

  HostEngine& engine() override { return core_; }
  void set_memory(std::byte* memory) override { core_.set_memory(memory); }
  /// Begins at exactly `t0`.
  void post(HostCommands program, Tick t0) { core_.post(std::move(program), t0), wake(t0); }

 private:
  CommandHostCore core_;
};

}  // namespace tributary
