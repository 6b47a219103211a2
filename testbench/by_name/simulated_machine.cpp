#include "testbench/by_name/simulated_machine.h"

#include <algorithm>
#include <utility>

#include "testbench/by_name/rounds/machine_rounds.h"
#include "testbench/run/add_fault.h"
#include "testbench/run/plugin.h"

namespace tributary {

std::vector<std::string> SimulatedMachine::platforms() {
  std::vector<std::string> names;
  for (const Family* family : families())  // this call links the list of families in this archive
    for (std::string& name : platform_kinds(*family))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  return names;
}

SimulatedMachine::SimulatedMachine(const std::string& platform) : rounds_(std::make_unique<MachineRounds>(platform)) {}
SimulatedMachine::~SimulatedMachine() = default;

SimulatedMachine& SimulatedMachine::set(const std::string& assignment) {
  return settings().fields().set_assignment(assignment), *this;
}

RunParameters& SimulatedMachine::settings() { return rounds_->settings().parameters; }
BlockFactories& SimulatedMachine::blocks() { return rounds_->settings().blocks; }

SimulatedMachine& SimulatedMachine::load_plugin(const std::string& plugin) {
  return tributary::load_plugin(plugin, rounds_->settings().blocks), *this;
}

SimulatedMachine& SimulatedMachine::add_fault(const std::string& fault) {
  RunSpec& spec = rounds_->settings();
  return tributary::add_fault(spec, fault, family_of(spec.platform).graph_of_run(spec)), *this;
}

SimulatedMachine& SimulatedMachine::set_seed(std::uint64_t seed) { return rounds_->settings().seed = seed, *this; }

SimulatedMachine& SimulatedMachine::set_data(Data data) {
  const DataMode modes[] = {DataMode::exact, DataMode::random, DataMode::none};
  return rounds_->settings().data = modes[static_cast<int>(data)], *this;
}

SimulatedMachine& SimulatedMachine::use_event_mode() { return rounds_->settings().mode = SimulationMode::event, *this; }

Posted SimulatedMachine::post(const std::string& collective, const std::string& algorithm, Bytes message,
                              const PostOptions& options) {
  return Posted(rounds_->post(collective, algorithm, message, options));
}

Platform& SimulatedMachine::platform() { return rounds_->platform(); }
ProbeDirectory& SimulatedMachine::probes() { return rounds_->probes(); }
std::vector<std::string> SimulatedMachine::waiting() const { return rounds_->waiting(); }
const std::vector<std::string>& SimulatedMachine::notes() const { return rounds_->notes(); }

}  // namespace tributary
