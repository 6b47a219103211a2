/// Bytes of every link against arithmetic on the netlist and the interleaving hash
/// (docs/systems/klenk.md#dgx-2, #address-hash, #acknowledgements).
#include <catch2/catch.hpp>
#include <map>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_conservation {
namespace {

constexpr std::uint64_t flit = 16;

int board_of(int gpu) { return gpu / 8; }

/// The home of block b of a message at network address 0: x = b / 6.
struct Place {
  explicit Place(std::uint64_t b)
      : plane(static_cast<int>(b % 6)), home_board(static_cast<int>(b / 6 % 2)), trunk(static_cast<int>(b / 12 % 8)) {}
  int plane, home_board, trunk;
};

/// Adds up the bytes that cross each directed link.
class Ledger {
 public:
  Ledger(std::vector<int> gpus, std::uint64_t message) : gpus_(std::move(gpus)), message_(message) {
    for (const int g : gpus_) on_board_[board_of(g)] = true;
  }
  std::uint64_t blocks() const { return (message_ + 127) / 128; }
  const std::vector<int>& gpus() const { return gpus_; }
  bool anybody_on(int board) const { return on_board_[board]; }

  /// A header and whole flits of payload.
  std::uint64_t data(std::uint64_t block) const {
    const std::uint64_t payload = std::min<std::uint64_t>(128, message_ - block * 128);
    return flit + (payload + flit - 1) / flit * flit;
  }
  void up(int gpu, const Place& p, std::uint64_t bytes) { add(port(gpu, p), access(gpu, p), bytes); }
  void down(int gpu, const Place& p, std::uint64_t bytes) { add(access(gpu, p), port(gpu, p), bytes); }
  void across(int from_board, const Place& p, std::uint64_t bytes) {
    add(trunk(from_board, p), trunk(1 - from_board, p), bytes);
  }
  /// Adds the bytes to all members except `but`, replicated as late as possible, from a switch on `board`.
  void multicast(int board, int but, const Place& p, std::uint64_t bytes) {
    if (anybody_on(1 - board)) across(board, p, bytes);
    for (const int g : gpus_)
      if (g != but) down(g, p, bytes);
  }

  /// Describes the differences from the links of a run; empty if there are none.
  std::string difference(const ResultRow& row) const {
    std::string text;
    std::uint64_t sum = 0;
    for (const LinkUse& link : row.links) {
      const auto it = bytes_.find(link.name);
      const std::uint64_t expected = it == bytes_.end() ? 0 : it->second;
      sum += expected;
      if (link.bytes != expected)
        text += link.name + " carried " + std::to_string(link.bytes) + " B instead of " + std::to_string(expected) + " B\n";
    }
    if (row.wire_bytes != sum)
      text += "wire_bytes " + std::to_string(row.wire_bytes) + ", not " + std::to_string(sum) + "\n";
    return text;
  }

 private:
  static std::string port(int gpu, const Place& p) {
    return "gpu" + std::to_string(gpu) + ".port" + std::to_string(p.plane);
  }
  static std::string at(int board, const Place& p, int port) {
    return "switch" + std::to_string(board) + "_" + std::to_string(p.plane) + ".port" + std::to_string(port);
  }
  static std::string access(int gpu, const Place& p) { return at(board_of(gpu), p, gpu % 8); }
  static std::string trunk(int board, const Place& p) { return at(board, p, 8 + p.trunk); }
  void add(const std::string& from, const std::string& to, std::uint64_t bytes) { bytes_[from + ">" + to] += bytes; }

