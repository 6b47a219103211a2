#pragma once
/// GpuParts: which engines and which memory a GPU has.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/gpu/engine_module.h"
#include "modules/gpu/memory_model.h"

namespace tributary {

/// Makes the engine for a seat; `name` is the module's in its GPU. EngineSeat::config() tells which GPU it is.
using EngineFactory = std::function<std::unique_ptr<EngineModule>(const char* name, EngineSeat seat)>;
/// Makes a GPU's memory.
using MemoryFactory = std::function<std::unique_ptr<MemoryModel>(const char* name, const GpuConfig& config)>;

/// The parts of a GPU that a user may replace or add to, on a GPU alone and on a whole platform.
class GpuParts {
 public:
  struct Engine {
    std::string name;
    EngineFactory make;
  };

  /// `dma`, `executor`, `home`, and Memory.
  GpuParts();

  /// Instead of the engine of that name. Throws std::invalid_argument when there is none.
  GpuParts& replace(const std::string& name, EngineFactory make);
  /// Beside the others, and after them in precedence. Throws std::invalid_argument when the name is taken.
  GpuParts& add(const std::string& name, EngineFactory make);

  const std::vector<Engine>& engines() const { return engines_; }
  MemoryFactory memory;

 private:
  std::vector<Engine>::iterator find(const std::string& name);

  std::vector<Engine> engines_;
};

}  // namespace tributary
