#pragma once
/// RailTasks: carries out the network tasks of a GPU: WRITEs, waits, rings of NetReduce, software schedules.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/gpu/core/gpu_program.h"
#include "modules/netreduce/core/flow_control_core.h"
#include "platforms/cluster/rail_work.h"
#include "platforms/hosts/command_host_core.h"

namespace tributary {

/// Any number of tasks may be in progress. The reports of a queue pair go to the ring that has it, to a task that waits for
/// it, or to the schedule whose number they carry. What arrives before its task begins is noted.
class RailTasks final : public VerbsListener, private FlowControlListener {
 public:
  struct Config {
    HostFlowParams flow{};
    unsigned mtu = 4096;  ///< payload bytes of a packet
    CommandHostCore::Config commands{};
  };
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void network_ended(std::uint32_t task, Tick now) = 0;
    virtual void network_failed(Tick now, const std::string& why) = 0;
  };
  RailTasks(const Config& config, Verbs& nic, Listener& listener);
  RailTasks(const RailTasks&) = delete;
  RailTasks& operator=(const RailTasks&) = delete;

  void set_memory(std::byte* memory);
  /// Throws std::invalid_argument if work is missing or not RailWork, or if numbers of schedules are not unique.
  void load(const GpuProgram& program);
  void ready(std::uint32_t task, const DeviceTask& what, Tick now);
  Tick run_until(Tick horizon);
  Tick next() const;

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;

  /// Returns what the schedules have added since the last reset.
  const HostAdditions& additions() const { return additions_; }
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

 private:
  /// Arrivals with one immediate at a queue pair, and the tasks that wait for them, in order.
  struct Waits {
    unsigned arrived = 0;
    std::deque<std::uint32_t> tasks = {};
  };
  /// Plans of a ring that have not begun, by first message, and the tasks of all that have not ended.
  struct Rail {
    std::optional<std::uint32_t> next_message = {};
    bool begun = false;
    std::map<std::uint32_t, const RingPlan*> pending = {};
    std::map<std::uint32_t, std::uint32_t> tasks = {};
  };
  struct Schedule {
    std::unique_ptr<CommandHostCore> core = {};
    std::optional<std::uint32_t> task = {};
    HostAdditions counted = {};  // additions of the core that are counted
  };
  struct Ended {
    Tick when;
    std::uint32_t task;
  };
  using Place = std::pair<std::uint32_t, std::uint32_t>;            // queue pair, immediate
  static constexpr std::uint64_t of_task = std::uint64_t{1} << 63;  // in the id of a WRITE: the rest is its task

  void add(const RailWork& work);
  void begin_plans(Rail& rail, Tick now);
  /// Returns the schedule of that number, which has an event to come.
  Schedule& schedule(std::uint16_t number);
  void run_schedules(Tick now);
  /// Ends a task in the next run, as tasks that wait for it may begin then.
  void end(std::uint32_t task, Tick now) { ended_.push(now, task); }
  // FlowControlListener
  void flow_done(Tick) override {}
  void flow_failed(Tick when, const std::string& why) override { listener_.network_failed(when, why); }
  void job_done(std::uint16_t ring, std::uint32_t first_message, Tick when) override;

  Config config_;
  Verbs& nic_;
  Listener& listener_;
  std::byte* memory_ = nullptr;
  FlowControlCore flow_;
  std::vector<const RailWork*> works_;           // in the program
  std::set<unsigned> ring_pairs_;                // queue pairs of rings, also of earlier programs
  std::map<std::uint16_t, Rail> rails_;          // by ring
  std::map<Place, Waits> waits_;                 // in the program
  std::map<std::uint16_t, Schedule> schedules_;  // by number
  std::map<std::uint16_t, Schedule*> active_;    // those with events to come
  HostAdditions additions_;
  RingQueue<Ended> ended_;
  unsigned writes_ = 0;  // WRITEs of tasks that are not acknowledged
};

}  // namespace tributary
