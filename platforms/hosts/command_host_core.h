#pragma once
/// CommandHostCore: carries out the commands of a software schedule over RDMA. Each chunk that it sends is a WRITE whose
/// immediate is the number of the command that waits for it.

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/host_agent.h"
#include "modules/nic/core/command_engine.h"
#include "platforms/hosts/host_commands.h"

namespace tributary {

/// Chunks are added one after another, each in the time in which the host's processor reads it.
///
/// A command that sends ends when its WRITE is posted, so later commands need not wait for the ACK. The NIC reads the memory
/// again when it retransmits. A command whose chunk is overwritten before a message of another host proves its arrival is
/// therefore marked in the program, and ends with the completion. A queue pair accepts the next WRITE while fewer than
/// `in_flight` of its bytes are unacknowledged.
///
/// Programs may follow one another. A chunk for a program that has not begun here is in memory, and its arrival is noted
/// until that program begins. ACKs for an earlier program make room for the next one.
class CommandHostCore : public HostAgent, private CommandListener, private ReductionPort {
 public:
  struct Config {
    Bandwidth rate = 150_GBps;         ///< rate at which chunks are added
    std::uint64_t in_flight = 262144;  ///< unacknowledged bytes of a queue pair below which the next WRITE is posted
  };
  CommandHostCore(const Config& config, Verbs& nic) : rate_(config.rate), in_flight_(config.in_flight), nic_(nic) {}

  /// Sets the memory in which data are added; null: only time is simulated.
  void set_memory(std::byte* memory) { memory_ = memory; }
  /// Throws std::logic_error while another program is running.
  void post(HostCommands program, Tick t0);
  /// Both are called with exact times, ahead of the kernel's time.
  void on_end(std::function<void(Tick)> done, std::function<void(Tick, const std::string&)> failed) {
    done_ = std::move(done), failed_ = std::move(failed);
  }

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;
  Tick run_until(Tick horizon) override { return engine_.run_until(horizon); }
  Tick next() const override { return engine_.next(); }
  std::vector<std::string> waiting() const override;
  void reset() override;
  HostAdditions additions() const { return additions_; }
  void describe(ProbeDirectory& directory, const std::string& prefix) override { engine_.describe(directory, prefix); }

 private:
  /// Arrival of a chunk for a program that has not begun.
  struct Early {
    std::uint16_t program, command;
  };
  /// Identifies a command in requests and immediate data.
  std::uint32_t label(std::uint32_t command) const { return std::uint32_t{number_} << 16 | command; }
  static std::uint16_t program_of(std::uint64_t label) { return static_cast<std::uint16_t>(label >> 16); }
  static std::uint16_t command_of(std::uint64_t label) { return static_cast<std::uint16_t>(label); }
  bool ends_with_ack(std::uint32_t command) const { return !acknowledged_.empty() && acknowledged_.at(command); }
  // CommandListener
  void add(const NicCommand& command) override;
  void send(std::uint32_t command, std::uint64_t address, std::uint32_t bytes, const NicTarget& to, Tick now) override;
  bool room(const NicTarget& to) const override {
    const auto sent = unacknowledged_.find(pairs_.at(to.nic));
    return sent == unacknowledged_.end() || sent->second.bytes < in_flight_;
  }
  void commands_done(Tick when) override;
  // ReductionPort
  Tick add(Tick now, std::uint64_t elements, std::uint64_t chunk, ReductionListener& listener) override;
  Tick idle_at() const override { return idle_at_; }

  Bandwidth rate_;
  std::uint64_t in_flight_;
  Verbs& nic_;
  ChunkSums sums_;
  CommandEngine engine_{static_cast<CommandListener&>(*this), static_cast<ReductionPort&>(*this), sums_};
  std::map<std::uint16_t, unsigned> pairs_;
  std::vector<bool> acknowledged_;  // by command; empty: none
  /// Unacknowledged requests of a queue pair, which are acknowledged in order.
  struct Unacknowledged {
    std::uint64_t bytes = 0;
    RingQueue<std::uint32_t> each;
  };
  std::map<unsigned, Unacknowledged> unacknowledged_;  // by queue pair
  std::vector<Early> early_;
  std::uint16_t number_ = 0;
  bool running_ = false;
  std::set<std::uint16_t> local_peers_;
  bool adds_local_ = false;  // the chunk that is added now is from the same host
  ElementType type_ = ElementType::f32;
  HostAdditions additions_;
  ReduceOp op_ = ReduceOp::sum;
  std::byte* memory_ = nullptr;
  Tick idle_at_ = 0;
  std::function<void(Tick)> done_;
  std::function<void(Tick, const std::string&)> failed_;
};

}  // namespace tributary
