// AT targets behind the adapter: every order of phases, bursts, and devices that cannot wait.
#include <catch2/catch.hpp>
#include <functional>

#include "modules/base/sysc/at_target.h"
#include "modules/base/sysc/base_protocol_checker.h"
#include "modules/base/sysc/payload_access.h"
#include "testbench/test/harness/at_memory.h"

namespace tributary::test_at_target {
namespace {

using Style = AtMemory::Style;

/// Initiators that wait, or one that cannot, an adapter, a checker and a memory.
struct Bench : sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
  using Work = std::function<void(unsigned thread)>;

  Bench(const sc_core::sc_module_name& name, Style style, std::uint32_t burst, unsigned threads, Work work_,
        unsigned seed = 1)
      : sc_module(name), adapter("adapter", burst), memory("memory", 1 << 16, style, seed), work(std::move(work_)) {
    socket.bind(*this);
    socket.bind(adapter.in);
    adapter.out.bind(checker.in);
    checker.out.bind(memory.socket);
    for (unsigned t = 0; t < threads; ++t) sc_core::sc_spawn([this, t] { work(t); });
    SC_HAS_PROCESS(Bench);
    SC_METHOD(method);
    if (threads != 0) dont_initialize();
  }
  /// Accesses the memory from a thread; returns the response.
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes,
                                  sc_core::sc_time delay = {}) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    socket->b_transport(p, delay);
    CHECK(delay == sc_core::SC_ZERO_TIME);
    return p.get_response_status();
  }
  void run() {
    sc_core::sc_start();
    checker.finish();
    CHECK(to_text(checker.breaches()) == "");
    CHECK(adapter.in_flight() == 0);
  }

  tlm::tlm_initiator_socket<32> socket{"socket"};
  AtTarget adapter;
  BaseProtocolChecker checker{"checker"};
  AtMemory memory;
  Work work;

 private:
  void method() { work(0); }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// Returns the end of a read of 256 B that begins after 7 ns.
double end_of_read(Style style, std::uint32_t burst) {
  unsigned char data[256] = {};
  Bench* bench = nullptr;
  Bench made("bench", style, burst, 1, [&](unsigned) {
    CHECK(bench->access(tlm::TLM_READ_COMMAND, 0, data, 256, sc_core::sc_time(7, sc_core::SC_NS)) == tlm::TLM_OK_RESPONSE);
  });
  bench = &made;
  made.run();
  return sc_core::sc_time_stamp().to_seconds() * 1e9;
}

/// Four threads write and read back ranges of their own, at random; returns the memory's counts.
void check_random(unsigned seed) {
  Bench* bench = nullptr;
  unsigned wrong = 0;
  Bench made(
      "bench", Style::any, 64, 4,
      [&](unsigned thread) {
        std::mt19937 random(100 * seed + thread);
        std::vector<unsigned char> expected(1 << 12), data(300);
        for (unsigned i = 0; i < 60; ++i) {
          const auto length = static_cast<unsigned>(1 + random() % 300);
          const unsigned at = static_cast<unsigned>(random() % (expected.size() - length));
          const std::uint64_t address = thread * expected.size() + at;
          if (i % 2 == 0) {
            for (unsigned b = 0; b < length; ++b) data[b] = expected[at + b] = static_cast<unsigned char>(random());
            wrong += bench->access(tlm::TLM_WRITE_COMMAND, address, data.data(), length) != tlm::TLM_OK_RESPONSE;
          } else {
            wrong += bench->access(tlm::TLM_READ_COMMAND, address, data.data(), length) != tlm::TLM_OK_RESPONSE;
            wrong += std::memcmp(data.data(), &expected[at], length) != 0;
          }
        }
      },
      seed);
  bench = &made;
  made.run();
  CHECK(wrong == 0);
  CHECK(made.memory.transactions > 4 * 60);  // most accesses have several bursts
  CHECK(made.memory.overtakes > 0);
  CHECK(made.adapter.payloads() < 40);  // they are reused
}

