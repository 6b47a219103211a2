// The memory of a tutorial at the memory sockets of devices: no change of its source, right sums, and the base protocol
// kept.
#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "modules/base/sysc/base_protocol_checker.h"
#include "platforms/netreduce/blocks.h"
#include "testbench/harness/nic_pair.h"
#include "testbench/run/completion.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/small_machine.h"
#include "testbench/test/harness/textbook_memory.h"

namespace tributary::test_textbook_memory {

using Catch::Matchers::Contains;

namespace {

constexpr Tick t0 = 1'000'000;

/// A textbook memory behind a checker.
struct Checked {
  Checked(const std::string& name, std::size_t size, double ns)
      : checker((name + "_checker").c_str()), memory(name.c_str(), size, sc_core::sc_time(ns, sc_core::SC_NS)) {
    checker.out.bind(memory.socket);
  }
  BaseProtocolChecker checker;
  TextbookMemory memory;
};

void fill(TextbookMemory& memory, std::int32_t value) {
  const std::vector<std::int32_t> values(memory.bytes.size() / 4, value);
  std::memcpy(memory.bytes.data(), values.data(), memory.bytes.size());
}

/// Four GPUs with these memories add one block at address 4096.
struct Gpus {
  explicit Gpus(bool with_data, bool windowed = true)
      : params(resolve_parameters(run_spec("push", first_gpus(4), {}, {"nvswitch.gpu.memory.jitter=0ns"}))
                   .of<NvSwitchPlatformParams>()),
        system("machine", two_boards(2, 1, 2), {params, 1, with_data, windowed, true}, completion) {}
  void run() {
    FabricManager fabric(system);
    DmaStage stage;
    stage.kind = DmaStage::Kind::push;
    stage.message = fabric.multicast_region(first_gpus(4), 4096, 128);
    stage.block_count = stage.arrivals = 1;
    stage.wave_blocks = 64;
    GpuProgram program;
    program.stages.push_back(stage);
    program.type = ElementType::i32;
    program.members = 4;
    completion.expect(4);
    for (unsigned g = 0; g < 4; ++g) system.gpu(g).post(program, t0);
    sc_core::sc_start();
  }
  NvSwitchPlatformParams params;
  Completion completion;
  NvSwitchPlatform system;
};

/// Runs them with textbook memories; returns the time of the last GPU.
Tick push_of_four(bool with_data, bool windowed) {
  Gpus gpus(with_data, windowed);
  std::vector<std::unique_ptr<Checked>> memories;
  for (unsigned g = 0; g < 4; ++g) {
    memories.push_back(std::make_unique<Checked>("memory" + std::to_string(g), 8192, 50));
    gpus.system.gpu(g).memory_socket.bind(memories[g]->checker.in);
    fill(memories[g]->memory, static_cast<std::int32_t>(1u << g));
  }
  gpus.run();
  CHECK(gpus.completion.all_done());
  for (auto& m : memories) {
    m->checker.finish();
    CHECK(to_text(m->checker.breaches()) == "");
    CHECK(m->memory.reads == 1);
    std::int32_t first;
    std::memcpy(&first, &m->memory.bytes[4096], 4);
    if (with_data) CHECK(first == 15);
  }
  return gpus.completion.last();
}

/// A part of a platform that is a textbook memory behind a checker; it reports breaches as entries that wait.
class Part : public TargetModule<> {
 public:
  explicit Part(const char* name) : TargetModule(name), inside_("inside", 1 << 22, 0) {
    out_.bind(inside_.checker.in);
    out_.register_nb_transport_bw(this, &Part::answer);
  }
  std::vector<std::string> waiting() const override {
    const std::string text = to_text(inside_.checker.breaches());
    return text.empty() ? std::vector<std::string>{} : std::vector<std::string>{text};
  }

 private:
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) override { out_->b_transport(access, delay); }
  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_COMPLETED; }

  Checked inside_;
  tlm_utils::simple_initiator_socket<Part> out_{"out"};
};

}  // namespace

