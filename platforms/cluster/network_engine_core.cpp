#include "platforms/cluster/network_engine_core.h"

#include <algorithm>
#include <utility>

namespace tributary {

NetworkEngineCore::NetworkEngineCore(EngineSeat seat, const Config& config, PacketPool& pool, PcieEnd::Port& port)
    : seat_(seat),
      end_(seat, config.framing, pool, port),
      tasks_(config.tasks, end_, static_cast<RailTasks::Listener&>(*this)) {
  end_.listen_to_others(tasks_);
}

void NetworkEngineCore::receive(Packet* packet, Tick tail) {
  end_.receive(packet, tail);
  arm();
}

bool NetworkEngineCore::load(const GpuProgram& program) {
  tasks_.load(program);
  return false;
}

/// Its first event may be a packet that has arrived, or an event of a task.
void NetworkEngineCore::arm() { seat_.call(EngineTimer::before_issue, std::min(end_.next(), tasks_.next())); }

void NetworkEngineCore::run(Tick now, EngineTimer) {
  end_.run(now);
  tasks_.run_until(now);
  count_additions();
  arm();
}

void NetworkEngineCore::task_ready(std::uint32_t task, Tick now) {
  const DeviceTask& what = seat_.task(task);
  seat_.task_begun(task, now);
  if (what.multiprocessors != 0) seat_.operations_take(taken_ += what.multiprocessors, now);
  tasks_.ready(task, what, now);
  arm();
}

void NetworkEngineCore::network_ended(std::uint32_t task, Tick now) {
  const DeviceTask& what = seat_.task(task);
  if (what.multiprocessors != 0) seat_.operations_take(taken_ -= what.multiprocessors, now);
  seat_.task_ended(task, now);
}

/// Each addition reads two operands and writes their sum.
void NetworkEngineCore::count_additions() {
  const HostAdditions& all = tasks_.additions();
  const std::uint64_t bytes = all.bytes - counted_.bytes, elements = all.elements - counted_.elements;
  if (bytes != 0) seat_.count_kernel(2 * bytes, bytes, elements);
  counted_ = all;
}

std::vector<std::string> NetworkEngineCore::waiting() const {
  std::vector<std::string> lines = tasks_.waiting();
  for (std::string& line : end_.waiting()) lines.push_back(std::move(line));
  for (std::string& line : lines) line = "network: " + line;
  return lines;
}

void NetworkEngineCore::reset() {
  end_.reset();
  tasks_.reset();
  counted_ = {};
  taken_ = 0;
}

void NetworkEngineCore::describe(ProbeDirectory& directory, const std::string& name) {
  tasks_.describe(directory, name + ".");
}

void NetworkEngineCore::count(std::map<std::string, double>& counters) const {
  const PcieEnd::Counts& c = end_.counts();
  counters["pcie.posts"] += static_cast<double>(c.posts);
  counters["pcie.notices"] += static_cast<double>(c.notices);
  counters["pcie.read_bytes"] += static_cast<double>(c.read_bytes);
  counters["pcie.written_bytes"] += static_cast<double>(c.written_bytes);
}

}  // namespace tributary
