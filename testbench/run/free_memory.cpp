#include "testbench/run/free_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "modules/base/readable.h"
#include "modules/base/units.h"
#include "testbench/run/session.h"

namespace tributary {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > unlimited - b ? unlimited : a + b; }
std::uint64_t product(std::uint64_t a, std::uint64_t b) { return b != 0 && a > unlimited / b ? unlimited : a * b; }

/// Returns the first number of a file; `max` and a missing file mean no limit.
std::uint64_t number_in(const std::string& file) {
  std::uint64_t number = unlimited;
  std::ifstream in(file);
  return in >> number ? number : unlimited;
}

/// Returns the number after a word at the beginning of a line; 0 without the word.
std::uint64_t number_after(const std::string& word, const std::string& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, word.size(), word) != 0) continue;
    std::istringstream words(line);
    std::string first;
    std::uint64_t number = 0;
    if (words >> first >> number && first == word) return number;
  }
  return 0;
}

struct CgroupFiles {
  const char *limit, *use, *reclaimable;  ///< `reclaimable`: a line of memory.stat
};

/// Returns the memory that the group at `path` below `mount` and all its parents still allow.
std::uint64_t free_in(const std::string& mount, std::string path, const CgroupFiles& files) {
  std::uint64_t free = unlimited;
  for (;;) {
    const std::string folder = mount + (path == "/" ? "" : path) + "/";
    const std::uint64_t limit = number_in(folder + files.limit), use = number_in(folder + files.use);
    if (limit != unlimited && use != unlimited) {
      const std::uint64_t cache = number_after(files.reclaimable, folder + "memory.stat");
      const std::uint64_t kept = use - std::min(use, cache);
      free = std::min(free, limit - std::min(limit, kept));
    }
    if (path.empty() || path == "/") return free;
    path.erase(path.rfind('/'));
  }
}

/// Reads the lines `number:controllers:path` of /proc/self/cgroup; v2 has number 0 and no controllers.
std::uint64_t free_in_cgroups(const std::string& root) {
  std::uint64_t free = unlimited;
  std::ifstream in(root + "/proc/self/cgroup");
  const std::string mount = root + "/sys/fs/cgroup";
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",", path = line.substr(second + 1);
    if (path.empty() || path.front() != '/') continue;
    if (controllers == ",,")
      for (const char* at : {"", "/unified"})
        free = std::min(free, free_in(mount + at, path, {"memory.max", "memory.current", "inactive_file"}));
    else if (controllers.find(",memory,") != std::string::npos)
      free = std::min(
          free, free_in(mount + "/memory", path, {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}));
  }
  return free;
}

}  // namespace

void MemoryNeed::add_job(std::size_t ranks, std::uint64_t bytes_each, bool with_data) {
  const std::uint64_t all = product(ranks, bytes_each);
  if (with_data) buffers = sum(buffers, all);
  bookkeeping = sum(bookkeeping, sum(all / block_bytes / 8, bytes_each / block_bytes * 8));
}

void MemoryNeed::add_beside_ranks(std::uint64_t bytes) { beside = sum(beside, bytes); }

std::uint64_t MemoryNeed::total() const { return sum(sum(buffers, beside), bookkeeping); }

FreeMemory free_memory(const std::string& root) {
  const std::uint64_t available = number_after("MemAvailable:", root + "/proc/meminfo");
  FreeMemory memory{available == 0 ? unlimited : available * 1024, "machine"};
  const std::uint64_t cgroup = free_in_cgroups(root);
  if (cgroup < memory.bytes) memory = {cgroup, "cgroup"};
  return memory;
}

std::uint64_t free_swap(const std::string& root) { return number_after("SwapFree:", root + "/proc/meminfo") * 1024; }

void check_memory(const MemoryNeed& need, const FreeMemory& memory) {
  if (need.total() <= memory.bytes) return;
  const bool without_data = need.bookkeeping <= memory.bytes && need.buffers != 0;
  const std::string beside = need.beside == 0 ? "" : " (" + readable_bytes(need.beside) + " of it outside its ranks)";
  const std::string lists = need.total() == need.bookkeeping ? " for the lists of its blocks" : "";
  throw SetupError("the run needs " + readable_bytes(need.total()) + " of memory" + lists + beside + ", and " +
                   readable_bytes(memory.bytes) + " are free in the " + memory.where +
                   "; legal: a smaller message, fewer ranks" + (need.beside != 0 ? ", fewer or smaller servers" : "") +
                   (without_data ? ", or --no-data (" + readable_bytes(need.bookkeeping) + ")" : ""));
}

}  // namespace tributary
