#include "testbench/family/netreduce/server_job.h"

#include <algorithm>

#include "testbench/family/netreduce/lowering.h"

namespace tributary {
namespace {

constexpr std::uint64_t most_slices = 16384;  // commands have numbers of 16 bits, and a slice has two commands

}  // namespace

ServerJob::ServerJob(const JobSpec& job, Bytes message, const NetReducePlatformParams& params)
    : message_(message.value),
      servers_(params.parameter_server.servers),
      window_(params.flow_control.messages.window),
      mtu_(static_cast<unsigned>(params.nic.mtu.value)),
      workers_(job.ranks.size()),
      type_(job.type),
      op_(job.op) {
  const std::uint64_t unit = std::uint64_t{params.flow_control.messages.message_packets} * mtu_;
  slice_bytes_ = unit * std::max<std::uint64_t>(1, (message_ + unit * most_slices - 1) / (unit * most_slices));
}

std::uint32_t ServerJob::bytes(std::uint64_t slice) const {
  return static_cast<std::uint32_t>(std::min(slice_bytes_, message_ - slice * slice_bytes_));
}

std::uint64_t ServerJob::wire_bytes(unsigned server) const {
  std::uint64_t sum = 0;
  for (std::uint64_t i = server; i < slices(); i += servers_) sum += write_wire_bytes(bytes(i), mtu_);
  return sum;
}

ServerPlan ServerJob::server(unsigned server) const {
  ServerPlan plan;
  plan.workers.resize(workers_);
  plan.buffers = 2 * window_;
  plan.buffer_bytes = slice_bytes_;
  plan.type = type_;
  plan.op = op_;
  for (std::uint64_t i = server; i < slices(); i += servers_)
    plan.slices.push_back({i * slice_bytes_, bytes(i), static_cast<std::uint16_t>(2 * i + 1)});
  return plan;
}

HostCommands ServerJob::worker(std::size_t rank, const std::vector<std::uint16_t>& ends,
                               const std::map<std::uint16_t, unsigned>& pairs) const {
  std::vector<ServerPlan> plans;
  for (unsigned s = 0; s < servers_; ++s) plans.push_back(server(s));
  HostCommands program;
  program.type = type_;
  program.op = op_;
  program.pairs = pairs;
  for (std::uint64_t i = 0; i < slices(); ++i) {
    NicCommand send, take;
    const std::uint64_t index = i / servers_, before = std::uint64_t{window_} * servers_;
    send.chunk = send.from = take.chunk = take.from = i * slice_bytes_;
    send.bytes = take.bytes = bytes(i);
    send.send = NicTarget{ends[i % servers_], static_cast<std::uint16_t>(index), plans[i % servers_].buffer(rank, index)};
    if (i >= before) send.after = {static_cast<std::uint32_t>(2 * (i - before) + 1)};
    take.receives = true;
    program.commands.push_back(std::move(send));
    program.commands.push_back(std::move(take));
  }
  return program;
}

std::vector<int> server_hosts(const topology::Racks& machine, const NetReducePlatformParams& params) {
  std::vector<int> hosts;
  for (int h = machine.all_hosts() - static_cast<int>(params.parameter_server.servers); h < machine.all_hosts(); ++h)
    hosts.push_back(h);
  return hosts;
}

}  // namespace tributary
