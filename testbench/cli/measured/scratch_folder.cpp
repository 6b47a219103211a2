#include "testbench/cli/measured/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace tributary {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "tributary-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("cannot make a temporary folder '" + name +
                             "': " + std::strerror(error ? error.value() : errno));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tributary
