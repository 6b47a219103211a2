// Real links under the protocol monitor: a switch under random traffic, and GPUs that reduce through a switch.
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/base/random.h"
#include "modules/gpu/gpu.h"
#include "testbench/harness/switch_system.h"
#include "testbench/run/completion.h"

namespace tributary::test_link_block {
namespace {

std::string finish(const std::vector<std::unique_ptr<ProtocolMonitor>>& monitors) {
  std::string text;
  for (const auto& m : monitors) {
    m->finish();
    text += to_text(m->violations());
  }
  return text;
}

/// GPUs with one link each, around one switch.
class GpuStar : public sc_core::sc_module {
 public:
  GpuStar(const sc_core::sc_module_name& name, unsigned count, DmaStage::Kind kind)
      : sc_module(name), kind_(kind), map_(AddressMap::Hash::interleave, {1, 1, count, 1}, 1) {
    NvSwitch::Config c;
    c.params.reduction_table.bytes = 4_KiB;
    c.ports = count;
    const unsigned buffer = input_buffer_flits(c.params, c.link);
    c.far_buffer_flits.assign(count, buffer);
    for (unsigned p = 0; p < count; ++p) c.forwarding.endpoint_ports |= port_bit<WidePortMask>(p);
    RouteTable routes(count, 1, 1);
    for (unsigned g = 0; g < count; ++g) routes.set_gpu(g, 0, g);
    device = std::make_unique<NvSwitch>("switch", c, routes);
    device->set_windows(Windows::of(c.link.latency.value, c.params.latency.value, 1'000'000, {0, 2}));
    for (unsigned g = 0; g < count; ++g) add_gpu(g, buffer, c.link);
  }
  PacketPool pool{NvLink{}};
  Completion completion;
  std::unique_ptr<NvSwitch> device;
  std::vector<std::unique_ptr<Gpu>> gpus;
  std::vector<std::unique_ptr<ProtocolMonitor>> monitors;

  /// Posts an all-reduce of i32 elements; element i of GPU g is g + i.
  void post(std::uint64_t bytes) {
    const auto n = static_cast<unsigned>(gpus.size());
    MulticastRegion region{0, 0, bytes, {}};
    for (unsigned g = 0; g < n; ++g) region.members.push_back(static_cast<std::uint16_t>(g));
    device->add_region(region);
    completion.expect(n);
    for (unsigned g = 0; g < n; ++g) {
      gpus[g]->translation().add({0, bytes, 0});
      gpus[g]->memory().resize(bytes);
      for (std::uint32_t i = 0; i < bytes / 4; ++i) {
        const std::uint32_t value = g + i;
        std::memcpy(gpus[g]->memory().data() + 4 * i, &value, 4);
      }
      gpus[g]->post(operation(bytes, g), 1'000'000);
    }
  }
  std::uint64_t wrong() const {
    const auto n = static_cast<std::uint32_t>(gpus.size());
    std::uint64_t count = 0;
    for (const auto& gpu : gpus)
      for (std::uint32_t i = 0; i < gpu->memory().size() / 4; ++i) {
        std::uint32_t value;
        std::memcpy(&value, gpu->memory().data() + 4 * i, 4);
        if (value != n * i + n * (n - 1) / 2) ++count;
      }
    return count;
  }

