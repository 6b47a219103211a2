#include "platforms/topology/files/server_file.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "platforms/topology/files/file_reading.h"
#include "platforms/topology/files/nccl_xml.h"
#include "platforms/topology/files/topo_matrix.h"
#include "platforms/topology/files/topology_text.h"
#include "platforms/topology/graph.h"

namespace tributary::topology {
namespace {

const std::string xml_form = "nccl_xml:", matrix_form = "topo_m:", any_form = "file:";

/// Returns the text after the prefix `form`, which must not be empty.
std::string path_of(const std::string& name, const std::string& form) {
  if (name.size() == form.size()) throw std::invalid_argument("'" + form + "' names no file (legal: " + form + "FILE)");
  return name.substr(form.size());
}

Server from_xml(const std::string& name) {
  const std::string path = path_of(name, xml_form);
  return nccl_xml_server(read_topology_file(path), path);
}
Server from_matrix(const std::string& name) {
  const std::string path = path_of(name, matrix_form);
  return topo_matrix_server(read_topology_file(path), path);
}

/// True if GPUs have links to each other or to NVSwitches.
bool has_links(const Server& server) {
  for (const auto* table : {&server.links, &server.switch_links})
    for (const std::vector<int>& row : *table)
      if (std::any_of(row.begin(), row.end(), [](int count) { return count > 0; })) return true;
  return false;
}

bool begins(const std::string& name, const std::string& form) { return name.compare(0, form.size(), form) == 0; }

}  // namespace

const std::vector<ServerForm>& server_file_forms() {
  static const std::vector<ServerForm> forms{
      {xml_form + "FILE", "server that a topology file of NCCL or RCCL describes"},
      {matrix_form + "FILE", "server that a text of nvidia-smi topo -m describes"},
      {any_form + "FILE", "server that a file of either format describes"},
  };
  return forms;
}

bool has_server_format(const std::string& name) { return begins(name, xml_form) || begins(name, matrix_form); }

Server joined_servers(Server tree, const Server& matrix, const std::string& name) {
  if (has_links(tree))
    throw std::invalid_argument(name + ": the first file already has links between GPUs (legal: only a PCIe tree)");
  if (tree.gpus() != matrix.gpus())
    throw std::invalid_argument(name + ": " + std::to_string(tree.gpus()) + " GPUs in the first file, " +
                                std::to_string(matrix.gpus()) + " in the second (legal: the same number)");
  tree.name = name;
  tree.links = matrix.links, tree.switch_links = matrix.switch_links;
  tree.notes.insert(tree.notes.end(), matrix.notes.begin(), matrix.notes.end());
  return tree;
}

Server server_from_file(const std::string& name) {
  const std::size_t second = name.find("+" + matrix_form);
  Server made;
  if (begins(name, matrix_form))
    made = from_matrix(name);
  else if (second == std::string::npos)
    made = from_xml(name);
  else
    made = joined_servers(from_xml(name.substr(0, second)), from_matrix(name.substr(second + 1)), name);
  made.name = name;
  check(made);
  note_links(made);
  return made;
}

}  // namespace tributary::topology
