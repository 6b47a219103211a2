#include "platforms/netreduce/machine_agent_core.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tributary {

MachineAgentCore::MachineAgentCore(const Config& c, Verbs& nic) : nic_(nic), links_(c.host, c.gpus), connections_(c.gpus) {
  for (unsigned g = 0; g < c.gpus; ++g)
    gpus_.emplace_back(c.host, c.flow, c.mtu, g, static_cast<HostGpu::Transport&>(*this));
}

void MachineAgentCore::set_memory(std::byte* memory) {
  memory_ = memory;
  for (unsigned g = 0; g < gpus(); ++g) gpus_[g].set_memory(memory == nullptr ? nullptr : memory + g * stride_);
}

unsigned MachineAgentCore::add_connection(unsigned gpu, const GpuConnection& connection) {
  std::vector<GpuConnection>& all = connections_.at(gpu);
  all.push_back(connection);
  return static_cast<unsigned>(all.size() - 1);
}

std::pair<unsigned, unsigned> MachineAgentCore::connect_gpus(unsigned from, unsigned to) {
  const auto at_from = static_cast<unsigned>(connections_.at(from).size());
  const auto at_to = static_cast<unsigned>(connections_.at(to).size());
  add_connection(from, {static_cast<int>(to), at_to, to * stride_});
  add_connection(to, {static_cast<int>(from), at_from, from * stride_});
  return {at_from, at_to};
}

void MachineAgentCore::post(unsigned g, HostProgram program, Tick t0) {
  const std::vector<GpuConnection>& all = connections_.at(g);
  for (unsigned c = 0; c < all.size(); ++c) {
    if (all[c].gpu != GpuConnection::by_nic) continue;
    if (all[c].pair >= owners_.size()) owners_.resize(all[c].pair + 1);
    owners_[all[c].pair] = {static_cast<int>(g), c};
  }
  gpus_.at(g).post({all, std::move(program.before), std::move(program.rings), std::move(program.after)}, t0);
}

MachineAgentCore::Owner MachineAgentCore::owner(unsigned queue_pair) const {
  if (queue_pair >= owners_.size() || owners_[queue_pair].gpu < 0)
    throw std::logic_error("queue pair " + std::to_string(queue_pair) + " belongs to no GPU");
  return owners_[queue_pair];
}

// Only chunks of the first stage and messages of rings arrive over the NIC; a GPU ignores the stage of a ring's message.
void MachineAgentCore::completed(unsigned queue_pair, std::uint64_t id, Tick when) {
  const Owner o = owner(queue_pair);
  gpus_[static_cast<std::size_t>(o.gpu)].completed(o.connection, HostGpu::Stage::before, id, when);
}

void MachineAgentCore::arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) {
  const Owner o = owner(queue_pair);
  gpus_[static_cast<std::size_t>(o.gpu)].arrived(o.connection, HostGpu::Stage::before, immediate, when);
}

void MachineAgentCore::failed(unsigned queue_pair, Tick when, const std::string& why) {
  gpus_[static_cast<std::size_t>(owner(queue_pair).gpu)].failed(when, why);
}

void MachineAgentCore::send(unsigned g, unsigned connection, HostGpu::Stage stage, const WriteRequest& request, Tick when) {
  const GpuConnection& c = gpus_[g].program().connections.at(connection);
  if (c.gpu != GpuConnection::by_nic) return transfer(g, connection, stage, request, when);
  WriteRequest write = request;
  write.local += g * stride_;
  write.remote += c.base;
  nic_.post_write(c.pair, write, when);
}

// Data are copied when the transfer is asked for: schedules are proved for writes that arrive as soon as they are sent, so
// the receiver no longer reads the old data.
void MachineAgentCore::transfer(unsigned g, unsigned connection, HostGpu::Stage stage, const WriteRequest& request,
                                Tick when) {
  const GpuConnection& c = gpus_[g].program().connections[connection];
  const auto to = static_cast<unsigned>(c.gpu);
  if (memory_ != nullptr)
    std::memcpy(memory_ + c.base + request.remote, memory_ + g * stride_ + request.local, request.data_bytes);
  const GpuLinks::Transfer times = links_.send(g, to, request.bytes, when);
  schedule({times.read, g, connection, stage, false, request.id});
  if (request.immediate_valid) schedule({times.arrived, to, c.pair, stage, true, request.immediate});
}

void MachineAgentCore::schedule(const Event& e) {
  events_.insert_sorted([](const Event& a, const Event& b) { return a.when < b.when; }, e.when, e.gpu, e.connection, e.stage,
                        e.arrival, e.value);
}

Tick MachineAgentCore::run_until(Tick horizon) {
  for (Tick now = next(); now <= horizon; now = next()) {
    for (; !events_.empty() && events_.front().when <= now; events_.pop()) {
      const Event e = events_.front();
      if (e.arrival)
        gpus_[e.gpu].arrived(e.connection, e.stage, static_cast<std::uint32_t>(e.value), now);
      else
        gpus_[e.gpu].completed(e.connection, e.stage, e.value, now);
    }
    for (HostGpu& gpu : gpus_) gpu.run_until(now);
  }
  return next();
}

Tick MachineAgentCore::next() const {
  Tick t = events_.empty() ? never : events_.front().when;
  for (const HostGpu& gpu : gpus_) t = std::min(t, gpu.next());
  return t;
}

std::vector<std::string> MachineAgentCore::waiting() const {
  std::vector<std::string> lines;
  for (std::size_t g = 0; g < gpus_.size(); ++g)
    for (const std::string& line : gpus_[g].waiting()) lines.push_back("gpu" + std::to_string(g) + "." + line);
  return lines;
}

void MachineAgentCore::reset() {
  for (HostGpu& gpu : gpus_) gpu.reset();
  links_.reset();
  for (auto& connections : connections_) connections.clear();
  owners_.clear();
  events_.clear();
}

void MachineAgentCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t g = 0; g < gpus_.size(); ++g) gpus_[g].describe(directory, prefix + "gpu" + std::to_string(g) + ".");
}

}  // namespace tributary
