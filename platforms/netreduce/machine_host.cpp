#include "platforms/netreduce/machine_host.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tributary {

MachineHostCore::MachineHostCore(const Config& c, Verbs& nic) : nic_(nic), links_(c.host, c.gpus) {
  for (unsigned g = 0; g < c.gpus; ++g) gpus_.emplace_back(c.host, c.flow, c.mtu, g, static_cast<HostGpu::Ways&>(*this));
}

void MachineHostCore::set_memory(std::byte* memory) {
  memory_ = memory;
  for (unsigned g = 0; g < gpus(); ++g) gpus_[g].set_memory(memory == nullptr ? nullptr : memory + g * stride_);
}

void MachineHostCore::post(unsigned g, HostGpuProgram program, Tick t0) {
  for (unsigned c = 0; c < program.connections.size(); ++c) {
    const GpuConnection& way = program.connections[c];
    if (way.gpu != GpuConnection::by_nic) continue;
    if (way.pair >= owners_.size()) owners_.resize(way.pair + 1);
    owners_[way.pair] = {static_cast<int>(g), c};
  }
  gpus_.at(g).post(std::move(program), t0);
}

MachineHostCore::Owner MachineHostCore::owner(unsigned queue_pair) const {
  if (queue_pair >= owners_.size() || owners_[queue_pair].gpu < 0)
    throw std::logic_error("queue pair " + std::to_string(queue_pair) + " belongs to no GPU");
  return owners_[queue_pair];
}

// Over the NIC come the chunks of the first stage alone, and messages of rings, which know their own.
void MachineHostCore::completed(unsigned queue_pair, std::uint64_t id, Tick when) {
  const Owner o = owner(queue_pair);
  gpus_[static_cast<std::size_t>(o.gpu)].completed(o.connection, HostGpu::Stage::before, id, when);
}

void MachineHostCore::arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) {
  const Owner o = owner(queue_pair);
  gpus_[static_cast<std::size_t>(o.gpu)].arrived(o.connection, HostGpu::Stage::before, immediate, when);
}

void MachineHostCore::failed(unsigned queue_pair, Tick when, const std::string& why) {
  gpus_[static_cast<std::size_t>(owner(queue_pair).gpu)].failed(when, why);
}

void MachineHostCore::send(unsigned g, const GpuConnection& way, HostGpu::Stage stage, const WriteRequest& request,
                           Tick when) {
  if (way.gpu != GpuConnection::by_nic) return transfer(g, way, stage, request, when);
  WriteRequest write = request;
  write.local += g * stride_;
  write.remote += way.base;
  nic_.post_write(way.pair, write, when);
}

// The receiver reads what lies there no more: schedules are proved for writes that come as soon as they are sent.
void MachineHostCore::transfer(unsigned g, const GpuConnection& way, HostGpu::Stage stage, const WriteRequest& request,
                               Tick when) {
  const auto to = static_cast<unsigned>(way.gpu);
  if (memory_ != nullptr)
    std::memcpy(memory_ + way.base + request.remote, memory_ + g * stride_ + request.local, request.data_bytes);
  const GpuLinks::Transfer times = links_.send(g, to, request.bytes, when);
  const auto mine = static_cast<unsigned>(&way - gpus_[g].program().connections.data());
  later({times.read, g, mine, stage, false, request.id});
  if (request.immediate_valid) later({times.arrived, to, way.pair, stage, true, request.immediate});
}

void MachineHostCore::later(const Event& e) {
  events_.insert_sorted([](const Event& a, const Event& b) { return a.when < b.when; }, e.when, e.gpu, e.connection, e.stage,
                        e.arrival, e.value);
}

Tick MachineHostCore::run_until(Tick horizon) {
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

Tick MachineHostCore::next() const {
  Tick t = events_.empty() ? never : events_.front().when;
  for (const HostGpu& gpu : gpus_) t = std::min(t, gpu.next());
  return t;
}

std::vector<std::string> MachineHostCore::waiting() const {
  std::vector<std::string> lines;
  for (std::size_t g = 0; g < gpus_.size(); ++g)
    for (const std::string& line : gpus_[g].waiting()) lines.push_back("gpu" + std::to_string(g) + "." + line);
  return lines;
}

void MachineHostCore::reset() {
  for (HostGpu& gpu : gpus_) gpu.reset();
  links_.reset();
  owners_.clear();
  events_.clear();
}

void MachineHostCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  for (std::size_t g = 0; g < gpus_.size(); ++g) gpus_[g].describe(directory, prefix + "gpu" + std::to_string(g) + ".");
}

MachineHost::MachineHost(const sc_core::sc_module_name& name, const MachineHostCore::Config& config, unsigned first_endpoint,
                         CompletionListener& listener)
    : HostEngineModule(name), core_(config, verbs) {
  for (unsigned g = 0; g < config.gpus; ++g)
    core_.gpu(g).on_end([&listener, first_endpoint, g](Tick when) { listener.done(first_endpoint + g, when); },
                        [&listener, first_endpoint, g, this](Tick when, const std::string& why) {
                          listener.failed(first_endpoint + g, when,
                                          std::string(this->name()) + ".gpu" + std::to_string(g) + ": " + why);
                        });
}

}  // namespace tributary