  std::vector<int> gpus_;
  std::uint64_t message_;
  bool on_board_[2] = {false, false};
  std::map<std::string, std::uint64_t> bytes_;
};

/// Adds the operands to the home port, the results from there to all ranks, and the acks of all ranks to the home port.
Ledger push_ledger(const std::vector<int>& gpus, std::uint64_t message, bool acks) {
  Ledger l(gpus, message);
  for (std::uint64_t b = 0; b < l.blocks(); ++b) {
    const Place p(b);
    for (const int g : gpus) {
      const std::uint64_t bytes = l.data(b) + (acks ? flit : 0);
      l.up(g, p, bytes);
      if (board_of(g) != p.home_board) l.across(board_of(g), p, bytes);
    }
    l.multicast(p.home_board, -1, p, l.data(b));
  }
  return l;
}

/// Adds a multicast write from `gpu`, and the acks of all others.
void write_to_all(Ledger& l, int gpu, std::uint64_t b) {
  const Place p(b);
  l.up(gpu, p, l.data(b));
  l.multicast(board_of(gpu), gpu, p, l.data(b));
  for (const int g : l.gpus()) {
    if (g == gpu) continue;
    l.up(g, p, flit);
    if (board_of(g) != board_of(gpu)) l.across(board_of(g), p, flit);
    l.down(gpu, p, flit);
  }
}

/// Each rank pulls its share: requests to all others, and their responses, reduced on the path. Then it writes to all.
Ledger pull_ledger(const std::vector<int>& gpus, std::uint64_t message) {
  Ledger l(gpus, message);
  for (std::size_t r = 0; r < gpus.size(); ++r)
    for (std::uint64_t b = l.blocks() * r / gpus.size(); b < l.blocks() * (r + 1) / gpus.size(); ++b) {
      const Place p(b);
      const int board = board_of(gpus[r]);
      l.up(gpus[r], p, flit);
      l.multicast(board, gpus[r], p, flit);
      for (const int g : gpus)
        if (g != gpus[r]) l.up(g, p, l.data(b));
      if (l.anybody_on(1 - board)) l.across(1 - board, p, l.data(b));
      l.down(gpus[r], p, l.data(b));
      write_to_all(l, gpus[r], b);
    }
  return l;
}

Ledger broadcast_ledger(const std::vector<int>& gpus, std::uint64_t message, int root) {
  Ledger l(gpus, message);
  for (std::uint64_t b = 0; b < l.blocks(); ++b) write_to_all(l, root, b);
  return l;
}

const std::vector<std::vector<int>> rank_sets{{0, 1}, {0, 8}, {3, 5, 9}, first_gpus(8), first_gpus(16)};
const std::vector<Bytes> sizes{4_B, 132_B, 20000_B, 64_KiB};

/// Bytes divided by the capacity at 25 GB/s in the measured time or, with acks that leave after the result is complete,
/// in less than a microsecond more.
void check_utilisation(const ResultRow& row, bool acks) {
  const auto time = static_cast<double>(row.time);
  for (const LinkUse& link : row.links) {
    INFO(link.name);
    const double carried = static_cast<double>(link.bytes) * 40;  // ps
    if (acks) {
      CHECK(link.utilisation <= carried / time * (1 + 1e-12));
      CHECK(link.utilisation >= carried / (time + 1e6) * (1 - 1e-12));
    } else {
      CHECK(carried <= time);
      CHECK(link.utilisation == Approx(carried / time).epsilon(1e-12));
    }
  }
}

std::uint64_t bytes_out_of(const ResultRow& row, int gpu) {
  std::uint64_t sum = 0;
  for (const LinkUse& link : row.links)
    if (link.name.rfind("gpu" + std::to_string(gpu) + ".port", 0) == 0) sum += link.bytes;
  return sum;
}

std::uint64_t bytes_into(const ResultRow& row, int gpu) {
  std::uint64_t sum = 0;
  for (const LinkUse& link : row.links)
    if (link.name.find(">gpu" + std::to_string(gpu) + ".port") != std::string::npos) sum += link.bytes;
  return sum;
}

}  // namespace

TEST_CASE("conservation: links carry the bytes of a push", "[system][conservation]") {
  for (const std::vector<int>& gpus : rank_sets)
    for (const bool acks : {true, false}) {
      const std::string setting = acks ? "nvswitch.acks=separate" : "nvswitch.acks=none";
      INFO(gpus.size() << " ranks up to " << gpus.back() << ", " << setting);
      // The tables are so large that nothing is evicted.
      for (const Run& run :
           run_all(run_spec("push", gpus, sizes, {"nvswitch.switch.reduction_table.bytes=16KiB", setting}))) {
        INFO(run.row.size_bytes << " B");
        CHECK(push_ledger(gpus, run.row.size_bytes, acks).difference(run.row) == "");
        check_utilisation(run.row, acks);
      }
    }
}