 private:
  void add_gpu(unsigned g, unsigned buffer, const LinkParams& link) {
    Gpu::Config c;
    c.core.gpu = static_cast<std::uint16_t>(g);
    c.core.injection_rate = link.rate;
    c.ports = 1;
    c.far_buffer_flits = buffer;
    gpus.push_back(std::make_unique<Gpu>(("gpu" + std::to_string(g)).c_str(), c, map_, pool, completion));
    gpus.back()->set_windows(Windows::of(link.latency.value, 150'000, 1'000'000, {1, 2}));
    connect_monitored(gpus.back()->port(0), device->port(g).link, {link, buffer}, monitors);
  }
  GpuProgram operation(std::uint64_t bytes, unsigned gpu) const {
    GpuProgram o;
    o.type = ElementType::i32;
    o.members = static_cast<unsigned>(gpus.size());
    DmaStage s;
    s.kind = kind_;
    s.message = {0, bytes};
    s.block_count = s.arrivals = s.message.blocks();
    s.wave_blocks = 64;
    if (kind_ == DmaStage::Kind::pull) {
      s.block_count /= gpus.size();
      s.first_block = gpu * s.block_count;
    }
    o.stages.push_back(s);
    return o;
  }
  DmaStage::Kind kind_;
  AddressMap map_;
};

}  // namespace

TEST_CASE("links of a switch: they keep the protocol under random traffic and back-pressure", "[block][monitor]") {
  SwitchSystem::Config c;
  c.monitored = true;
  c.params.input_buffer = 720_B;
  c.params.output_queue = 432_B;
  SwitchSystem s("system", c);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint64_t made = 0;
  for (unsigned p = 0; p < 16; ++p) {
    s.endpoints[p]->credit_delay = p % 3 == 0 ? 200'000 : 0;
    s.endpoints[p]->source.generate = [&, p](unsigned vc) -> Packet* {
      if (++made > 4000) return nullptr;
      return s.packet(vc, p, static_cast<unsigned>(below(mix64(made), 16)), made, static_cast<unsigned>(made % 129));
    };
    s.endpoints[p]->start(1'000'000);
  }
  sc_core::sc_start();
  CHECK(finish(s.monitors).empty());
  std::uint64_t in = 0, out = 0;
  for (std::size_t m = 0; m < s.monitors.size(); m += 2) in += s.monitors[m]->packets(), out += s.monitors[m + 1]->packets();
  CHECK((in == 4000 && out == 4000));
}

TEST_CASE("links of a switch: the monitors see the packets of a push all-reduce and no violation", "[block][monitor]") {
  GpuStar star("star", 4, DmaStage::Kind::push);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  constexpr std::uint64_t blocks = 256;
  star.post(blocks * block_bytes);
  sc_core::sc_start();
  CHECK(star.completion.all_done());
  CHECK(star.wrong() == 0);
  CHECK(finish(star.monitors).empty());
  for (unsigned g = 0; g < 4; ++g) {
    // An operand and the ack of a result for each block in one direction; the result in the other.
    CHECK(star.monitors[2 * g]->packets() == 2 * blocks);
    CHECK(star.monitors[2 * g]->flits() == (9 + 1) * blocks);
    CHECK(star.monitors[2 * g + 1]->packets() == blocks);
    CHECK(star.monitors[2 * g + 1]->flits() == 9 * blocks);
  }
  CHECK(star.pool.live() == 0);
}

TEST_CASE("links of a switch: the monitors see the packets of a pull all-reduce and no violation", "[block][monitor]") {
  GpuStar star("star", 4, DmaStage::Kind::pull);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  constexpr std::uint64_t blocks = 256;
  star.post(blocks * block_bytes);
  sc_core::sc_start();
  CHECK(star.completion.all_done());
  CHECK(star.wrong() == 0);
  CHECK(finish(star.monitors).empty());
  for (unsigned g = 0; g < 4; ++g) {
    // Up, for the 64 blocks of its own share: request, result; for 192 others: response, ack.
    CHECK(star.monitors[2 * g]->flits() == 64 * (1 + 9) + 192 * (9 + 1));
    // Down: one reduced response and three acks for each own block; a request and a result for each of the others.
    CHECK(star.monitors[2 * g + 1]->flits() == 64 * (9 + 3) + 192 * (1 + 9));
  }
  CHECK(star.pool.live() == 0);
}

// Twice as many GPUs as a switch of the paper has: tests its masks of ports, the regions and the counts of operands.
TEST_CASE("32 GPUs at one switch: push adds all operands and gives one result for each block", "[block][ports]") {
  GpuStar star("star", 32, DmaStage::Kind::push);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  constexpr std::uint64_t blocks = 128;
  star.post(blocks * block_bytes);
  sc_core::sc_start();
  CHECK(star.completion.all_done());
  CHECK(star.wrong() == 0);
  CHECK(finish(star.monitors).empty());
  for (unsigned g = 0; g < 32; ++g) {
    CHECK(star.monitors[2 * g]->flits() == (9 + 1) * blocks);
    CHECK(star.monitors[2 * g + 1]->flits() == 9 * blocks);
  }
  CHECK(star.device->waiting().empty());
  CHECK(star.pool.live() == 0);
}

TEST_CASE("32 GPUs at one switch: pull collects all operands", "[block][ports]") {
  GpuStar star("star", 32, DmaStage::Kind::pull);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  constexpr std::uint64_t blocks = 128;
  star.post(blocks * block_bytes);
  sc_core::sc_start();
  CHECK(star.completion.all_done());
  CHECK(star.wrong() == 0);
  CHECK(finish(star.monitors).empty());
  // Up, for the 4 blocks of its own share: request, result; for 124 others: response, ack. Down: a reduced response and
  // 31 acks.
  for (unsigned g = 0; g < 32; ++g) {
    CHECK(star.monitors[2 * g]->flits() == 4 * (1 + 9) + 124 * (9 + 1));
    CHECK(star.monitors[2 * g + 1]->flits() == 4 * (9 + 31) + 124 * (1 + 9));
  }
  CHECK(star.pool.live() == 0);
}

}  // namespace tributary::test_link_block
