// The memory that a run needs on the simulating machine, and the memory that the machine has.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "testbench/run/free_memory.h"
#include "testbench/run/session.h"
#include "testbench/test/harness/temporary_folder.h"

namespace tributary::test_free_memory {

using Catch::Matchers::Equals;

namespace {

constexpr std::uint64_t GiB = 1ull << 30;

/// Files of /proc and /sys as a kernel presents them.
class Files {
 public:
  explicit Files(const std::string& cgroups) {
    write("/proc/meminfo",
          "MemTotal:       25165824 kB\nMemFree:         1048576 kB\nMemAvailable:   16777216 kB\n");  // 16 GiB
    write("/proc/self/cgroup", cgroups);
  }
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path(root() + file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string root() const { return folder_.path(); }
  FreeMemory memory() const { return free_memory(root()); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("free memory: without a cgroup the available memory of the system counts", "[pure]") {
  const Files files("0::/\n");
  CHECK(files.memory().bytes == 16 * GiB);
  CHECK(files.memory().where == "machine");
}

TEST_CASE("free memory: without readable files there is no limit", "[pure]") {
  CHECK(free_memory("/nowhere").bytes == ~std::uint64_t{0});
}

TEST_CASE("free memory: the tightest cgroup of version 2 up to the root counts, without its file cache", "[pure]") {
  Files files("0::/user/job\n");
  files.write("/sys/fs/cgroup/user/job/memory.max", "max\n");
  files.write("/sys/fs/cgroup/user/job/memory.current", "1048576\n");
  CHECK(files.memory().where == "machine");
  files.write("/sys/fs/cgroup/user/memory.max", std::to_string(8 * GiB) + "\n");
  files.write("/sys/fs/cgroup/user/memory.current", std::to_string(3 * GiB) + "\n");
  CHECK(files.memory().bytes == 5 * GiB);
  CHECK(files.memory().where == "cgroup");
  files.write("/sys/fs/cgroup/user/memory.stat", "anon 1073741824\ninactive_file " + std::to_string(2 * GiB) + "\n");
  CHECK(files.memory().bytes == 7 * GiB);
  files.write("/sys/fs/cgroup/user/memory.current", std::to_string(11 * GiB) + "\n");  // above its limit
  CHECK(files.memory().bytes == 0);
}

TEST_CASE("free memory: a cgroup of version 1 counts whose path a container does not show", "[pure]") {
  Files files("11:cpu,cpuacct:/docker/ab\n4:memory:/docker/ab\n0::/\n");
  files.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(4 * GiB) + "\n");
  files.write("/sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(1 * GiB) + "\n");
  CHECK(files.memory().bytes == 3 * GiB);
  files.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");  // no limit
  CHECK(files.memory().bytes == 16 * GiB);
}

TEST_CASE("memory need: buffers of all ranks, a bit for each block, 8 bytes for each block that is pulled", "[pure]") {
  MemoryNeed need;
  need.add_job(16, 1 * GiB, true);
  CHECK(need.buffers == 16 * GiB);
  CHECK(need.bookkeeping == 16 * (GiB / 1024) + GiB / 16);
  CHECK(need.total() == need.buffers + need.bookkeeping);
  need.add_job(4, 1024, false);
  CHECK(need.buffers == 16 * GiB);
  CHECK(need.bookkeeping == 16 * (GiB / 1024) + GiB / 16 + 4 + 64);
  need.add_job(16, ~std::uint64_t{0} / 8, true);
  CHECK(need.total() == ~std::uint64_t{0});
}

TEST_CASE("memory need: a run that does not fit is refused with its need and the parameters that reduce it", "[pure]") {
  MemoryNeed need;
  need.add_job(16, 1'000'000'000, true);
  CHECK_NOTHROW(check_memory(need, {17'000'000'000, "machine"}));
  CHECK_THROWS_AS(check_memory(need, {16'000'000'000, "machine"}), SetupError);
  CHECK_THROWS_WITH(check_memory(need, {16'000'000'000, "cgroup"}),
                    Equals("the run needs 16.1 GB of memory, and 16.0 GB are free in the cgroup; legal: a smaller message, "
                           "fewer ranks, or --no-data (78.1 MB)"));
  CHECK_THROWS_WITH(check_memory(need, {1'000'000, "machine"}),
                    Equals("the run needs 16.1 GB of memory, and 1.0 MB are free in the machine; legal: a smaller message, "
                           "fewer ranks"));
}

TEST_CASE("memory need: without data the line names the lists of blocks", "[pure]") {
  MemoryNeed need;
  need.add_job(16, 1'000'000'000'000, false);
  CHECK_THROWS_WITH(
      check_memory(need, {1'000'000'000, "machine"}),
      Equals("the run needs 78.1 GB of memory for the lists of its blocks, and 1.0 GB are free in the machine; "
             "legal: a smaller message, fewer ranks"));
}

TEST_CASE("memory need: endpoints without ranks count, and the line gives their memory", "[pure]") {
  MemoryNeed need;
  need.add_job(2, 1'000'000'000, true);
  need.add_beside_ranks(3'000'000'000);
  need.add_beside_ranks(500'000'000);
  CHECK(need.total() == 5'500'000'000 + need.bookkeeping);
  CHECK_NOTHROW(check_memory(need, {6'000'000'000, "machine"}));
  CHECK_THROWS_WITH(
      check_memory(need, {5'000'000'000, "machine"}),
      Equals("the run needs 5.6 GB of memory (3.5 GB of it outside its ranks), and 5.0 GB are free in the "
             "machine; legal: a smaller message, fewer ranks, fewer or smaller servers, or --no-data (64.5 MB)"));
  need.add_beside_ranks(~std::uint64_t{0});
  CHECK(need.total() == ~std::uint64_t{0});
}

}  // namespace tributary::test_free_memory
