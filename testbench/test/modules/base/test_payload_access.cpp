// Accesses by generic payload keep the base protocol, and targets that do not are refused in one line.
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>

#include "modules/base/sysc/base_protocol_checker.h"
#include "modules/base/sysc/memory_module.h"
#include "modules/base/sysc/payload_access.h"
#include "testbench/test/harness/textbook_memory.h"

namespace tributary::test_payload_access {

using Catch::Matchers::Contains;

namespace {

/// A method process that accesses a target once, as devices do, with a checker in between.
struct Initiator : sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
  template <class Target>
  Initiator(const sc_core::sc_module_name& name, Target& target) : sc_module(name) {
    socket.bind(*this);
    socket.bind(checker.in);
    checker.out.bind(target);
    SC_HAS_PROCESS(Initiator);
    SC_METHOD(work_once);
    sensitive << begin;
    dont_initialize();
  }
  /// Returns the error that ends the work; empty if there is none.
  std::string run(const std::function<void()>& what) {
    work = what;
    begin.notify(sc_core::sc_time(1, sc_core::SC_US));
    sc_core::sc_start();
    return error;
  }
  std::string read(unsigned char* data, unsigned bytes, Tick ahead = 0) {
    return run([=] {
      took = access.transport(socket, tlm::TLM_READ_COMMAND, 16, reinterpret_cast<std::byte*>(data), bytes, ahead).latency;
      access.check(socket, "a read");
    });
  }

  tlm::tlm_initiator_socket<32> socket{"socket"};
  BaseProtocolChecker checker{"checker"};
  PayloadAccess access{"memory"};
  Tick took = 0;
  sc_core::sc_event begin;
  std::function<void()> work;
  std::string error;

