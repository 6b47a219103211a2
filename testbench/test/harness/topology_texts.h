#pragma once
/// Texts of topology files for tests.

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "platforms/topology/files/nccl_xml.h"
#include "platforms/topology/files/topo_matrix.h"

namespace tributary {

/// The path of a file that ships, such as `dgx1v.xml`.
inline std::string shipped_path(const std::string& name) {
  return std::string(TRIBUTARY_SOURCE_DIR) + "/testbench/workload/data/topologies/" + name;
}
inline std::string shipped_topology(const std::string& name) {
  std::ifstream file(shipped_path(name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the text with its first `from` replaced; `from` must occur.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no '" + from + "' in the text");
  return text.replace(at, from.size(), to);
}

/// Returns the error of a reader, `FILE:LINE: ...`, or "accepted".
template <class Reader>
std::string refusal_by(Reader read, const std::string& text) {
  try {
    read(text, "FILE");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}
inline std::string xml_refusal(const std::string& text) { return refusal_by(topology::nccl_xml_server, text); }
inline std::string matrix_refusal(const std::string& text) {
  return refusal_by([](const std::string& t, const std::string& path) { return topology::topo_matrix_server(t, path); },
                    text);
}

/// Two GPUs with two links, one below a switch with a NIC, the other at the second socket; each element has a line of
/// its own.
inline const char* const small_xml =
    "<system version=\"1\">\n"
    "<cpu numaid=\"0\">\n"
    "<pci busid=\"0000:01:00.0\" class=\"0x060400\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">\n"
    "<pci busid=\"0000:02:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" link_width=\"8\">\n"
    "<gpu dev=\"1\" sm=\"80\" rank=\"0\" gdr=\"1\">\n"
    "<nvlink target=\"0000:0A:00.0\" count=\"2\" tclass=\"0x030200\"/>\n"
    "</gpu></pci>\n"
    "<pci busid=\"0000:03:00.0\" class=\"0x020000\" link_speed=\"\" link_width=\"0\">\n"
    "<nic><net name=\"mlx5_0\" dev=\"0\" speed=\"100000\"/><net name=\"mlx5_1\" dev=\"1\" speed=\"25000\"/></nic></pci>\n"
    "</pci></cpu>\n"
    "<cpu numaid=\"4\">\n"
    "<pci busid=\"0000:0a:00.0\" class=\"0x030200\" link_speed=\"Unknown speed\" link_width=\"16\">\n"
    "<gpu dev=\"0\" sm=\"80\" rank=\"1\" gdr=\"1\">\n"
    "<nvlink target=\"0000:02:00.0\" count=\"2\" tclass=\"0x030200\"/>\n"
    "</gpu></pci></cpu></system>\n";

/// Three GPUs with one link between two of them; blank lines, all columns.
inline const char* const small_matrix =
    "$ nvidia-smi topo -m\n"
    "       GPU0  GPU1  GPU2  NIC0  CPU Affinity  NUMA Affinity\n"
    "GPU0    X    NV2   SYS   PIX   0-7           0\n"
    "GPU1   NV2    X    SYS   PIX   0-7           0\n"
    "GPU2   SYS   SYS    X    SYS   8-15          1\n"
    "NIC0   PIX   PIX   SYS    X\n"
    "\n"
    "Legend:\n"
    "  X = Self\n"
    "NIC Legend:\n"
    "  NIC0: mlx5_0\n";

}  // namespace tributary
