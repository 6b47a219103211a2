"""Inputs of other simulators and of Tributary for the works of docs/notes/other_simulators.md."""
import random

LEAF_SPINE = """Nodes 32
Tiers 2
Podsize 32

Tier 0
Downlink_speed_Gbps 100
Radix_Down 8
Radix_Up 1
Downlink_Latency_ns 10
Switch_Latency_ns 300
Oversubscribed 8

Tier 1
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 50
Switch_Latency_ns 300
"""

BOOKSIM = """topology = torus;
k = 8;
n = 2;
routing_function = dim_order;
num_vcs = 2;
vc_buf_size = 318;
wait_for_tail_credit = 0;
vc_allocator = separable_input_first;
sw_allocator = separable_input_first;
alloc_iters = 1;
credit_delay = 2;
routing_delay = 0;
vc_alloc_delay = 1;
sw_alloc_delay = 1;
st_final_delay = 1;
hold_switch_for_packet = 1;
traffic = uniform;
packet_size = 17;
sim_type = batch;
batch_size = 512;
batch_count = 1;
"""

NS3_RING = r"""// Ring of bulk transfers through a leaf-spine network: host h sends to host h + 1, over TCP.
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-nix-vector-helper.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include <cstdlib>
#include <iostream>
#include <string>
using namespace ns3;
static uint64_t hops, received;
static double last;
static void Hop(Ptr<const Packet>) { ++hops; }
static void Got(Ptr<const Packet> p, const Address&) { received += p->GetSize(); last = Simulator::Now().GetSeconds(); }
int main(int argc, char** argv)
{
    const uint64_t bytes = std::strtoull(argv[1], nullptr, 10); // per host
    const bool count = argc > 2 && std::string(argv[2]) == "count";
    const uint32_t delack = argc > 3 ? std::atoi(argv[3]) : 2;
    const uint32_t racks = 4, perRack = 8, hosts = racks * perRack;
    Time::SetResolution(Time::PS);
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1024));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(delack));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 18));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 18));
    NodeContainer host, leaf, spine;
    host.Create(hosts);
    leaf.Create(racks);
    spine.Create(1);
    InternetStackHelper stack;
    Ipv4NixVectorHelper nix;
    stack.SetRoutingHelper(nix);
    stack.SetIpv6StackInstall(false);
    stack.Install(host);
    stack.Install(leaf);
    stack.Install(spine);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
    std::vector<Ipv4Address> at(hosts);
    link.SetChannelAttribute("Delay", StringValue("310ns")); // cable 10 ns, switch 300 ns
    for (uint32_t h = 0; h < hosts; ++h)
    {
        auto devices = link.Install(host.Get(h), leaf.Get(h / perRack));
        at[h] = address.Assign(devices).GetAddress(0);
        address.NewNetwork();
    }
    link.SetChannelAttribute("Delay", StringValue("350ns"));
    for (uint32_t l = 0; l < racks; ++l)
    {
        address.Assign(link.Install(leaf.Get(l), spine.Get(0)));
        address.NewNetwork();
    }
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
    for (uint32_t h = 0; h < hosts; ++h)
    {
        sink.Install(host.Get(h)).Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&Got));
        BulkSendHelper send("ns3::TcpSocketFactory", InetSocketAddress(at[(h + 1) % hosts], 9));
        send.SetAttribute("MaxBytes", UintegerValue(bytes));
        send.SetAttribute("SendSize", UintegerValue(65536));
        send.Install(host.Get(h)).Start(NanoSeconds(1));
    }
    if (count)
        Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::PointToPointNetDevice/PhyTxEnd", MakeCallback(&Hop));
    Simulator::Run();
    std::cout << "bytes " << received << " last_us " << last * 1e6 << " events " << Simulator::GetEventCount() << " hops " << hops << "\n";
    Simulator::Destroy();
}
"""

STEP = '<step s="0" type="{}" srcbuf="i" srcoff="{}" dstbuf="o" dstoff="{}" cnt="1" depid="-1" deps="-1" hasdep="0"/>'


def connection_matrix(kind, hosts, size):
    """Flows of htsim for a message of `size` bytes: `ring` is a ring all-reduce, `alltoall` sends to one host after another.

    Each flow starts when the flow before it in its chain is acknowledged.
    """
    steps = 2 * (hosts - 1) if kind == "ring" else hosts - 1
    flows, triggers = [], 0
    for host in range(hosts):
        for step in range(steps):
            source, target = ((host + step) % hosts, (host + step + 1) % hosts) if kind == "ring" else (host, (host + step + 1) % hosts)
            flow = f"{source}->{target} id {len(flows) + 1} " + (f"trigger {triggers}" if step else "start 0") + f" size {size // hosts}"
            if step < steps - 1:
                triggers += 1
                flow += f" send_done_trigger {triggers}"
            flows.append(flow)
    head = [f"Nodes {hosts}", f"Connections {len(flows)}", f"Triggers {triggers}"]
    return "\n".join(head + flows + [f"trigger id {number} oneshot" for number in range(1, triggers + 1)]) + "\n"


def alltoall(ranks):
    """All-to-all as an MSCCL file: each rank sends its chunks in a random order of its own."""
    order = random.Random(1)
    lines = [f'<algo name="direct" proto="Simple" nchannels="1" nchunksperloop="{ranks}" ngpus="{ranks}" coll="alltoall" '
             'inplace="0" outofplace="1" minBytes="0" maxBytes="0">']
    for rank in range(ranks):
        lines.append(f'<gpu id="{rank}" i_chunks="{ranks}" o_chunks="{ranks}" s_chunks="0">')
        lines.append(f'<tb id="0" send="-1" recv="-1" chan="0">{STEP.format("cpy", rank, rank)}</tb>')
        peers = [peer for peer in range(ranks) if peer != rank]
        order.shuffle(peers)
        lines += [f'<tb id="{1 + i}" send="{peer}" recv="-1" chan="0">{STEP.format("s", peer, rank)}</tb>' for i, peer in enumerate(peers)]
        lines += [f'<tb id="{ranks + i}" send="-1" recv="{peer}" chan="0">{STEP.format("r", rank, peer)}</tb>' for i, peer in enumerate(peers)]
        lines.append("</gpu>")
    return "\n".join([*lines, "</algo>"]) + "\n"


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"leaf_spine.topo": LEAF_SPINE, "ring32.cm": connection_matrix("ring", 32, 1 << 24), "booksim.cfg": BOOKSIM,
             "alltoall32.cm": connection_matrix("alltoall", 32, 1 << 24), "alltoall64.xml": alltoall(64), "ring.cc": NS3_RING}
    for name, text in texts.items():
        (folder / name).write_text(text)
