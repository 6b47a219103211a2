#pragma once
/// FlowControlCore: a host's part in NetReduce: messages, their window, and the addresses of results (Liu et al., 3.1 and
/// 3.2).

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/base/probe.h"
#include "modules/ethernet/core/host_agent.h"
#include "modules/netreduce/core/chunker.h"
#include "modules/netreduce/core/message_window.h"
#include "modules/netreduce/core/ring_pattern.h"
#include "modules/netreduce/flow_control_params.h"

namespace tributary {

/// Work of a host on one ring: it sends to its successor, and receives results from its predecessor. Addresses are in the
/// host's memory, except `remote_buffers`.
struct RingPlan {
  std::uint16_t ring = 0, rank = 0;
  unsigned send_pair = 0;           ///< queue pair to the successor
  unsigned receive_pair = 0;        ///< queue pair from the predecessor
  std::uint32_t first_message = 0;  ///< MsgIDs continue through all jobs of a ring
  std::uint64_t operand = 0, bytes = 0;
  std::uint64_t result = 0;           ///< equals the operand's if that is overwritten
  std::uint64_t receive_buffers = 0;  ///< buffers of 2N messages
  std::uint64_t remote_buffers = 0;   ///< receive buffers of the successor; of packets that are sent one by one, its result
  std::uint64_t staging = 0;          ///< buffers of 2N messages, if messages are sent from copies
  RingPattern pattern = {};     ///< the pattern of collectives other than the all-reduce; its messages are numbered from 0
  unsigned ack_interval = 256;  ///< packets of a message between requests for an ACK, if they are sent one by one
};

/// Returns the bytes of 2N messages.
constexpr std::uint64_t message_buffers(const MessageFlowParams& p, unsigned mtu) {
  return std::uint64_t{2} * p.window * p.message_packets * mtu;
}

class FlowControlListener {
 public:
  virtual ~FlowControlListener() = default;
  /// All results are in memory at `when`.
  virtual void flow_done(Tick when) = 0;
  /// All results of the job of a ring that begins with that message are in memory.
  virtual void job_done(std::uint16_t /*ring*/, std::uint32_t /*first_message*/, Tick /*when*/) {}
  virtual void flow_failed(Tick when, const std::string& why) = 0;
};

/// Message i is posted when the result of message i - N is in memory and the turnaround of the host's software has passed.
/// Message m is received in buffer m mod 2N. The predecessor posts m + 2N after this host has posted m + N, and so after it
/// has received m.
class FlowControlCore : public HostAgent {
 public:
  /// `mtu`: payload bytes of a packet.
  FlowControlCore(const HostFlowParams& params, unsigned mtu, Verbs& nic, FlowControlListener& listener)
      : params_(params), mtu_(mtu), nic_(nic), listener_(listener) {}

  /// Sets the memory in which data are moved; null: only time is simulated.
  void set_memory(std::byte* memory) { memory_ = memory; }
  /// Starts a job over these rings at `t0`. A ring that an earlier job had continues: the first message follows the last
  /// one, and buffers and queue pairs are the same; its late ACKs and turnarounds do not matter. Throws std::logic_error
  /// while results of another job are missing, or if a ring does not continue. Calls the listener with the exact time, ahead
  /// of the kernel's time.
  void post(const std::vector<RingPlan>& rings, Tick t0);
  /// As post() for one ring, which may have jobs whose results are missing: its messages follow theirs in the same window.
  /// Returns the number of the first message of its next job.
  std::uint32_t append(const RingPlan& plan, Tick t0);

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;

  Tick run_until(Tick horizon) override;
  Tick next() const override { return events_.empty() ? never : events_.front().when; }
  /// True if all results are in place and all messages are acknowledged.
  bool idle() const;

  /// Returns lines such as `ring0.window: message 7 waits for result 5`.
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  enum class What : std::uint8_t { start, arrived, free, completed };
  struct Event {
    Tick when;
    std::uint32_t ring, message;
    What what;
  };
  struct Job {
    RingPlan plan;
    Chunker chunker;
    std::uint32_t messages;
    std::uint32_t moved = 0;  // results at their final address
    bool has(std::uint32_t message) const { return message - plan.first_message < messages; }
  };
  struct Ring {
    Ring(const RingPlan& p, unsigned n) : plan{p}, window(n), next_message(p.first_message) {}
    RingPlan plan;         // latest job
    std::deque<Job> jobs;  // those whose results are incomplete, in order
    /// The last job that has as many results as messages. By some rules of release a result is repeated, and another one
    /// follows the end of its job.
    std::optional<Job> complete;
    MessageWindow window;
    std::uint32_t next_message;     // first message of the next job
    std::uint32_t outstanding = 0;  // unacknowledged messages
    bool begun = false;             // has had a job
  };
  /// Returns the job of a message of a ring.
  static Job& job_of(Ring& ring, std::uint32_t message);
  void later(Tick when, std::uint32_t ring, std::uint32_t message, What what);
  void post_messages(std::uint32_t ring, Tick now);
  void post_message(const Job& job, std::uint32_t message, Tick now);
  void post_packets(const Job& job, std::uint32_t message, Tick now);
  std::uint64_t staged(const RingPlan& plan, std::uint64_t buffer, const WriteRequest& request);
  void move_result(Ring& ring, std::uint32_t message, Tick now);
  std::uint64_t buffer(std::uint32_t message, const Chunker& c) const {
    return std::uint64_t{message % (2 * params_.messages.window)} * c.message_bytes();
  }
  std::uint32_t find(unsigned queue_pair, bool sends) const;

  HostFlowParams params_;
  unsigned mtu_;
  Verbs& nic_;
  FlowControlListener& listener_;
  std::byte* memory_ = nullptr;
  std::deque<Ring> rings_;   // rings cannot be moved
  std::size_t left_ = 0;     // jobs whose results are incomplete
  RingQueue<Event> events_;  // in order of time
  SignalProbe posted_, received_, blocked_;
};

}  // namespace tributary
