// One NVSwitch between sixteen packet sources and sinks, a monitor on every link, and a waveform of one port.
#include <iostream>

#include "modules/base/random.h"
#include "modules/nvswitch/nvswitch.h"
#include "modules/protocol/nvlink.h"
#include "testbench/harness/packet_endpoint.h"
#include "testbench/harness/protocol_monitor.h"
#include "testbench/observe/waveform.h"

using namespace tributary;

int sc_main(int argc, char* argv[]) {
  constexpr unsigned ports = 16, packets = 1000;
  NvSwitch::Config config;
  config.params.latency = 120_ns;
  config.params.reduction_table.bytes = 4_KiB;
  config.ports = ports;
  const unsigned buffer = input_buffer_flits(config.params, config.link);
  config.far_buffer_flits.assign(ports, buffer);
  RouteTable routes(ports, 1, 1);
  for (unsigned p = 0; p < ports; ++p) routes.set_gpu(p, 0, p);  // GPU p is reached through port p
  NvSwitch nvswitch("switch", config, routes);

  PacketPool pool{NvLink{}};
  std::vector<std::unique_ptr<PacketEndpoint>> gpus;
  std::vector<std::unique_ptr<ProtocolMonitor>> monitors;
  for (unsigned p = 0; p < ports; ++p) {
    gpus.push_back(std::make_unique<PacketEndpoint>(("gpu" + std::to_string(p)).c_str(),
                                                    NvLinkTransmitter::Config{config.link, buffer, 0}));
    connect_monitored(gpus[p]->port, nvswitch.port(p).link, {config.link, buffer}, monitors);
    gpus[p]->source.generate = [&pool, p, made = 0u](unsigned vc) mutable -> Packet* {
      if (vc != request_vc || made == packets) return nullptr;
      Packet* packet = pool.make(block_bytes, false);  // 128 B without values: only time counts
      packet->vc = request_vc;
      nv(*packet).opcode = Opcode::write;
      nv(*packet).source = static_cast<std::uint16_t>(p);
      nv(*packet).destination = static_cast<std::uint16_t>(below(random_at(1, p, made++), ports));
      return packet;
    };
  }

  ProbeDirectory probes;
  nvswitch.describe(probes);
  Waveform waveform(probes, {"switch.port5.*"}, argc > 1 ? argv[1] : "one_switch.vcd");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  nvswitch.reset();  // announces the first levels
  for (auto& gpu : gpus) gpu->start(1'000'000);
  sc_core::sc_start();
  waveform.finish();

  std::size_t delivered = 0, violations = 0;
  Tick last = 0;
  for (auto& gpu : gpus) delivered += gpu->delivered.size(), last = std::max(last, gpu->delivered.back().tail);
  for (auto& monitor : monitors) monitor->finish(), violations += monitor->violations().size();
  std::cout << delivered << " packets by " << last << " ps, " << violations << " violations, " << waveform.signals()
            << " signals\n";
  return delivered == ports * packets && violations == 0 ? 0 : 1;
}