/// Lets a device's payload read through the adapter; returns the error, or the time in ns.
std::string device_reads(Style style) {
  std::string result;
  Bench* bench = nullptr;
  PayloadAccess access("memory");
  Bench made("bench", style, 64, 0, [&](unsigned) {
    std::byte data[256];
    try {
      const Tick took = access.transport(bench->socket, tlm::TLM_READ_COMMAND, 0, data, 256, 3000).latency;
      access.check(bench->socket, "a read");
      result = std::to_string(took);
    } catch (const std::exception& error) {
      result = error.what();
    }
  });
  bench = &made;
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
  CHECK(to_text(made.checker.breaches()) == "");
  return result;
}

}  // namespace

// Requests of 64 B begin at 7, 17, 27 and 37 ns, as each is accepted after 10 ns, and the last responds 50 ns later.
TEST_CASE("AT target: bursts overlap as the target accepts them", "[block][tlm]") {
  CHECK(end_of_read(Style::four_phases, 64) == Approx(87));
}
TEST_CASE("AT target: TLM_UPDATED with END_REQ accepts a request as END_REQ does", "[block][tlm]") {
  CHECK(end_of_read(Style::updated, 64) == Approx(87));
}
// Without END_REQ a request ends with its response: four times 50 ns.
TEST_CASE("AT target: a request without END_REQ ends with its response", "[block][tlm]") {
  CHECK(end_of_read(Style::no_end_req, 64) == Approx(207));
}
TEST_CASE("AT target: a response within the call ends at its annotated time", "[block][tlm]") {
  CHECK(end_of_read(Style::responds, 64) == Approx(207));
}
TEST_CASE("AT target: TLM_COMPLETED ends at its annotated time", "[block][tlm]") {
  CHECK(end_of_read(Style::completes, 64) == Approx(207));
}
TEST_CASE("AT target: an access is whole without a length of bursts", "[block][tlm]") {
  CHECK(end_of_read(Style::four_phases, 0) == Approx(57));
}

TEST_CASE("AT target: phases left out and responses out of order give the right data, seed 1", "[block][tlm]") {
  check_random(1);
}
TEST_CASE("AT target: phases left out and responses out of order give the right data, seed 2", "[block][tlm]") {
  check_random(2);
}

TEST_CASE("AT target: an error of one burst is the response of the access", "[block][tlm]") {
  Bench* bench = nullptr;
  unsigned char data[256] = {};
  Bench made("bench", Style::four_phases, 64, 1, [&](unsigned) {
    CHECK(bench->access(tlm::TLM_READ_COMMAND, (1 << 16) - 128, data, 256) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench->access(tlm::TLM_READ_COMMAND, (1 << 16) - 256, data, 256) == tlm::TLM_OK_RESPONSE);
  });
  bench = &made;
  made.run();
  CHECK(made.memory.transactions == 8);
}

TEST_CASE("AT target: a burst ends at a multiple of its length", "[block][tlm]") {
  Bench* bench = nullptr;
  unsigned char data[100] = {};
  Bench made("bench", Style::four_phases, 64, 1, [&](unsigned) { bench->access(tlm::TLM_READ_COMMAND, 60, data, 100); });
  bench = &made;
  made.run();
  CHECK(made.memory.transactions == 3);  // 4, 64 and 32 B
}

TEST_CASE("AT target: a device reads a target that responds within the call", "[block][tlm]") {
  CHECK(device_reads(Style::responds) == "50000");
}
TEST_CASE("AT target: a device reads a target that completes within the call", "[block][tlm]") {
  CHECK(device_reads(Style::completes) == "50000");
}
TEST_CASE("AT target: a device is told that a target answers late", "[block][tlm]") {
  CHECK(
      device_reads(Style::four_phases) ==
      "the target bound to bench.adapter.out answers after nb_transport_fw has returned, and a device cannot wait; legal: "
      "TLM_COMPLETED, or TLM_UPDATED with BEGIN_RESP and an annotated time; in kernel time also an answer to a request, and "
      "data by transport_dbg");
}

}  // namespace tributary::test_at_target
