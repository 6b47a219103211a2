#include "platforms/netreduce/platform_counters.h"

#include <algorithm>

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

void count_buffers(const std::vector<Accelerator*>& accelerators, std::map<std::string, double>& counters) {
  std::uint64_t inputs = 0, outputs = 0, drops = 0, pauses = 0;
  for (const Accelerator* a : accelerators) {
    const InputFifos* const fifos = a->core().input_fifos();
    const OutputQueues* const queues = a->core().output_queues();
    if (fifos == nullptr || queues == nullptr) return;
    inputs = std::max(inputs, fifos->highest());
    outputs = std::max(outputs, queues->highest());
    drops += fifos->dropped();
    pauses += fifos->pauses_sent();
  }
  if (accelerators.empty()) return;
  counters["accelerator.input_fifo.max_bytes"] = number(inputs);
  counters["accelerator.input_fifo.drops"] = number(drops);
  counters["accelerator.input_fifo.pauses"] = number(pauses);
  counters["accelerator.output_queue.max_bytes"] = number(outputs);
}

/// Work of the accelerators' payload buffers and adders.
void count_sums(const std::vector<Accelerator*>& accelerators, std::map<std::string, double>& counters) {
  for (const Accelerator* a : accelerators) {
    const SlotStorage::Use& use = a->core().payload_use();
    counters["accelerator.payload_writes"] += number(use.written);
    counters["accelerator.payload_reads"] += number(use.read);
    counters["accelerator.added_elements"] += number(use.added_elements);
  }
}

void count_congestion(const NetReducePlatformParams& params, const std::vector<EthernetHost*>& hosts,
                      const std::vector<EthernetSwitch*>& switches, bool background,
                      std::map<std::string, double>& counters) {
  double least = static_cast<double>(params.link.rate.value);
  for (const EthernetHost* h : hosts) {
    const RoceNicCore& nic = h->nic().core();
    if (params.nic.dcqcn.on) counters["nic.cnps"] += number(nic.counts().cnps);
    for (unsigned i = 0; i < nic.queue_pairs(); ++i) least = std::min(least, nic.queue_pair(i).rate.least_rate());
    if (!background) continue;
    counters["background.delivered"] += number(nic.counts().datagrams);
    counters["background.sent"] += h->datagrams() == nullptr ? 0 : number(h->datagrams()->made());
    counters["background.skipped"] += h->datagrams() == nullptr ? 0 : number(h->datagrams()->skipped());
  }
  if (params.nic.dcqcn.on) counters["nic.rate_gbps.min"] = least * 8e-9;
  if (!background) return;
  for (const EthernetSwitch* s : switches)
    counters["background.dropped"] += number(s->core().counters().dropped_of[background_class]);
}

}  // namespace

std::map<std::string, double> counters_of(const NetReducePlatformParams& params, const std::vector<EthernetHost*>& hosts,
                                          const std::vector<EthernetSwitch*>& switches,
                                          const std::vector<Accelerator*>& accelerators, const CounterChoice& choice) {
  SendQueue::Counts sent;
  ReceiveQueue::Counts received;
  for (const EthernetHost* h : hosts)
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
  // A sum reads two operands and writes one.
  all["host.added_elements"] = number(choice.additions.elements);
  all["host.memory_bytes"] = number(sent.bytes + received.bytes + 3 * choice.additions.bytes);
  count_sums(accelerators, all);
  for (const EthernetSwitch* s : switches)
    for (const auto& [name, count] : events_of(s->core().counters())) {
      all[name] += number(count);
      if (count != 0 && switches.size() > 1) all[name + "." + s->basename()] = number(count);
    }
  count_congestion(params, hosts, switches, choice.background, all);
  count_buffers(accelerators, all);
  if (params.admission == JobAdmission::share)
    for (const Accelerator* a : accelerators)
      all["accelerator.slot_waits"] += a->core().pool() == nullptr ? 0 : number(a->core().pool()->waits());
  if (params.admission == JobAdmission::fallback) all["accelerator.fallbacks"] = choice.fallbacks;
  return all;
}

CounterUnion union_of_network(const std::string& counter) {
  if (counter == "nic.rate_gbps.min") return CounterUnion::least;
  if (counter == "accelerator.fallbacks") return CounterUnion::any;
  const bool largest = counter == "accelerator.input_fifo.max_bytes" || counter == "accelerator.output_queue.max_bytes";
  return largest ? CounterUnion::most : CounterUnion::sum;
}

}  // namespace tributary
