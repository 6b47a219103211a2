#pragma once
/// Parameters of a NetReducePlatform.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/ethernet/ethernet_params.h"
#include "modules/ethernet_switch/ethernet_switch_params.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/flow_control_params.h"
#include "modules/netreduce/netreduce_params.h"
#include "modules/roce/roce_params.h"
#include "platforms/netreduce/background_params.h"
#include "platforms/netreduce/host_params.h"

namespace tributary {

/// Fate of a job whose rings do not fit into the accelerators.
enum class JobAdmission : std::uint8_t { refuse, fallback, share };

template <>
struct EnumNames<JobAdmission> {
  static const std::vector<std::pair<JobAdmission, std::string>>& names() {
    static const std::vector<std::pair<JobAdmission, std::string>> n{
        {JobAdmission::refuse, "refuse"}, {JobAdmission::fallback, "fallback"}, {JobAdmission::share, "share"}};
    return n;
  }
};

/// Frames that a switch redirects to its accelerator.
enum class AccessMatch : std::uint8_t {
  hosts,       ///< all RoCE frames between two hosts of a ring
  queue_pairs  ///< those of the ring's own connection
};

template <>
struct EnumNames<AccessMatch> {
  static const std::vector<std::pair<AccessMatch, std::string>>& names() {
    static const std::vector<std::pair<AccessMatch, std::string>> n{{AccessMatch::hosts, "hosts"},
                                                                    {AccessMatch::queue_pairs, "queue_pairs"}};
    return n;
  }
};

struct NetReducePlatformParams {
  EthernetLinkParams link;
  EthernetSwitchParams ethernet_switch;
  RoceParams nic;
  HostFlowParams flow_control;
  AggregationParams aggregation;
  AcceleratorParams accelerator;
  HostParams host;
  BackgroundParams background;
  ParameterServerParams parameter_server;
  JobAdmission admission = JobAdmission::refuse;
  AccessMatch access = AccessMatch::hosts;
  std::uint32_t spines = 1;
};

template <class V>
void visit(V& v, NetReducePlatformParams& p) {
  v.group("link", p.link);
  v.group("switch", p.ethernet_switch);
  v.group("nic", p.nic);
  v.group("flow_control", p.flow_control);
  v.group("aggregation", p.aggregation);
  v.group("accelerator", p.accelerator);
  v.group("host", p.host);
  v.group("background", p.background);
  v.group("parameter_server", p.parameter_server);
  v.field(
      "admission", p.admission,
      Note("a job whose rings need more memory, table entries or rules than accelerators and switches have left, in the "
           "order of the jobs: it is refused, or falls back to a ring over RDMA; or all rings of an accelerator share its "
           "memory in time, message by message")
          .source("docs/systems/netreduce.md#admission [G]"));
  v.field(
      "access", p.access,
      Note("match of the rules that redirect frames to accelerators: a pair of hosts, or a pair and the queue pair of the "
           "destination, so that other RDMA traffic of these hosts goes by its route")
          .source("Liu et al., 3.1 [P], docs/systems/netreduce.md#machines-of-gpus [G]"));
  v.field("spines", p.spines,
          Note("spine switches between several racks; the accelerators of a ring use one of them")
              .role(ParameterRole::structure)
              .source("docs/systems/netreduce.md#trees [G]")
              .range("1", "16"));
}

}  // namespace tributary
