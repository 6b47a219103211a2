#pragma once
/// Models of clusters with the rates of the data sheets, for tests.

#include <string>

#include "testbench/family/cluster/flows/cluster_model.h"

namespace tributary::test_cluster {

/// Memory, NVLinks and NICs have the default times of the product. `waves`: 4 for 6 links, in proportion.
inline ClusterModel model(const std::string& server, int servers, const ClusterParams& params = {}) {
  ClusterModel m;
  m.server = cluster_server(server, params);
  m.servers = servers;
  m.read = 230'400, m.poll = 172'800;
  m.link_latency = 20'000, m.switch_latency = 150'000;
  m.waves = m.server.nvlinks * 4 / 6, m.wave_bytes = 8192;
  m.local_rate = 300e9;
  m.flow.machines = servers, m.flow.racks = 1;
  m.flow.inter_rate = m.server.nic_rate;
  m.flow.payload = 4096;
  m.pcie_rate = 0.9 * m.server.pcie_rate;
  return m;
}

inline collective::GroupShape whole(const ClusterModel& m) {
  collective::GroupShape shape;
  shape.servers = m.servers, shape.ranks_each = m.server.gpus;
  shape.local.clear();
  for (int g = 0; g < m.server.gpus; ++g) shape.local.push_back(g);
  return shape;
}

}  // namespace tributary::test_cluster
