#include "testbench/harness/protocol_monitor.h"

#include <algorithm>

#include "modules/link/core/serializer.h"

namespace tributary {
namespace {

const char* const rule_names[] = {"phase", "answer",          "shape",         "lookahead", "safe_time",
                                  "order", "credit_negative", "over_returned", "conserved", "no_such_call"};

std::string in_vc(unsigned vc) { return " in vc" + std::to_string(vc); }

}  // namespace

ProtocolMonitor::ProtocolMonitor(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), config_(config), flit_time_(Serializer(config.link.rate, NvLink::flit_bytes).serve(0, 1)) {
  in.bind(static_cast<LinkForward&>(*this));
  out.bind(static_cast<LinkBackward&>(*this));
}

void ProtocolMonitor::violation(Rule rule, Tick when, const std::string& text) { violations_.push_back({rule, when, text}); }

template <class Call>
tlm::tlm_sync_enum ProtocolMonitor::pass_on(Call&& call, LinkTransfer& transfer, LinkPhase& phase, sc_core::sc_time& delay,
                                            Tick when) {
  const LinkTransfer transfer_before = transfer;
  const LinkPhase phase_before = phase;
  const sc_core::sc_time delay_before = delay;
  const tlm::tlm_sync_enum answer = call();
  if (answer != tlm::TLM_ACCEPTED) violation(Rule::answer, when, "a call did not return TLM_ACCEPTED");
  if (transfer.packets != transfer_before.packets || transfer.credits != transfer_before.credits ||
      transfer.count != transfer_before.count || transfer.safe_until != transfer_before.safe_until ||
      phase != phase_before || delay != delay_before)
    violation(Rule::answer, when, "a call changed its transfer, phase or delay");
  return answer;
}

tlm::tlm_sync_enum ProtocolMonitor::nb_transport_fw(LinkTransfer& transfer, LinkPhase& phase, sc_core::sc_time& delay) {
  const Tick first = kernel_now() + delay.value();
  if (phase != LinkPhase::packets) violation(Rule::phase, first, "a forward call carries no packets");
  if (transfer.count == 0 ? transfer.safe_until == 0 : transfer.packets == nullptr)
    violation(Rule::shape, first, "a call without a packet or a safe time");
  if (delay.value() < config_.link.latency.value)
    violation(Rule::lookahead, first, "a packet arrives " + std::to_string(delay.value()) + " ps after the call");
  check_safe_time(packets_safe_until_, first, transfer);
  for (unsigned i = 0; transfer.packets != nullptr && i < transfer.count; ++i) {
    const LinkArrival& a = transfer.packets[i];
    if (check_shape(*a.packet, first + a.after)) check_packet(*a.packet, first + a.after, a.duration);
  }
  return pass_on([&] { return out->nb_transport_fw(transfer, phase, delay); }, transfer, phase, delay, first);
}

tlm::tlm_sync_enum ProtocolMonitor::nb_transport_bw(LinkTransfer& transfer, LinkPhase& phase, sc_core::sc_time& delay) {
  const Tick first = kernel_now() + delay.value();
  if (phase != LinkPhase::credits) violation(Rule::phase, first, "a backward call carries no credits");
  if (transfer.count == 0 ? transfer.safe_until == 0 : transfer.credits == nullptr)
    violation(Rule::shape, first, "a call without a credit or a safe time");
  if (delay.value() < config_.link.latency.value)
    violation(Rule::lookahead, first, "a credit arrives " + std::to_string(delay.value()) + " ps after the call");
  check_safe_time(credits_safe_until_, first, transfer);
  for (unsigned i = 0; transfer.credits != nullptr && i < transfer.count; ++i) {
    const LinkCredit& c = transfer.credits[i];
    if (check_shape(c.vc, c.flits, first + c.after)) check_credit(c, first + c.after);
  }
  return pass_on([&] { return in->nb_transport_bw(transfer, phase, delay); }, transfer, phase, delay, first);
}

void ProtocolMonitor::check_safe_time(Tick& safe_until, Tick first, const LinkTransfer& transfer) {
  if (transfer.count != 0 && first < safe_until)
    violation(Rule::safe_time, first, "something arrives before the safe time " + to_string(picoseconds(safe_until)));
  safe_until = std::max(safe_until, transfer.safe_until);
}

void ProtocolMonitor::b_transport(LinkTransfer&, sc_core::sc_time&) {
  violation(Rule::no_such_call, kernel_now(), "b_transport was called");
}

bool ProtocolMonitor::check_shape(unsigned vc, unsigned flits, Tick when) {
  const std::size_t before = violations_.size();
  if (vc >= config_.vcs) violation(Rule::shape, when, "vc" + std::to_string(vc) + " does not exist");
  if (flits == 0 || flits > config_.max_flits)
    violation(Rule::shape, when, std::to_string(flits) + " flits do not make a packet");
  return violations_.size() == before;
}

bool ProtocolMonitor::check_shape(const Packet& packet, Tick when) {
  const std::size_t before = violations_.size();
  check_shape(packet.vc, flits_of<NvLink>(packet), when);
  if (config_.sized && flits_of<NvLink>(packet) != NvLink::flits_for(packet.payload_bytes))
    violation(Rule::shape, when,
              std::to_string(packet.payload_bytes) + " bytes of payload do not make " +
                  std::to_string(flits_of<NvLink>(packet)) + " flits");
  if (packet.references() == 0) violation(Rule::shape, when, "a packet is passed without a reference");
  return violations_.size() == before;
}

void ProtocolMonitor::check_packet(const Packet& packet, Tick head, Tick duration) {
  ++packets_;
  flits_ += flits_of<NvLink>(packet);
  if (head < wire_free_)
    violation(Rule::order, head, "a packet arrives before the tail of its predecessor" + in_vc(packet.vc));
  wire_free_ = head + duration;
  Channel& c = vcs_[packet.vc];
  const Tick start = head - std::min(head, config_.link.latency.value + flit_time_);
  for (; !c.in_flight.empty() && c.in_flight.front().when <= start; c.in_flight.pop())
    c.come_back += c.in_flight.front().flits;
  c.sent += flits_of<NvLink>(packet);
  if (c.sent - c.come_back > config_.credit_flits)
    violation(Rule::credit_negative, head,
              std::to_string(c.sent - c.come_back) + " flits are outstanding" + in_vc(packet.vc) + " of " +
                  std::to_string(config_.credit_flits));
}

void ProtocolMonitor::check_credit(const LinkCredit& credit, Tick when) {
  Channel& c = vcs_[credit.vc];
  if (c.called_back + credit.flits > c.sent)
    violation(Rule::over_returned, when,
              std::to_string(credit.flits) + " flits are returned" + in_vc(credit.vc) + ", " +
                  std::to_string(c.sent - c.called_back) + " are outstanding");
  c.called_back += credit.flits;
  c.in_flight.insert_sorted([](const Credit& a, const Credit& b) { return a.when < b.when; }, when, unsigned{credit.flits});
}

void ProtocolMonitor::finish() {
  for (unsigned vc = 0; vc < config_.vcs; ++vc)
    if (vcs_[vc].sent != vcs_[vc].called_back)
      violation(Rule::conserved, kernel_now(),
                std::to_string(vcs_[vc].sent - vcs_[vc].called_back) + " flits were not returned" + in_vc(vc));
}

std::string to_text(const std::vector<ProtocolMonitor::Violation>& violations) {
  std::string text;
  for (const ProtocolMonitor::Violation& v : violations)
    text +=
        std::string(rule_names[static_cast<int>(v.rule)]) + ": at " + to_string(picoseconds(v.when)) + " " + v.text + "\n";
  return text;
}

}  // namespace tributary
