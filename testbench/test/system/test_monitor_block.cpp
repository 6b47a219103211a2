// The protocol monitor detects every violation of the link protocol, and reports none where there is none.
#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/harness/protocol_monitor.h"
#include "testbench/harness/switch_system.h"

namespace tributary::test_monitor_block {

using Rule = ProtocolMonitor::Rule;

namespace {

constexpr unsigned capacity = 18;  // two packets

/// A target whose answers the test sets.
class Receiver : public sc_core::sc_module, private LinkForward {
 public:
  LinkTarget in{"in"};
  tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
  bool changes_delay = false;
  unsigned packets = 0;

  explicit Receiver(const sc_core::sc_module_name& name) : sc_module(name) { in.bind(static_cast<LinkForward&>(*this)); }

 private:
  tlm::tlm_sync_enum nb_transport_fw(LinkTransfer&, LinkPhase&, sc_core::sc_time& delay) override {
    ++packets;
    if (changes_delay) delay += to_sc_time(1);
    return answer;
  }
  void b_transport(LinkTransfer&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(LinkTransfer&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(LinkTransfer&) override { return 0; }
};

/// A sender that can violate every rule, the monitor, and a receiver.
class BrokenLink : public sc_core::sc_module, private LinkBackward {
 public:
  LinkInitiator out{"out"};
  ProtocolMonitor monitor{"monitor", {LinkParams{}, capacity}};
  Receiver receiver{"receiver"};
  unsigned credits = 0;

  explicit BrokenLink(const sc_core::sc_module_name& name) : sc_module(name) {
    out.bind(static_cast<LinkBackward&>(*this));
    out.bind(monitor.in);
    monitor.out.bind(receiver.in);
  }
  /// A packet of 9 flits whose serialisation starts at `start`.
  void send(Tick start, unsigned vc = 0, LinkPhase phase = LinkPhase::packets) {
    Packet* p = pool.make(block_bytes, false);
    p->vc = static_cast<std::uint8_t>(vc);
    call(*p, start + 20'640, 8 * 640, phase);
  }
  void call(Packet& p, Tick head, Tick duration, LinkPhase phase = LinkPhase::packets) {
    const LinkArrival arrival(0, duration, &p);
    LinkTransfer transfer{&arrival, nullptr, 1, 0};
    sc_core::sc_time delay = to_sc_time(head);
    out->nb_transport_fw(transfer, phase, delay);
  }
  void credit(Tick arrival, unsigned flits, unsigned vc = 0, LinkPhase phase = LinkPhase::credits) {
    const LinkCredit credit{0, static_cast<std::uint8_t>(vc), static_cast<std::uint8_t>(flits)};
    LinkTransfer transfer{nullptr, &credit, 1, 0};
    sc_core::sc_time delay = to_sc_time(arrival);
    receiver.in->nb_transport_bw(transfer, phase, delay);
  }
  /// Announces that nothing arrives before `until`: no packets (at the receiver), or no credits.
  void tell_safe_time(LinkPhase phase, Tick until) {
    LinkTransfer transfer{nullptr, nullptr, 0, until};
    sc_core::sc_time delay = to_sc_time(std::max<Tick>(until, 20'000));
    if (phase == LinkPhase::packets)
      out->nb_transport_fw(transfer, phase, delay);
    else
      receiver.in->nb_transport_bw(transfer, phase, delay);
  }
  /// The rules broken so far.
  std::vector<Rule> broken() const {
    std::vector<Rule> rules;
    for (const auto& v : monitor.violations()) rules.push_back(v.rule);
    return rules;
  }
  PacketPool pool{NvLink{}};

 private:
  tlm::tlm_sync_enum nb_transport_bw(LinkTransfer&, LinkPhase&, sc_core::sc_time&) override {
    return ++credits, tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

using Rules = std::vector<Rule>;

}  // namespace

TEST_CASE("protocol monitor: a correct sender breaks no rule, up to the last credit", "[block][monitor]") {
  BrokenLink l("link");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  l.send(0);
  l.send(5'760);
  l.send(11'520, 1);  // the other VC has credits of its own
  l.credit(200'000, 9);
  l.send(200'000);  // at the very picosecond at which its credit arrives
  l.credit(300'000, 9);
  l.credit(310'000, 9);
  l.credit(290'000, 9, 1);
  l.monitor.finish();
  CHECK(to_text(l.monitor.violations()).empty());
  CHECK((l.monitor.packets() == 4 && l.monitor.flits() == 36));
  CHECK((l.receiver.packets == 4 && l.credits == 4));
}

TEST_CASE("protocol monitor: a packet that leaves without credit or before its arrival is detected", "[block][monitor]") {
  BrokenLink without("without"), early("early");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (unsigned i = 0; i < 3; ++i) without.send(i * 5'760);
  CHECK(without.broken() == Rules{Rule::credit_negative});
  CHECK(without.monitor.violations()[0].when == 2 * 5'760 + 20'640);
  for (unsigned i = 0; i < 2; ++i) early.send(i * 5'760);
  early.credit(100'000, 9);
  early.send(99'999);
  CHECK(early.broken() == Rules{Rule::credit_negative});
}

TEST_CASE("protocol monitor: credits that were not spent are detected in each VC", "[block][monitor]") {
  BrokenLink l("link");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  l.send(0);
  l.credit(100'000, 9);
  CHECK(l.broken().empty());
  l.credit(110'000, 1);
  CHECK(l.broken() == Rules{Rule::over_returned});
  l.credit(120'000, 9, 1);
  CHECK(l.broken() == Rules{Rule::over_returned, Rule::over_returned});
}

TEST_CASE("protocol monitor: packets out of order or overlapping on the wire are detected", "[block][monitor]") {
  BrokenLink order("order"), overlap("overlap");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  order.send(50'000);
  order.send(20'000, 1);
  CHECK(order.broken() == Rules{Rule::order});
  overlap.send(0);
  overlap.send(4'000);  // the tail of the first passes at 5'760
  CHECK(overlap.broken() == Rules{Rule::order});
}

TEST_CASE("protocol monitor: buffer space that is never returned is detected at the end", "[block][monitor]") {
  BrokenLink l("link");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  l.send(0);
  l.send(5'760, 1);
  l.credit(100'000, 9, 1);
  l.monitor.finish();
  CHECK(l.broken() == Rules{Rule::conserved});
  CHECK(to_text(l.monitor.violations()) == "conserved: at 0ps 9 flits were not returned in vc0\n");
}

TEST_CASE("protocol monitor: wrong phases, answers and calls are detected", "[block][monitor]") {
  BrokenLink forward("forward"), backward("backward"), answer("answer"), delay("delay"), blocking("blocking");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  forward.send(0, 0, LinkPhase::credits);
  CHECK(forward.broken() == Rules{Rule::phase});
  backward.send(0);
  backward.credit(100'000, 9, 0, LinkPhase::packets);
  CHECK(backward.broken() == Rules{Rule::phase});
  answer.receiver.answer = tlm::TLM_COMPLETED;
  answer.send(0);
  CHECK(answer.broken() == Rules{Rule::answer});
  delay.receiver.changes_delay = true;
  delay.send(0);
  CHECK(delay.broken() == Rules{Rule::answer});
  LinkTransfer transfer;
  sc_core::sc_time none;
  blocking.out->b_transport(transfer, none);
  CHECK(blocking.broken() == Rules{Rule::no_such_call});
}

TEST_CASE("protocol monitor: an arrival before the link's latency has passed is detected", "[block][monitor]") {
  BrokenLink packet("packet"), credit("credit");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  packet.call(*packet.pool.make(block_bytes, false), 19'999, 5'120);
  CHECK(packet.broken() == Rules{Rule::lookahead});
  credit.send(0);
  credit.credit(19'999, 9);
  CHECK(credit.broken() == Rules{Rule::lookahead});
}

TEST_CASE("protocol monitor: violated safe times and meaningless calls are detected", "[block][monitor]") {
  BrokenLink packet("packet"), credit("credit"), nothing("nothing");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  packet.tell_safe_time(LinkPhase::packets, 50'640);
  packet.tell_safe_time(LinkPhase::packets, 40'000);  // earlier than the previous safe time, which holds
  packet.send(30'000);
  CHECK(packet.broken().empty());
  packet.tell_safe_time(LinkPhase::packets, 80'000);
  packet.send(59'000);
  CHECK(packet.broken() == Rules{Rule::safe_time});
  credit.send(0);
  credit.tell_safe_time(LinkPhase::credits, 100'000);
  credit.credit(99'999, 9);
  CHECK(credit.broken() == Rules{Rule::safe_time});
  nothing.tell_safe_time(LinkPhase::packets, 0);
  nothing.tell_safe_time(LinkPhase::credits, 0);
  CHECK(nothing.broken() == Rules{Rule::shape, Rule::shape});
}

TEST_CASE("protocol monitor: impossible packets are detected", "[block][monitor]") {
  BrokenLink vc("vc"), length("length"), payload("payload"), reference("reference");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  vc.send(0, 2);
  CHECK(vc.broken() == Rules{Rule::shape});
  Packet* p = length.pool.make(block_bytes, false);
  p->wire_bytes = 160;
  length.call(*p, 30'000, 5'120);
  CHECK(length.broken() == Rules{Rule::shape, Rule::shape});  // neither the packet nor its payload is legal
  p = payload.pool.make(block_bytes, false);
  p->wire_bytes = 128;
  payload.call(*p, 30'000, 5'120);
  CHECK(payload.broken() == Rules{Rule::shape});
  Packet nobodys;
  nobodys.wire_bytes = 16;  // a header flit
  reference.call(nobodys, 30'000, 0);
  CHECK(reference.broken() == Rules{Rule::shape});
}

}  // namespace tributary::test_monitor_block
