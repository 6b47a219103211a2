#include "platforms/topology/files/fabric_file.h"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "platforms/topology/files/anynet.h"
#include "platforms/topology/files/fabric_completion.h"
#include "platforms/topology/files/nccl_xml.h"
#include "platforms/topology/files/plain_text.h"
#include "platforms/topology/files/topo_matrix.h"
#include "platforms/topology/nvlink_islands.h"

namespace tributary::topology {

TopologyFormat format_of_text(const std::string& bytes) {
  const std::string text = plain_text(bytes).text;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '<') return TopologyFormat::nccl;
  return is_anynet(text) ? TopologyFormat::anynet : TopologyFormat::topo_m;
}

Server server_of_text(const std::string& text, const FileReading& reading, TopologyFormat format) {
  const bool nccl = format == TopologyFormat::nccl;
  Server server = nccl ? nccl_xml_server(text, reading.path) : topo_matrix_server(text, reading.path, reading.sm);
  complete(server, reading);
  check(server);
  note_links(server);
  return server;
}

bool is_fabric(const Server& server) { return server.switches() > 0 && unequal_links(server).empty(); }

FabricFile fabric_of(const Server& server) {
  if (server.switches() == 0) throw std::invalid_argument(server.name + ": no NVSwitch joins its GPUs");
  FabricFile file;
  const auto gpus = static_cast<std::size_t>(server.gpus()), switches = static_cast<std::size_t>(server.switches());
  for (std::size_t g = 0; g < gpus; ++g) {
    file.links.gpus.push_back("gpu" + std::to_string(g));
    if (std::accumulate(server.links[g].begin(), server.links[g].end(), 0) > 0)
      throw std::invalid_argument(server.name + ": GPU " + std::to_string(g) +
                                  " has links to both GPUs and NVSwitches (legal: one of the two)");
  }
  file.links.switches = server.switch_names;
  for (std::size_t s = file.links.switches.size(); s < switches; ++s)
    file.links.switches.push_back("switch" + std::to_string(s));
  if (server.sm >= 100) file.links.most_links = most_switch_links;
  file.links.of_gpu = server.switch_links;
  file.links.trunks = server.trunks, file.links.all_trunks = !server.trunks.empty();
  file.links.trunks.resize(switches, std::vector<int>(switches, 0));
  file.link_rate = bytes_per_second(server.nvlink_rate);
  file.notes = server.notes;
  for (std::string& assumed : complete(file.links)) file.notes.push_back(std::move(assumed));
  return file;
}

}  // namespace tributary::topology
