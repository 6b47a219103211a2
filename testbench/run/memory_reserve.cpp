#include "testbench/run/memory_reserve.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <systemc>

#include "testbench/run/free_memory.h"

namespace tributary {
namespace {

constexpr std::size_t reserved_bytes = 32u << 20;  // address space alone, as it is never written

void* reserve = nullptr;
bool ran_out = false;

void on_failure() {
  std::free(reserve);
  reserve = nullptr;
  ran_out = true;
  std::set_new_handler(nullptr);
  // The kernel reports an exception of a process on the screen before it throws; the status says the same.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_,
                                          sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
  throw std::bad_alloc();
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void limit_data() {}  // shadow memory is far larger than the machine
#else
void limit_data() {
  rlimit limit{};
  std::uint64_t pages = 0;  // /proc/self/statm: size, resident, shared, text, 0, data and stack
  std::ifstream in("/proc/self/statm");
  for (int field = 0; field < 6; ++field) in >> pages;
  const std::uint64_t data = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t free = free_memory().bytes;
  if (!in || free > std::uint64_t{1} << 62 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, data + free + free_swap());
  setrlimit(RLIMIT_DATA, &limit);
}
#endif

}  // namespace

void install_memory_reserve() {
  if (reserve != nullptr || ran_out) return;
  limit_data();
  reserve = std::malloc(reserved_bytes);
  std::set_new_handler(on_failure);
}

bool memory_ran_out() { return ran_out; }

std::string memory_shortage() {
  return "the simulating machine has no more memory; a smaller message, fewer ranks or --no-data need less";
}

}  // namespace tributary
