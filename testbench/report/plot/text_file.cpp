#include "testbench/report/plot/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "modules/base/input_file.h"
#include "testbench/workload/input_error.h"

namespace tributary::plot {

std::string read_text(const std::string& file, std::uintmax_t most_mib) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (!error && size > most_mib << 20) throw InputError(file + ": larger than " + std::to_string(most_mib) + " MiB");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (const std::string why = refusal_of_file(stream, file); !why.empty()) throw InputError(file + ": " + why);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw InputError(file + ": cannot be read: " + (errno != 0 ? std::strerror(errno) : "not a text file"));
  return text;
}

}  // namespace tributary::plot
