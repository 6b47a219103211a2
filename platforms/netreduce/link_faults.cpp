// NetReducePlatform: faults of frames on its links.

#include "platforms/netreduce/netreduce_platform.h"

namespace tributary {

EthernetDevice& NetReducePlatform::device(int node) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  if (node < racks_.leaf(0)) return *hosts_[at(node)];
  if (node < racks_.leaf_accelerator(0)) return *switches_[at(node - racks_.leaf(0))];
  return *accelerators_[at(node - racks_.leaf_accelerator(0))];
}

void NetReducePlatform::add_faults() {
  const auto is_host = [&](int node) { return node < racks_.leaf(0); };
  for (const topology::Link& link : graph().links())
    for (const auto& [from, to] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      FaultInjector::Config c;
      c.link = graph().name(from) + ">" + graph().name(to);
      c.index = injectors_.links();
      c.from_host = is_host(from.node);
      c.to_host = is_host(to.node);
      c.from_accelerator = from.node >= racks_.leaf_accelerator(0);
      c.loss_rate = config_.params.link.loss_rate;
      c.answer_loss_rate = config_.params.link.answer_loss_rate;
      c.bit_error_rate = config_.params.link.bit_error_rate;
      injectors_.add(device(from.node).links(), device_port(from), c);
    }
}

}  // namespace tributary
