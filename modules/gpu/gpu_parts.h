#pragma once
/// GpuParts: the engines and the memory of a GPU, as factories.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/gpu/engine_module.h"
#include "modules/gpu/memory_model.h"

namespace tributary {

/// Creates the engine for a seat; `name` is relative to its GPU. EngineSeat::config() gives the GPU.
using EngineFactory = std::function<std::unique_ptr<EngineModule>(const char* name, EngineSeat seat)>;
/// Creates a GPU's memory.
using MemoryFactory = std::function<std::unique_ptr<MemoryModel>(const char* name, const GpuConfig& config)>;

/// Parts that a user may replace or add, on one GPU or on a whole platform.
class GpuParts {
 public:
  struct Engine {
    std::string name;
    EngineFactory make;
  };

  /// The default engines `dma`, `executor`, `home`, and Memory.
  GpuParts();

  /// Replaces the engine of that name. Throws std::invalid_argument if there is none.
  GpuParts& replace(const std::string& name, EngineFactory make);
  /// Adds an engine with the lowest priority. Throws std::invalid_argument if the name exists.
  GpuParts& add(const std::string& name, EngineFactory make);

  const std::vector<Engine>& engines() const { return engines_; }
  MemoryFactory memory;

 private:
  std::vector<Engine>::iterator find(const std::string& name);

  std::vector<Engine> engines_;
};

}  // namespace tributary
