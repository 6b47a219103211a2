#include "platforms/netreduce/step_agent_core.h"

#include <algorithm>
#include <utility>

#include "platforms/netreduce/command_config.h"

namespace tributary {

StepAgentCore::StepAgentCore(const Config& config, Verbs& nic)
    : step_(static_cast<StepListener&>(*this), &compute_),
      commands_(command_config(config.host), nic),
      flow_(config.flow, config.mtu, nic, static_cast<FlowControlListener&>(*this)) {}

void StepAgentCore::set_memory(std::byte* memory) {
  commands_.set_memory(memory);
  flow_.set_memory(memory);
}

void StepAgentCore::on_end(std::function<void(Tick)> done, std::function<void(Tick, const std::string&)> failed) {
  done_ = std::move(done), failed_ = std::move(failed);
  commands_.on_end([this](Tick when) { step_.over(when); }, failed_);
}

void StepAgentCore::post(HostStep step, Tick t0) {
  operations_ = std::move(step.operations);
  ring_pairs_.clear();
  for (const HostStep::Operation& o : operations_)
    if (o.ring) ring_pairs_.insert({o.ring->send_pair, o.ring->receive_pair});
  step_.post(std::move(step.tasks), t0);
}

void StepAgentCore::begin_operation(std::uint32_t operation, Tick now) {
  HostStep::Operation& o = operations_.at(operation);
  o.ring ? flow_.post({*o.ring}, now) : commands_.post(std::move(o.commands), now);
}

void StepAgentCore::completed(unsigned queue_pair, std::uint64_t id, Tick when) {
  HostAgent& agent = ring_pairs_.count(queue_pair) != 0 ? static_cast<HostAgent&>(flow_) : commands_;
  agent.completed(queue_pair, id, when);
}

void StepAgentCore::arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) {
  HostAgent& agent = ring_pairs_.count(queue_pair) != 0 ? static_cast<HostAgent&>(flow_) : commands_;
  agent.arrived(queue_pair, immediate, when);
}

void StepAgentCore::failed(unsigned, Tick when, const std::string& why) { failed_(when, why); }

Tick StepAgentCore::run_until(Tick horizon) {
  for (Tick now = next(); now <= horizon && now != never; now = next()) {
    commands_.run_until(now);
    flow_.run_until(now);
    step_.run_until(now);
  }
  return next();
}

Tick StepAgentCore::next() const { return std::min({commands_.next(), flow_.next(), step_.next()}); }

std::vector<std::string> StepAgentCore::waiting() const {
  std::vector<std::string> lines = step_.waiting();
  for (const HostAgent* agent : {static_cast<const HostAgent*>(&commands_), static_cast<const HostAgent*>(&flow_)})
    for (const std::string& line : agent->waiting()) lines.push_back(line);
  return lines;
}

void StepAgentCore::reset() {
  step_.reset();
  commands_.reset();
  flow_.reset();
  operations_.clear();
  ring_pairs_.clear();
}

void StepAgentCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  step_.describe(directory, prefix.substr(0, prefix.size() - 1));
  commands_.describe(directory, prefix);
  flow_.describe(directory, prefix);
}

}  // namespace tributary