 private:
  void work_once() {
    try {
      work();
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// A target with one function.
struct Target : sc_core::sc_module {
  using Function = std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)>;
  Target(const sc_core::sc_module_name& name, Function function_) : sc_module(name), function(std::move(function_)) {
    socket.register_b_transport(this, &Target::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { function(payload, delay); }
  tlm_utils::simple_target_socket<Target> socket{"socket"};
  Function function;
};

/// An AT target: simple_target_socket converts b_transport, and waits.
struct AtOnly : sc_core::sc_module {
  explicit AtOnly(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_nb_transport_fw(this, &AtOnly::nb_transport_fw);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
    return tlm::TLM_ACCEPTED;
  }
  tlm_utils::simple_target_socket<AtOnly> socket{"socket"};
};

struct Nothing : sc_core::sc_module {
  explicit Nothing(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_utils::simple_target_socket<Nothing> socket{"socket"};
};

/// The error of a read of 4 bytes from such a target.
std::string error_of(Target::Function function) {
  Target target("target", std::move(function));
  Initiator initiator("initiator", target.socket);
  std::array<unsigned char, 4> data{};
  return initiator.read(data.data(), 4, 1000);
}

}  // namespace

TEST_CASE("payload access: a textbook memory accepts reads, writes and requests of time", "[block][tlm]") {
  TextbookMemory memory("memory", 1 << 20, sc_core::sc_time(30, sc_core::SC_NS));
  Initiator initiator("initiator", memory.socket);
  std::array<unsigned char, 4> data{1, 2, 3, 4};
  auto* const bytes = reinterpret_cast<std::byte*>(data.data());
  CHECK(initiator.run([&] {
    PayloadAccess& access = initiator.access;
    CHECK(access.transport(initiator.socket, tlm::TLM_WRITE_COMMAND, 16, bytes, 4, 0).latency == 30'000);
    CHECK(access.transport(initiator.socket, tlm::TLM_READ_COMMAND, 0, nullptr, 1 << 20, 700).latency == 30'000);
    CHECK(is_timing_only(access.payload()));
    CHECK(access.payload().get_data_length() == 1 << 20);
    data = {};
    CHECK(access.transport(initiator.socket, tlm::TLM_READ_COMMAND, 16, bytes, 4, 0).latency == 30'000);
    CHECK_FALSE(is_timing_only(access.payload()));
    CHECK(access.transport(initiator.socket, tlm::TLM_READ_COMMAND, 0, nullptr, 0, 0).latency ==
          30'000);  // a copy of no bytes
    access.check(initiator.socket, "a request");
  }) == "");
  CHECK(data == std::array<unsigned char, 4>{1, 2, 3, 4});
  CHECK(to_text(initiator.checker.breaches()) == "");
  CHECK(initiator.checker.transactions() == 4);
  CHECK((memory.reads == 3 && memory.writes == 1));
}

TEST_CASE("payload access: a request of more than 4 GiB has a length of 32 bits and occupies no memory", "[block][tlm]") {
  DirectMemory memory("memory", 5_ns, 0);
  Initiator initiator("initiator", memory.socket);
  CHECK(initiator.run([&] {
    CHECK(initiator.access.transport(initiator.socket, tlm::TLM_READ_COMMAND, 0, nullptr, 1ull << 40, 0).latency == 5000);
  }) == "");
  CHECK(initiator.access.payload().get_data_length() == 0xFFFF'FFFF);
  CHECK(to_text(initiator.checker.breaches()) == "");
}

TEST_CASE("payload access: a target adds a latency and an interval, for one access", "[block][tlm]") {
  bool busy = true;
  Target target("target", [&](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += sc_core::sc_time(3, sc_core::SC_NS);
    if (busy) RequestInterval::add(p, 500), RequestInterval::add(p, 200);
  });
  Initiator initiator("initiator", target.socket);
  CHECK(initiator.run([&] {
    const AccessTime first = initiator.access.transport(initiator.socket, tlm::TLM_READ_COMMAND, 0, nullptr, 64, 40);
    CHECK((first.latency == 3000 && first.interval == 700));
    busy = false;
    const AccessTime second = initiator.access.transport(initiator.socket, tlm::TLM_READ_COMMAND, 0, nullptr, 64, 40);
    CHECK((second.latency == 3000 && second.interval == 0));
  }) == "");
}

TEST_CASE("payload access: an AT target is refused in one line, and the payload is whole afterwards", "[block][tlm]") {
  AtOnly target("target");
  Initiator initiator("initiator", target.socket);
  std::array<unsigned char, 4> data{};
  CHECK(
      initiator.read(data.data(), 4) ==
      "the memory bound to initiator.socket has no b_transport, only nb_transport_fw; legal: a target with b_transport, or "
      "an AtTarget in between");
  tlm::tlm_generic_payload& payload = initiator.access.payload();
  CHECK_FALSE(payload.has_mm());
  CHECK(payload.get_ref_count() == 0);
  CHECK(payload.get_extension<RequestInterval>() != nullptr);  // it belongs to the initiator, and is there again
  payload.clear_extension<RequestInterval>();
  for (unsigned i = 0; i < tlm::max_num_extensions(); ++i) CHECK(payload.get_extension(i) == nullptr);
}

TEST_CASE("payload access: a target without any function is refused in one line", "[block][tlm]") {
  Nothing target("target");
  Initiator initiator("initiator", target.socket);
  std::array<unsigned char, 4> data{};
  CHECK(initiator.read(data.data(), 4) ==
        "the memory bound to initiator.socket has no b_transport; legal: a target with b_transport, or an AtTarget in "
        "between");
}

TEST_CASE("payload access: a target that waits is refused, and so is a request of time", "[block][tlm]") {
  Target target("target", [](tlm::tlm_generic_payload&, sc_core::sc_time&) { sc_core::wait(5, sc_core::SC_NS); });
  Initiator initiator("initiator", target.socket);
  CHECK_THAT(initiator.read(nullptr, 4), Contains("the memory bound to initiator.socket waits in b_transport"));
  CHECK(initiator.access.payload().get_extension<TimingOnly>() == nullptr);
}

TEST_CASE("payload access: an error response is named with socket and status", "[block][tlm]") {
  CHECK(error_of([](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
          p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        }) == "the memory bound to initiator.socket refused a read (TLM_ADDRESS_ERROR_RESPONSE)");
}

TEST_CASE("payload access: a missing response is named with socket and status", "[block][tlm]") {
  CHECK(error_of([](tlm::tlm_generic_payload&, sc_core::sc_time&) {}) ==
        "the memory bound to initiator.socket gave no response to a read (TLM_INCOMPLETE_RESPONSE)");
}

TEST_CASE("payload access: a target that sets the delay instead of adding to it is refused", "[block][tlm]") {
  CHECK(error_of([](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
          p.set_response_status(tlm::TLM_OK_RESPONSE);
          delay = sc_core::sc_time(900, sc_core::SC_PS);
        }) == "the memory bound to initiator.socket reduces the delay of b_transport; legal: add to it");
}

TEST_CASE("payload access: other exceptions of a target pass unchanged", "[block][tlm]") {
  CHECK(error_of([](tlm::tlm_generic_payload&, sc_core::sc_time&) { throw std::out_of_range("row 7"); }) == "row 7");
}

}  // namespace tributary::test_payload_access
