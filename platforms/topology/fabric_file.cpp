#include "platforms/topology/fabric_file.h"

#include <numeric>
#include <stdexcept>

#include "platforms/topology/anynet.h"
#include "platforms/topology/nccl_xml.h"
#include "platforms/topology/topo_matrix.h"
#include "platforms/topology/topology_text.h"

namespace tributary::topology {

TopologyFormat format_of_text(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string::npos && text[first] == '<') return TopologyFormat::nccl;
  return is_anynet(text) ? TopologyFormat::anynet : TopologyFormat::topo_m;
}

TopologyFormat format_of_file(const std::string& path) { return format_of_text(read_topology_file(path)); }

Server server_of_file(const std::string& path) {
  const std::string text = read_topology_file(path);
  const TopologyFormat format = format_of_text(text);
  if (format == TopologyFormat::anynet)
    throw std::invalid_argument(path + ": a network of routers, and no server (legal: a file of NCCL or of topo -m)");
  Server server = format == TopologyFormat::nccl ? nccl_xml_server(text, path) : topo_matrix_server(text, path);
  check(server);
  return server;
}

bool is_fabric_file(const std::string& path) {
  return format_of_file(path) != TopologyFormat::anynet && server_of_file(path).switches() > 0;
}

FabricFile fabric_of(const Server& server) {
  if (server.switches() == 0) throw std::invalid_argument(server.name + ": no NVSwitch joins its GPUs");
  FabricFile file;
  const auto gpus = static_cast<std::size_t>(server.gpus()), switches = static_cast<std::size_t>(server.switches());
  for (std::size_t g = 0; g < gpus; ++g) {
    file.links.gpus.push_back("gpu" + std::to_string(g));
    if (std::accumulate(server.links[g].begin(), server.links[g].end(), 0) > 0)
      throw std::invalid_argument(server.name + ": GPU " + std::to_string(g) +
                                  " has links to GPUs beside those to NVSwitches (legal: one of the two)");
  }
  file.links.switches = server.switch_names;
  for (std::size_t s = file.links.switches.size(); s < switches; ++s)
    file.links.switches.push_back("switch" + std::to_string(s));
  file.links.of_gpu = server.switch_links;
  file.links.trunks = server.trunks;
  file.links.trunks.resize(switches, std::vector<int>(switches, 0));
  file.link_rate = bytes_per_second(server.nvlink_rate);
  return file;
}

FabricFile fabric_file(const std::string& path) { return fabric_of(server_of_file(path)); }

}  // namespace tributary::topology
