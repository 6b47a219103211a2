#pragma once
/// Texts of `nvidia-smi topo -m`.

#include <string>
#include <vector>

#include "platforms/topology/server.h"
#include "platforms/topology/files/topology_text.h"

namespace tributary::topology {

/// How two devices reach each other, from near to far; the shortest way counts, so NVLinks hide what PCIe has.
enum class Way {
  self,     ///< X
  bridge,   ///< PIX: one PCIe switch
  bridges,  ///< PXB: several, below one root port
  host,     ///< PHB: one host bridge
  node,     ///< NODE: host bridges of one NUMA node
  system,   ///< SYS, before SOC: the link between processors
  nvlink,   ///< NV#
  unknown,  ///< N/A
};

/// A cell of the matrix.
struct MatrixCell {
  Way way = Way::self;
  int links = 0;  ///< of NV#
};

/// A row, and the column of the same name.
struct MatrixDevice {
  std::string name;  ///< `GPU0`, `NIC0`, `mlx5_0` ...
  std::size_t line = 0;
  bool gpu = false;
  std::vector<MatrixCell> cells;  ///< by device
  std::string affinity;           ///< processors or NUMA nodes; empty: not known
};

/// The table as it stands: square, symmetric, with selves on the diagonal; GPUs in ascending order. Throws
/// std::invalid_argument, `PATH:LINE: what (legal: ...)`.
std::vector<MatrixDevice> read_topo_matrix(const TopologyText& text);

/// The server that a text describes; `path` stands in front of errors and is its name
/// (docs/topology_files.md#nvidia-smi-topo--m). Throws std::invalid_argument, `PATH:LINE: what (legal: ...)`.
Server topo_matrix_server(const std::string& text, const std::string& path);

}  // namespace tributary::topology
