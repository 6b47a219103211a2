/// The DGX-2 as it is elaborated (docs/systems/klenk.md#dgx-2).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>

#include "modules/base/sysc/memory_module.h"
#include "platforms/link_fault.h"
#include "platforms/netreduce/blocks.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/topology/network.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/observe/netlist.h"
#include "testbench/run/session.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/session_parts.h"

namespace tributary::test_netlist {
namespace {

/// `nic3.port2` for `torus.nic3.router.port2.out`: the device, and the port regardless of its path inside the device.
std::string port_of(const std::string& socket) {
  static const std::regex parts(R"([^.]+\.([^.]+)\..*?(port\d+)\..*)");
  std::smatch found;
  return std::regex_match(socket, found, parts) ? found[1].str() + "." + found[2].str() : socket;
}

/// A software module that accesses any number of targets.
struct Software : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  explicit Software(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 0> socket{"socket"};
};

void collect(const NetlistModule& module, std::vector<std::string>& links, unsigned& unbound) {
  for (const NetlistSocket& socket : module.sockets) {
    if (socket.bound.empty()) ++unbound;
    if (socket.protocol.find("Link") == std::string::npos) continue;
    for (const std::string& far : socket.bound) {
      const std::string here = port_of(module.name + "." + socket.name), there = port_of(far);
      links.push_back(socket.role == NetlistSocket::Role::initiator ? here + ">" + there : there + ">" + here);
    }
  }
  for (const NetlistModule& inner : module.modules) collect(inner, links, unbound);
}

using Parts = std::map<std::string, std::string>;

/// Returns how each module below the platform is called, by its name without that of the platform.
void add_parts(const NetlistModule& module, Parts& parts) {
  const std::size_t dot = module.name.find('.');
  if (dot != std::string::npos) parts[module.name.substr(dot + 1)] = module.called_directly ? "directly" : "over a socket";
  for (const NetlistModule& inner : module.modules) add_parts(inner, parts);
}
Parts parts_of(const std::vector<NetlistModule>& netlist) {
  Parts parts;
  for (const NetlistModule& module : netlist) add_parts(module, parts);
  return parts;
}

/// Checks that every direction of every link of the graph is bound once, seen from either end, and that nothing else is
/// bound.
void check_netlist(const std::string& platform, const topology::Graph& graph) {
  const Session session(default_run({platform, "--platform"}));
  const std::vector<NetlistModule> netlist = elaborated_netlist();
  REQUIRE(netlist.size() == 1);
  CHECK(netlist[0].name == platform.substr(0, platform.find(':')));
  CHECK(netlist[0].modules.size() == graph.nodes().size());
  std::vector<std::string> links, expected;
  unsigned unbound = 0;
  collect(netlist[0], links, unbound);
  for (const std::string& link : link_names(graph)) expected.insert(expected.end(), 2, link);
  std::sort(links.begin(), links.end());
  std::sort(expected.begin(), expected.end());
  CHECK(unbound == 0);
  CHECK(links == expected);
}

}  // namespace

TEST_CASE("netlist: the elaborated DGX-2 equals its graph", "[system][netlist]") {
  check_netlist("dgx2", machine("dgx2").graph);
}

TEST_CASE("netlist: the elaborated torus equals its graph", "[system][netlist]") {
  check_netlist("torus:4x4", topology::network("torus:4x4").graph);
}

TEST_CASE("netlist: the elaborated BiGraph equals its graph", "[system][netlist]") {
  check_netlist("bigraph:4x8", topology::network("bigraph:4x8").graph);
}

TEST_CASE("netlist: a memory shows all its initiators, and a multi-socket all its targets", "[block][netlist]") {
  DirectMemory memory("memory", 0_ns, 0), other("other", 0_ns, 1);
  Software first("first"), second("second"), third("third");
  first.socket.bind(memory.socket);
  first.socket.bind(other.socket);
  second.socket.bind(memory.socket);
  third.socket.bind(other.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::map<std::string, std::vector<std::string>> bound;
  for (const NetlistModule& module : elaborated_netlist())
    for (const NetlistSocket& socket : module.sockets) bound[module.name + "." + socket.name] = socket.bound;
  using Names = std::vector<std::string>;
  CHECK(bound["memory.socket"] == Names{"first.socket", "second.socket"});
  CHECK(bound["other.socket"] == Names{"first.socket", "third.socket"});
  CHECK(bound["first.socket"] == Names{"memory.socket", "other.socket"});
  CHECK(bound["second.socket"] == Names{"memory.socket"});
  CHECK(bound["third.socket"] == Names{"other.socket"});
}

TEST_CASE("netlist: GPUs, switches, ports and links have their names", "[system][netlist]") {
  Session session(run_spec("push", first_gpus(16), {1_KiB}));
  NvSwitchPlatform& system = nvswitch_of(session);
  CHECK(system.gpu_count() == 16);
  CHECK(system.switch_count() == 12);
  unsigned ports = 0;
  for (unsigned s = 0; s < system.switch_count(); ++s) ports += system.switch_at(s).ports();
  CHECK(ports == 192);  // the number of the paper's Eq. (2)

  std::set<std::string> names;
  for (const DirectedLink& link : system.links()) names.insert(link.name);
  CHECK(names.size() == 2 * (96 + 48));
  CHECK(system.links().size() == names.size());
  // GPU i port k <-> S(i/8, k) port i%8; S(0,k) port 8+j <-> S(1,k) port 8+j.
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 6; ++k) {
      const std::string gpu = "gpu" + std::to_string(i) + ".port" + std::to_string(k);
      const std::string port = "switch" + std::to_string(i / 8) + "_" + std::to_string(k) + ".port" + std::to_string(i % 8);
      CHECK(names.erase(gpu + ">" + port) == 1);
      CHECK(names.erase(port + ">" + gpu) == 1);
    }
  for (int k = 0; k < 6; ++k)
    for (int j = 8; j < 16; ++j) {
      const std::string tail = "_" + std::to_string(k) + ".port" + std::to_string(j);
      CHECK(names.erase("switch0" + tail + ">switch1" + tail) == 1);
      CHECK(names.erase("switch1" + tail + ">switch0" + tail) == 1);
    }
  CHECK(names.empty());
}

TEST_CASE("netlist: engines of GPUs and ports are called directly, tables and memories over sockets", "[system][netlist]") {
  const Session session(default_run({"dgx2", "--platform"}));
  const Parts parts = parts_of(elaborated_netlist());
  for (const char* name :
       {"gpu3.dma", "gpu3.executor", "gpu3.home", "gpu3.port2", "switch0_1.port4", "switch0_1.port4.link"})
    CHECK(parts.at(name) == "directly");
  for (const char* name : {"gpu3.memory", "switch0_1.port4.table"}) CHECK(parts.at(name) == "over a socket");
  for (const char* name : {"gpu3", "switch0_1"}) CHECK(parts.at(name) == "over a socket");  // devices
}

TEST_CASE("netlist: streams and channels of a DGX-2 are called directly, their copy engines over sockets",
          "[system][netlist]") {
  const Session session(run_spec("nccl", first_gpus(4), {1_KiB}));
  const Parts parts = parts_of(elaborated_netlist());
  CHECK(parts.at("gpu0.streams") == "directly");
  CHECK(parts.at("gpu0.streams.channels") == "directly");
  CHECK(parts.at("gpu0.streams.engine0") == "over a socket");
  CHECK(parts.at("gpu0.streams.memory") == "over a socket");
}

TEST_CASE("netlist: the NIC and the router of a node call each other directly", "[system][netlist]") {
  const Session session(default_run({"torus:2x2", "--platform"}));
  const Parts parts = parts_of(elaborated_netlist());
  for (const char* name : {"nic0.nic", "nic0.router"}) CHECK(parts.at(name) == "directly");
  for (const char* name : {"nic0.nic.table", "nic0.nic.reduction", "nic0.nic.memory"})
    CHECK(parts.at(name) == "over a socket");
}

TEST_CASE("netlist: an accelerator calls its own parts directly, and a part of the user over its socket",
          "[system][netlist]") {
  const std::vector<std::string> names{"icrc", "clt", "state", "ctt", "headers", "combinator", "payloads"};
  for (const bool own : {false, true}) {
    const std::string direct = in_child([&] {
      RunSpec spec = default_run({"rack:3", "--platform"});
      if (own)
        spec.blocks.add(payloads_slot, [](const char* name, const Accelerator::Config&) {
          return std::make_unique<PayloadBufferModule>(name);
        });
      const Session session(spec);
      const Parts parts = parts_of(elaborated_netlist());
      std::string list;
      for (const std::string& name : names)
        if (parts.at("accelerator." + name) == "directly") list += name + " ";
      for (const char* host : {"host0.nic", "host0.agent"})
        if (parts.at(host) == "directly") list += std::string(host) + " ";
      for (const char* other : {"host0.memory", "switch.access_list"})
        if (parts.at(other) == "directly") list += std::string(other) + " ";
      return list;
    });
    CHECK(direct ==
          std::string("icrc clt state ctt headers combinator ") + (own ? "" : "payloads ") + "host0.nic host0.agent ");
  }
}

TEST_CASE("netlist: the lookahead is the link's latency", "[system][netlist]") {
  Session session(run_spec("push", first_gpus(16), {1_KiB}, {"nvswitch.link.latency=7ns"}));
  CHECK(nvswitch_of(session).lookahead() == 7'000);
}

TEST_CASE("netlist: blocks have the names that waveforms and reports use", "[system][netlist]") {
  const Session session(run_spec("push", first_gpus(16), {1_KiB}));
  for (const char* name :
       {"dgx2.switch0_2.port5.table.occupancy", "dgx2.switch1_5.port15.table.merges", "dgx2.switch0_2.port5.table.evictions",
        "dgx2.switch0_2.port5.input.vc0.flits", "dgx2.switch0_2.port5.input.vc1.flits", "dgx2.gpu15.dma.wave15.count",
        "dgx2.gpu0.home.partials"}) {
    INFO(name);
    CHECK(session.probes().entries().count(name) == 1);
  }
}

}  // namespace tributary::test_netlist
