#include "modules/gpu/gpu_parts.h"

#include <algorithm>
#include <stdexcept>

#include "modules/gpu/command_executor.h"
#include "modules/gpu/dma_engine.h"
#include "modules/gpu/home_accumulator.h"
#include "modules/gpu/memory.h"

namespace tributary {
namespace {

template <class Module>
std::unique_ptr<EngineModule> make(const char* name, EngineSeat seat) {
  return std::make_unique<Module>(name, seat);
}

}  // namespace

GpuParts::GpuParts()
    : memory([](const char* name, const GpuConfig& config) {
        return std::make_unique<Memory>(name, config.params.memory, config.seed, config.random_stream());
      }),
      engines_{{"dma", make<DmaEngine>}, {"executor", make<CommandExecutor>}, {"home", make<HomeAccumulator>}} {}

std::vector<GpuParts::Engine>::iterator GpuParts::find(const std::string& name) {
  return std::find_if(engines_.begin(), engines_.end(), [&](const Engine& e) { return e.name == name; });
}

GpuParts& GpuParts::replace(const std::string& name, EngineFactory make) {
  const auto engine = find(name);
  if (engine == engines_.end()) throw std::invalid_argument("a GPU has no engine named " + name);
  engine->make = std::move(make);
  return *this;
}

GpuParts& GpuParts::add(const std::string& name, EngineFactory make) {
  if (find(name) != engines_.end()) throw std::invalid_argument("a GPU already has an engine named " + name);
  engines_.push_back({name, std::move(make)});
  return *this;
}

}  // namespace tributary
