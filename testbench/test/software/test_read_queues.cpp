// Queues of GPUs' links that are full of packets whose data are being read.
#include <catch2/catch.hpp>

#include "testbench/family/nvswitch/read_queues.h"

namespace tributary::test_read_queues {
namespace {

void queue(const PacketProbe& probe, Tick born, Tick ready) {
  PacketView packet;
  packet.born = born;
  probe(ready, packet);
}

}  // namespace

TEST_CASE("read queues: the reads of the slowest link fill its places, except the last one", "[pure][bottleneck]") {
  for (const unsigned places : {1u, 2u}) {
    PacketProbe fast, slow, of_switch;
    ProbeDirectory directory;
    directory.add("dgx2.gpu0.port0.output.queued", fast, "");
    directory.add("dgx2.gpu3.port1.output.queued", slow, "");
    directory.add("dgx2.switch0_1.port3.output.queued", of_switch, "");
    ReadQueues queues(places);
    queues.attach(directory);
    for (Tick i = 0; i < 4; ++i) {
      queue(fast, 100 * i, 100 * i + 90);
      queue(slow, 200 * i, 200 * i + 180);
      queue(slow, 200 * i, 200 * i);  // a packet without a read
      queue(of_switch, 0, 1000 * i);
    }
    BottleneckAccount account;
    queues.add(1000, account);
    REQUIRE(account.resources.size() == 1);
    CHECK(account.resources[0].module == "gpu3.dma");
    CHECK(account.resources[0].parameter == "nvswitch.gpu.dma.tx_queue");
    CHECK(account.resources[0].share == Approx(places == 1 ? 3 * 180 / 1000.0 : 180 / 1000.0));
    queues.reset();
    queue(slow, 0, 500);  // a read that waits for no other one
    BottleneckAccount idle;
    queues.add(1000, idle);
    CHECK(idle.resources.empty());
  }
}

}  // namespace tributary::test_read_queues
