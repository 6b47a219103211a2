// Two schedule NICs, a link between them: software writes the rows of an all-reduce into the tables over their sockets, the
// NICs step through them, and a waveform shows it.
#include <cstring>
#include <iostream>

#include "modules/nic/core/entry_code.h"
#include "platforms/schedule_nic/network_node.h"
#include "testbench/observe/waveform.h"

using namespace tributary;

namespace {

constexpr std::uint32_t chunk = 4096;  // bytes: a message of two chunks

/// What runs on the host: writes rows of 200 bits into a schedule table.
class Software : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<32> socket{"socket"};
  explicit Software(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }

  /// False when the table has no such row.
  bool write(std::uint64_t row, const ScheduleEntry& entry) {
    EntryCode code = encode(entry);
    tlm::tlm_generic_payload access;
    access.set_write();
    access.set_address(row * sizeof code);
    access.set_data_ptr(reinterpret_cast<unsigned char*>(code.data()));
    access.set_data_length(sizeof code);
    access.set_streaming_width(sizeof code);
    sc_core::sc_time delay;
    socket->b_transport(access, delay);
    return access.is_response_ok();
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Host : CompletionListener {
  Tick last = 0;  // of the last NIC
  void done(unsigned, Tick when) override { last = std::max(last, when); }
  void failed(unsigned, Tick, const std::string&) override {}
};

NetworkNode::Config node_config(std::uint16_t n, const Nic::Parts& parts) {
  NetworkNode::Config c;
  c.parts = parts;
  c.router.core.ports = c.router.core.interfaces = 1;
  c.router.core.latency = 3000;
  c.router.core.rate = c.router.link.rate = 16_GBps;
  c.router.core.port_names = {"port0"};
  c.router.core.ways.to.resize(2);
  c.router.core.ways.to[1 - n].port = 0;
  c.router.link.latency = 150_ns;
  c.router.max_flits = 17;
  c.router.buffer_flits = 318;
  NicCore::Config& nic = c.nic.emplace();
  nic.schedule = {n, NicParams{}, 16_GBps, FlowControlParams{}};
  nic.table_entries = 4;
  nic.interface_of = {0, 0};
  return c;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  // Elaboration: the table is ours to make, so that software can be bound to it, too.
  std::vector<ScheduleTable*> tables;
  Nic::Parts parts;
  parts.table = [&](const char* name, const NicCore::Config& config) {
    auto table = std::make_unique<ScheduleTable>(name, config.table_entries);
    tables.push_back(table.get());
    return table;
  };
  PacketPool pool{ScheduleNicLink{}};
  PayloadViews views;
  Host host;
  NetworkNode first("node0", node_config(0, parts), pool, views, host),
      second("node1", node_config(1, parts), pool, views, host);
  NetworkNode* const nodes[] = {&first, &second};
  const LinkEnd a = first.link_end(0), b = second.link_end(0);
  a.out.bind(b.in);
  b.out.bind(a.in);
  Software software0("software0"), software1("software1");
  software0.socket.bind(tables[0]->socket);
  software1.socket.bind(tables[1]->socket);

  ProbeDirectory probes;
  for (NetworkNode* node : nodes) node->describe(probes);
  Waveform waveform(probes, {"node0.nic.*"}, argc > 1 ? argv[1] : "schedule_nic.vcd");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  // An all-reduce of two: each sends the other's chunk up its tree, where it is added, and its own sum down.
  using Op = ScheduleEntry::Op;
  constexpr std::uint16_t nil = ScheduleEntry::nil;
  for (std::uint16_t n = 0; n < 2; ++n) {
    const auto other = static_cast<std::uint16_t>(1 - n);
    Software& software = n == 0 ? software0 : software1;
    const bool loaded =
        software.write(0, {Op::reduce, other, other, {nil, nil, nil, nil}, 1, other * std::uint64_t{chunk}, chunk}) &&
        software.write(1, {Op::gather, n, nil, {other, nil, nil, nil}, 2, n * std::uint64_t{chunk}, chunk});
    if (!loaded || software.write(4, {})) return 1;  // the table has four rows

    nodes[n]->nic()->resize_memory(2 * chunk);
    const std::vector<std::int32_t> operands(2 * chunk / 4, 10 + n);
    std::memcpy(nodes[n]->nic()->memory(), operands.data(), 2 * chunk);
  }
  constexpr Tick start = 1'000'000;
  for (NetworkNode* node : nodes) {
    NicProgram program;
    program.table.rows = 2;
    program.table.reduces = program.table.gathers = 1;
    program.type = ElementType::i32;
    node->post(program, start);
  }
  sc_core::sc_start();
  waveform.finish();

  std::size_t wrong = 0;
  for (NetworkNode* node : nodes)
    for (std::size_t i = 0; i < 2 * chunk / 4; ++i) {
      std::int32_t sum;
      std::memcpy(&sum, node->nic()->memory() + 4 * i, 4);
      wrong += sum != 21;
    }
  std::cout << "all-reduce of " << 2 * chunk << " B in " << host.last - start << " ps, " << wrong << " wrong\n";
  for (NetworkNode* node : nodes) node->reset();
  return wrong == 0 ? 0 : 1;
}