TEST_CASE("textbook memory: two NICs add their chunks in it", "[block][nic]") {
  constexpr std::uint32_t chunk = 256;
  Nic::Parts own;
  own.memory = [](const char*, const NicCore::Config&) { return nullptr; };
  NicPair plain("plain", {}, chunk), swapped("swapped", own, chunk);
  Checked memories[] = {{"memory0", 2 * chunk, 30}, {"memory1", 2 * chunk, 30}};
  for (unsigned n = 0; n < 2; ++n) {
    swapped.nic(n).memory_socket.bind(memories[n].checker.in);
    fill(memories[n].memory, static_cast<std::int32_t>(10 + n));
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint16_t n = 0; n < 2; ++n) plain.fill(n, 10 + n);
  for (std::uint16_t n = 0; n < 2; ++n)
    plain.node(n).post(plain.program(n), t0), swapped.node(n).post(swapped.program(n), t0);
  sc_core::sc_start();
  for (unsigned n = 0; n < 2; ++n) {
    // 30 ns for the chunk of each of the two steps; the packets of a chunk need no time of their own.
    CHECK(swapped.finished().when(n) == plain.finished().when(n) + 60'000);
    CHECK(memories[n].memory.reads == 5);   // two chunks and their packets, and a chunk that is added
    CHECK(memories[n].memory.writes == 2);  // a sum, and a chunk
    std::vector<std::int32_t> values(2 * chunk / 4);
    std::memcpy(values.data(), memories[n].memory.bytes.data(), 2 * chunk);
    CHECK(values == std::vector<std::int32_t>(2 * chunk / 4, 21));
    memories[n].checker.finish();
    CHECK(to_text(memories[n].checker.breaches()) == "");
  }
}

TEST_CASE("textbook memory: the GPUs of a machine add a block in it, in both modes and without data", "[system][memory]") {
  const auto in_a_child = [](bool data, bool windowed) {
    return in_child([=] { return std::to_string(push_of_four(data, windowed)); });
  };
  const std::string windowed = in_a_child(true, true);
  CHECK(in_a_child(true, false) == windowed);
  CHECK(in_a_child(false, true) == windowed);
}

TEST_CASE("textbook memory: an error response ends the run with socket and status", "[system][memory]") {
  Gpus gpus(true);
  std::vector<std::unique_ptr<Checked>> memories;
  for (unsigned g = 0; g < 4; ++g) {
    memories.push_back(std::make_unique<Checked>("memory" + std::to_string(g), 64, 50));  // without byte 4096
    gpus.system.gpu(g).memory_socket.bind(memories[g]->checker.in);
  }
  CHECK_THROWS_WITH(gpus.run(), Contains("the memory bound to machine.gpu0.memory_socket refused an access "
                                         "(TLM_ADDRESS_ERROR_RESPONSE)"));
}

TEST_CASE("textbook memory: an AT memory at a GPU's socket is refused in one line", "[system][memory]") {
  /// As the libraries of DRAM controllers bind: a convenience socket with nb_transport_fw alone.
  struct Controller : sc_core::sc_module {
    explicit Controller(const sc_core::sc_module_name& name) : sc_module(name) {
      socket.register_nb_transport_fw(this, &Controller::request);
    }
    tlm::tlm_sync_enum request(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_ACCEPTED; }
    tlm_utils::simple_target_socket<Controller> socket{"socket"};
  };
  Gpus gpus(true);
  std::vector<std::unique_ptr<Controller>> controllers;
  for (unsigned g = 0; g < 4; ++g) {
    controllers.push_back(std::make_unique<Controller>(("controller" + std::to_string(g)).c_str()));
    gpus.system.gpu(g).memory_socket.bind(controllers[g]->socket);
  }
  CHECK_THROWS_WITH(gpus.run(),
                    Contains("the memory bound to machine.gpu0.memory_socket has no b_transport, only nb_transport_fw"));
}

TEST_CASE("textbook memory: it is the payload buffer of an accelerator, with and without data", "[system][netreduce]") {
  RunSpec spec = run_spec("netreduce", first_gpus(4), {64_KiB});
  spec.platform = "rack:4";
  const Run ours = run_one(spec);
  RunSpec own = spec;
  own.blocks.add(payloads_slot, [](const char* name, const Accelerator::Config&) { return std::make_unique<Part>(name); });
  const Run theirs = run_one(own);
  CHECK(difference(ours, theirs) == "");
  CHECK(theirs.row.wrong == 0);
  own.data = DataMode::none;
  CHECK(run_one(own).row.time == ours.row.time);
}

}  // namespace tributary::test_textbook_memory
