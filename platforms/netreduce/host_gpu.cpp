#include "platforms/netreduce/host_gpu.h"

#include <algorithm>
#include <utility>

#include "platforms/netreduce/command_config.h"

namespace tributary {

HostGpu::HostGpu(const HostParams& host, const HostFlowParams& flow, unsigned mtu, unsigned number, Transport& transport)
    : number_(number),
      transport_(transport),
      before_(command_config(host), static_cast<Verbs&>(*this)),
      after_(command_config(host), static_cast<Verbs&>(*this)),
      flow_(flow, mtu, static_cast<Verbs&>(*this), static_cast<FlowControlListener&>(*this)) {
  const auto fails = [this](Tick when, const std::string& why) { failed_(when, why); };
  before_.on_end([this](Tick when) { begin(Stage::rings, when); }, fails);
  after_.on_end([this](Tick when) { begin(Stage::done, when); }, fails);
}

void HostGpu::set_memory(std::byte* memory) {
  before_.set_memory(memory);
  after_.set_memory(memory);
  flow_.set_memory(memory);
}

void HostGpu::post(HostGpuProgram program, Tick t0) {
  program_ = std::move(program);
  begin(Stage::before, t0);
}

void HostGpu::begin(Stage stage, Tick when) {
  stage_ = stage;
  switch (stage) {
    case Stage::before:
      return before_.post(std::move(program_.before), when);
    case Stage::rings:
      return program_.rings.empty() ? begin(Stage::after, when) : flow_.post(program_.rings, when);
    case Stage::after:
      after_.post(std::move(program_.after), when);
      for (const Early& e : std::exchange(early_, {})) after_.arrived(e.connection, e.immediate, when);
      return;
    case Stage::done:
      return done_(when);
  }
}

void HostGpu::completed(unsigned connection, Stage stage, std::uint64_t id, Tick when) {
  if (program_.connections.at(connection).ring) return flow_.completed(connection, id, when);
  commands(stage).completed(connection, id, when);
}

void HostGpu::arrived(unsigned connection, Stage stage, std::uint32_t immediate, Tick when) {
  if (program_.connections.at(connection).ring) return flow_.arrived(connection, immediate, when);
  if (stage == Stage::after && stage_ < Stage::after)
    early_.push_back({connection, immediate});
  else
    commands(stage).arrived(connection, immediate, when);
}

Tick HostGpu::run_until(Tick horizon) {
  for (Tick now = next(); now <= horizon; now = next()) {
    before_.run_until(now);
    flow_.run_until(now);
    after_.run_until(now);
  }
  return next();
}

Tick HostGpu::next() const { return std::min({before_.next(), flow_.next(), after_.next()}); }

std::vector<std::string> HostGpu::waiting() const {
  std::vector<std::string> lines;
  const auto add = [&](const char* what, const std::vector<std::string>& more) {
    for (const std::string& line : more) lines.push_back(what + line);
  };
  add("", before_.waiting());
  add("", flow_.waiting());
  add("last ", after_.waiting());
  if (!early_.empty()) lines.push_back(std::to_string(early_.size()) + " chunks of the last stage are early");
  return lines;
}

void HostGpu::reset() {
  before_.reset();
  flow_.reset();
  after_.reset();
  program_ = {};
  early_.clear();
  stage_ = Stage::done;
}

void HostGpu::describe(ProbeDirectory& directory, const std::string& prefix) {
  before_.describe(directory, prefix + "before.");
  flow_.describe(directory, prefix);
  after_.describe(directory, prefix + "after.");
}

}  // namespace tributary
