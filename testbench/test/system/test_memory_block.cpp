// A GPU's memory at its TLM socket: 180 + U[0,180) cycles of 0.64 ns (docs/systems/klenk.md#delays).
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <vector>

#include "modules/gpu/memory.h"
#include "modules/link/link_protocol.h"

namespace tributary::test_memory_block {
namespace {

/// Initiator of a memory.
class Reader : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  Reader(const sc_core::sc_module_name& name, const MemoryParams& params, std::uint64_t seed, std::uint32_t gpu)
      : sc_module(name), memory("memory", params, seed, gpu) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    socket.bind(memory.socket);
  }
  tlm::tlm_initiator_socket<32> socket{"socket"};
  Memory memory;

  Tick access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload t;
    t.set_command(command);
    t.set_address(address);
    t.set_data_ptr(static_cast<unsigned char*>(data));
    t.set_data_length(bytes);
    t.set_streaming_width(bytes);
    t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(t, delay);
    status = t.get_response_status();
    return delay.value();
  }
  std::vector<Tick> latencies(unsigned n) {
    std::vector<Tick> all;
    for (unsigned i = 0; i < n; ++i) all.push_back(access(tlm::TLM_READ_COMMAND, 0, nullptr, 128));
    return all;
  }
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

}  // namespace

TEST_CASE("memory: a read takes 115.2 ns and a uniform random part below 115.2 ns", "[block][memory]") {
  Reader r("reader", {}, 1, 0);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  constexpr unsigned n = 20'000;
  const std::vector<Tick> all = r.latencies(n);
  double sum = 0;
  std::array<unsigned, 4> quarters{};
  for (const Tick t : all) {
    REQUIRE(t >= 115'200);
    REQUIRE(t < 230'400);
    sum += static_cast<double>(t);
    ++quarters[(t - 115'200) / 28'800];
  }
  // Mean 172.8 ns; standard error 115.2 / sqrt(12 n) = 0.235 ns: five of them. A quarter: 5000, deviation 61.
  CHECK(sum / n == Approx(172'800).margin(1'200));
  for (const unsigned q : quarters) CHECK(q == Approx(5000).margin(310));
}

TEST_CASE("memory: latencies depend on seed, GPU and the number of the read alone", "[block][memory]") {
  Reader a("a", {}, 1, 0), same("same", {}, 1, 0), other_gpu("other_gpu", {}, 1, 1), other_seed("other_seed", {}, 2, 0);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::vector<Tick> first = a.latencies(100);
  CHECK(std::set<Tick>(first.begin(), first.end()).size() > 90);
  CHECK(a.latencies(100) != first);
  a.memory.reset();
  CHECK(a.latencies(100) == first);
  CHECK(same.latencies(100) == first);
  CHECK(other_gpu.latencies(100) != first);
  CHECK(other_seed.latencies(100) != first);
}

TEST_CASE("memory: it returns the data written immediately, and refuses addresses beyond it", "[block][memory]") {
  Reader r("reader", {}, 1, 0);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  r.memory.resize(1024);
  std::array<std::uint8_t, 128> out{}, in{};
  for (unsigned i = 0; i < 128; ++i) out[i] = static_cast<std::uint8_t>(i * 7);
  CHECK(r.access(tlm::TLM_WRITE_COMMAND, 896, out.data(), 128) == 0);
  CHECK(r.status == tlm::TLM_OK_RESPONSE);
  r.access(tlm::TLM_READ_COMMAND, 896, in.data(), 128);
  CHECK(r.status == tlm::TLM_OK_RESPONSE);
  CHECK(in == out);
  CHECK(std::memcmp(r.memory.data() + 896, out.data(), 128) == 0);
  r.access(tlm::TLM_READ_COMMAND, 897, in.data(), 128);
  CHECK(r.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  r.access(tlm::TLM_READ_COMMAND, ~std::uint64_t{0} - 63, in.data(), 128);  // address + length wraps to 64
  CHECK(r.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("memory: timing is the same with and without storage, and constant without jitter", "[block][memory]") {
  MemoryParams fixed;
  fixed.latency = 50_ns;
  fixed.jitter = 0_ns;
  Reader with("with", {}, 1, 0), without("without", {}, 1, 0), steady("steady", fixed, 1, 0);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  with.memory.resize(4096);
  std::array<std::uint8_t, 128> data{};
  for (unsigned i = 0; i < 50; ++i)
    CHECK(with.access(tlm::TLM_READ_COMMAND, i, data.data(), 128) ==
          without.access(tlm::TLM_READ_COMMAND, i, data.data(), 128));
  for (const Tick t : steady.latencies(10)) CHECK(t == 50'000);
  CHECK(without.status == tlm::TLM_OK_RESPONSE);
}

}  // namespace tributary::test_memory_block
