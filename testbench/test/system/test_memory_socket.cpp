// A user's memory at a GPU's memory socket: a memory that annotates its latency works, one that waits is refused.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <thread>

#include "modules/base/sysc/base_protocol_checker.h"
#include "modules/base/sysc/shared_state.h"
#include "testbench/run/completion.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"

namespace tributary::test_memory_socket {
namespace {

/// A sparse memory with a fixed latency, which it annotates or waits for.
class SparseMemory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  SparseMemory(const sc_core::sc_module_name& name, bool waits_) : sc_module(name), waits(waits_) { socket.bind(*this); }
  tlm::tlm_target_socket<32> socket{"socket"};
  bool reports = false;         ///< a read ends with SC_REPORT_ERROR
  std::thread::id reported_by;  ///< thread of the report
  std::map<std::uint64_t, unsigned char> bytes_held;
  unsigned reads = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    for (unsigned i = 0; i < t.get_data_length(); ++i)
      if (t.is_read())
        t.get_data_ptr()[i] = bytes_held[t.get_address() + i];
      else
        bytes_held[t.get_address() + i] = t.get_data_ptr()[i];
    reads += t.is_read();
    if (reports) {
      reported_by = std::this_thread::get_id();
      SC_REPORT_ERROR("/user/memory", name());
    }
    const sc_core::sc_time latency(50, sc_core::SC_NS);
    if (waits)
      wait(latency);
    else
      delay += latency;
    t.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  bool waits;
};

/// A memory that uses data of other memories, too.
class SharingMemory : public SparseMemory, public SharedStatePart {
 public:
  using SparseMemory::SparseMemory;
};

NvSwitchPlatform::Config config_of(const NvSwitchPlatformParams& params, unsigned lanes) {
  NvSwitchPlatform::Config config{params, 1, true, true, true};
  config.lanes = lanes;
  return config;
}

/// Runs a bench, and returns the report that ends it: its type and message.
template <class Bench>
std::string report_of(Bench& bench) {
  try {
    bench.run();
  } catch (const sc_core::sc_report& report) {
    return std::string(report.get_msg_type()) + " " + report.get_msg();
  }
  return "no report";
}

/// Four GPUs with a user's memories add one block.
struct Bench {
  explicit Bench(bool waits, unsigned lanes = 1, bool shares = false)
      : params(resolve_parameters(run_spec("push", first_gpus(4), {})).of<NvSwitchPlatformParams>()),
        system("machine", two_boards(2, 1, 2), config_of(params, lanes), completion) {
    for (unsigned g = 0; g < 4; ++g) {
      const std::string name = "memory" + std::to_string(g);
      memories.push_back(shares ? std::make_unique<SharingMemory>(name.c_str(), waits)
                                : std::make_unique<SparseMemory>(name.c_str(), waits));
      if (lanes > 1) {  // a checker has a process, which a lane must not wake
        system.gpu(g).memory_socket.bind(memories.back()->socket);
        continue;
      }
      checkers.push_back(std::make_unique<BaseProtocolChecker>((name + "_checker").c_str()));
      system.gpu(g).memory_socket.bind(checkers.back()->in);
      checkers.back()->out.bind(memories.back()->socket);
    }
  }
  void run() {
    FabricManager fabric(system);
    DmaStage stage;
    stage.kind = DmaStage::Kind::push;
    stage.message = fabric.multicast_region(first_gpus(4), 4096, 128);
    stage.block_count = stage.arrivals = 1;
    stage.wave_blocks = 64;
    GpuProgram o;
    o.stages.push_back(stage);
    o.type = ElementType::i32;
    o.members = 4;
    completion.expect(4);
    for (unsigned g = 0; g < 4; ++g) {
      memories[g]->bytes_held[4096] = static_cast<unsigned char>(1u << g);
      system.gpu(g).post(o, 1'000'000);
    }
    sc_core::sc_start();
  }
  NvSwitchPlatformParams params;
  Completion completion;
  NvSwitchPlatform system;
  std::vector<std::unique_ptr<SparseMemory>> memories;
  std::vector<std::unique_ptr<BaseProtocolChecker>> checkers;
};

}  // namespace

TEST_CASE("memory socket: a memory that annotates its latency may be bound to a GPU", "[system][memory]") {
  Bench b(false);
  b.run();
  CHECK(b.completion.all_done());
  for (const auto& m : b.memories) {
    CHECK(m->bytes_held[4096] == 15);
    CHECK(m->bytes_held[4097] == 0);
    CHECK(m->reads == 1);
  }
  for (const auto& c : b.checkers) {
    c->finish();
    CHECK(to_text(c->breaches()) == "");
    CHECK(c->transactions() > 0);
  }
  // Board 1 to the home on board 0 and back: 645.2 ns with a read of 115.2 (docs/blocks/nvswitch.md), here one of 50.
  CHECK(b.completion.last() > 1'000'000 + 645'200 - 65'200);
  CHECK(b.completion.last() < 1'000'000 + 645'200);
}

TEST_CASE("memory socket: a memory that waits is refused at its first access, by name", "[system][memory]") {
  Bench b(true);
  CHECK_THROWS_WITH(
      b.run(), Catch::Matchers::Contains("machine.gpu0.memory_socket waits in b_transport") &&
                   Catch::Matchers::Contains("legal: a module that adds its time to the delay and returns immediately"));
}

TEST_CASE("memory socket: an SC_REPORT of a memory on the thread of a lane ends sc_start on the main thread",
          "[system][memory]") {
  Bench b(false, 2);
  REQUIRE(b.system.lanes() == 2);
  b.memories[3]->reports = true;
  CHECK(report_of(b) == "/user/memory memory3");
  CHECK(b.memories[3]->reported_by != std::thread::id());
  CHECK(b.memories[3]->reported_by != std::this_thread::get_id());
}

TEST_CASE("memory socket: a memory that declares shared state is refused in lanes", "[system][memory]") {
  Bench b(false, 2, true);
  CHECK_THROWS_WITH(b.run(), "memory0 shares state with modules of other devices, which needs one lane");
}

TEST_CASE("memory socket: a memory that declares shared state runs in one lane", "[system][memory]") {
  Bench b(false, 1, true);
  b.run();
  CHECK(b.completion.all_done());
}

TEST_CASE("memory socket: of memories that report in one step, the first GPU's is the report of the run",
          "[system][memory]") {
  Bench b(false, 2);
  for (const auto& memory : b.memories) memory->reports = true;
  CHECK(report_of(b) == "/user/memory memory0");
}

}  // namespace tributary::test_memory_socket
