/// NetReducePlatform: its counters.

#include <algorithm>

#include "platforms/netreduce/netreduce_platform.h"

namespace tributary {
namespace {

double number(std::uint64_t n) { return static_cast<double>(n); }

/// Events of one switch, by name of their counter.
std::map<std::string, std::uint64_t> events_of(const EthernetSwitchCore::Counters& c) {
  return {{"switch.drops", c.dropped},
          {"switch.fcs_errors", c.fcs_errors},
          {"switch.ecn_marks", c.marked},
          {"switch.pauses", c.pauses_sent}};
}

}  // namespace

std::map<std::string, double> NetReducePlatform::counters() const {
  SendQueue::Counts sent;
  ReceiveQueue::Counts received;
  for (const EthernetHost* h : hosts_)
    for (unsigned i = 0; i < h->nic().core().queue_pairs(); ++i) {
      const QueuePair& qp = h->nic().core().queue_pair(i);
      sent += qp.send.counts();
      received += qp.receive.counts();
    }
  std::map<std::string, double> all{{"nic.accepted", number(received.accepted)},
                                    {"nic.duplicates", number(received.duplicates)},
                                    {"nic.nacks_sent", number(received.nacks_sent)},
                                    {"nic.nacks", number(sent.nacks)},
                                    {"nic.rewinds", number(sent.rewinds)},
                                    {"nic.timeouts", number(sent.timeouts)},
                                    {"nic.retries", number(sent.retries)}};
  for (const EthernetSwitch* s : switches_)
    for (const auto& [name, count] : events_of(s->core().counters())) {
      all[name] += number(count);
      if (count != 0 && switches_.size() > 1) all[name + "." + s->basename()] = number(count);
    }
  count_congestion(all);
  return all;
}

void NetReducePlatform::count_congestion(std::map<std::string, double>& counters) const {
  double least = static_cast<double>(config_.params.link.rate.value);
  for (const EthernetHost* h : hosts_) {
    const RoceNicCore& nic = h->nic().core();
    if (config_.params.nic.dcqcn.on) counters["nic.cnps"] += number(nic.counts().cnps);
    for (unsigned i = 0; i < nic.queue_pairs(); ++i) least = std::min(least, nic.queue_pair(i).rate.least_rate());
    if (!config_.background) continue;
    counters["background.delivered"] += number(nic.counts().datagrams);
    counters["background.sent"] += h->datagrams() == nullptr ? 0 : number(h->datagrams()->made());
    counters["background.skipped"] += h->datagrams() == nullptr ? 0 : number(h->datagrams()->skipped());
  }
  if (config_.params.nic.dcqcn.on) counters["nic.rate_gbps.min"] = least * 8e-9;
  if (!config_.background) return;
  for (const EthernetSwitch* s : switches_)
    counters["background.dropped"] += number(s->core().counters().dropped_of[background_class]);
}

}  // namespace tributary
