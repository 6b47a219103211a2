#pragma once
/// Reads texts of `nvidia-smi topo -m`.

#include <string>
#include <vector>

#include "platforms/topology/files/topology_text.h"
#include "platforms/topology/server.h"

namespace tributary::topology {

/// Path types between two devices, from near to far. The table shows the shortest path only, so NVLinks hide PCIe
/// paths.
enum class Route {
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
  Route route = Route::self;
  int links = 0;  ///< number of NVLinks of NV#
};

/// A row, and the column of the same name.
struct MatrixDevice {
  std::string name;  ///< `GPU0`, `NIC0`, `mlx5_0` ...
  std::size_t line = 0;
  bool gpu = false;
  std::vector<MatrixCell> cells;  ///< by device
  std::string affinity;           ///< processors or NUMA nodes; empty: unknown
};

struct TopoMatrix {
  std::vector<MatrixDevice> devices;
  std::vector<std::string> notes;  ///< contents that are left out
};

/// Reads the table: square, symmetric, X on the diagonal, GPUs in ascending order. Throws
/// std::invalid_argument, `PATH:LINE: what (legal: ...)`.
TopoMatrix read_topo_matrix(const TopologyText& text);

/// Returns the server that a file describes; `path` is its name and the prefix of errors
/// (docs/topology_files.md#nvidia-smi-topo--m). The compute capability `sm`, if it is not 0, decides between direct links
/// and NVSwitches. Throws std::invalid_argument, `PATH:LINE: what (legal: ...)`.
Server topo_matrix_server(const std::string& bytes, const std::string& path, int sm = 0);

}  // namespace tributary::topology