TEST_CASE("conservation: links carry the bytes of a pull", "[system][conservation]") {
  for (const std::vector<int>& gpus : rank_sets)
    for (const Run& run : run_all(run_spec("pull", gpus, sizes, {"nvswitch.pull.barrier=false"}))) {
      INFO(gpus.size() << " ranks up to " << gpus.back() << ", " << run.row.size_bytes << " B");
      CHECK(pull_ledger(gpus, run.row.size_bytes).difference(run.row) == "");
      check_utilisation(run.row, true);
    }
}

TEST_CASE("conservation: links carry the bytes of a broadcast", "[system][conservation]") {
  for (const std::vector<int>& gpus : rank_sets) {
    RunSpec spec = run_spec("multicast", gpus, sizes);
    spec.jobs[0].root = static_cast<int>(gpus.size()) - 1;
    for (const Run& run : run_all(spec)) {
      INFO(gpus.size() << " ranks up to " << gpus.back() << ", " << run.row.size_bytes << " B");
      CHECK(broadcast_ledger(gpus, run.row.size_bytes, gpus.back()).difference(run.row) == "");
    }
  }
}

TEST_CASE("conservation: a GPU sends and receives the bytes of its blocks", "[system][conservation]") {
  // As docs/systems/klenk.md#bounds, for 128 B of message at 16 ranks; 96 KiB are 768 blocks, 48 for each rank.
  const std::vector<int> gpus = first_gpus(16);
  constexpr std::uint64_t blocks = 768;
  const ResultRow push = run_one(run_spec("push", gpus, {96_KiB}, {"nvswitch.switch.reduction_table.bytes=16KiB"})).row;
  const ResultRow pull = run_one(run_spec("pull", gpus, {96_KiB}, {"nvswitch.pull.barrier=false"})).row;
  const ResultRow ring = run_one(run_spec("ring", gpus, {96_KiB})).row;
  for (const int g : gpus) {
    INFO("gpu" << g);
    CHECK(bytes_out_of(push, g) == blocks * 160);
    CHECK(bytes_into(push, g) == blocks * 144);  // RED_WRITEs have no acks
    CHECK(bytes_out_of(pull, g) == blocks * 160);
    CHECK(bytes_into(pull, g) == blocks * 174);
    // 2(p-1)/p blocks to the next rank, as many acks to the previous one; the same number arrives.
    CHECK(bytes_out_of(ring, g) == 2 * 15 * (blocks / 16) * 160);
    CHECK(bytes_into(ring, g) == 2 * 15 * (blocks / 16) * 160);
  }
}

TEST_CASE("conservation: links carry the bytes of a ring", "[system][conservation]") {
  // An edge of the ring carries 2(p-1) chunks of m/p as writes, and their acks in the opposite direction: 160 B per
  // block, over two links within a board and three between boards. 16 ranks have two edges between the boards, and so
  // have {0,8} and {3,5,9}.
  struct Case {
    std::vector<int> gpus;
    std::uint64_t links;  // sum over all edges
  };
  for (const Case& c : {Case{first_gpus(16), 14 * 2 + 2 * 3}, Case{first_gpus(8), 8 * 2}, Case{{0, 8}, 2 * 3},
                        Case{{3, 5, 9}, 2 + 2 * 3}, Case{{0, 1}, 2 * 2}}) {
    INFO(c.gpus.size() << " ranks up to " << c.gpus.back());
    const std::uint64_t p = c.gpus.size(), blocks_of_chunk = 5;
    const Run run = run_one(run_spec("ring", c.gpus, {bytes(p * blocks_of_chunk * 128)}));
    CHECK(run.row.wire_bytes == 2 * (p - 1) * blocks_of_chunk * 160 * c.links);
    std::uint64_t sum = 0;
    for (const LinkUse& link : run.row.links) sum += link.bytes;
    CHECK(sum == run.row.wire_bytes);
  }
}

TEST_CASE("conservation: a fence adds one flag and its ack for each message of the ring", "[system][conservation]") {
  // A flag is a write of 16 B, 32 B on each link, and is acknowledged like every write, 16 B on each link of the
  // reverse path. Each edge carries 2(p-1) flags.
  const auto wire = [](const char* sync) {
    return run_one(run_spec("ring", first_gpus(16), {16_KiB}, {sync})).row.wire_bytes;
  };
  CHECK(wire("nvswitch.ring.sync=fence") - wire("nvswitch.ring.sync=counted") == 30u * (32 + 16) * (14 * 2 + 2 * 3));
}

}  // namespace tributary::test_conservation
