#include "platforms/topology/gpu_kinds.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace tributary::topology {
namespace {

constexpr const char* engines_unknown = "the number of its copy engines is not published";

/// One kind of GPU, for a range of compute capabilities or for architectures of AMD that begin alike.
struct KindRow {
  int least, most;  ///< sm; 0: AMD
  const char* gcn;
  const char* name;
  std::uint32_t copy_engines;
  double nvlink, memory, channel;  ///< GB/s
  std::uint32_t multiprocessors;   ///< compute units of AMD
  const char* note;
};

// Ranges of sm and rates of channels: ncclTopoNVLinkBw and the constants of NCCL's and RCCL's src/graph/topo.h. Copy
// engines: asyncEngineCount, which deviceQuery prints (logs in github.com/thamada/nvidia-smi); of AMD, the SDMA engines of
// Linux' amdgpu driver (sdma.num_instances in sdma_v4_0.c; four in each of four dies in sdma_v4_4_2.c). Memory, links
// and multiprocessors: data sheets and white papers.
constexpr KindRow kind_rows[] = {
    {60, 69, "", "P100", 5, 20, 732, 18, 56, ""},
    {70, 72, "", "V100", 6, 25, 900, 20, 80, ""},
    {73, 79, "", "Turing GPU", 3, 25, 672, 20, 72, engines_unknown},
    {80, 85, "", "A100", 3, 25, 1555, 20, 108, ""},
    {86, 86, "", "A40", 3, 14.0625, 696, 12, 84, "an RTX 3090 has 2 copy engines"},
    {87, 88, "", "Ampere GPU", 2, 25, 696, 20, 16, engines_unknown},
    {89, 89, "", "L40S", 2, 25, 864, 20, 142, ""},
    {90, 99, "", "H100", 3, 25, 3350, 20.6, 132, ""},
    {90, 90, "", "H200", 3, 25, 4800, 20.6, 132, ""},  // by name
    {100, 999, "", "B200", 3, 50, 8000, 40.1, 148, engines_unknown},
    {0, 0, "906", "MI50", 2, 23, 1024, 24, 60, ""},
    {0, 0, "908", "MI100", 8, 23, 1229, 24, 120, ""},
    {0, 0, "910", "MI250X", 5, 50, 1638, 36, 110, ""},
    {0, 0, "90a", "MI250X", 5, 50, 1638, 36, 110, ""},
    {0, 0, "94", "MI300X", 16, 64, 5300, 48, 304, ""},
    {0, 0, "950", "MI355X", 16, 76.8, 8000, 48, 256, engines_unknown},
};

Bandwidth from_GBps(double GBps) { return bytes_per_second(static_cast<std::uint64_t>(GBps * 1e9)); }

// A P100 and a V100 have the rates that were calibrated on chains with reductions (docs/blocks/stream_gpu.md#kernels).
Bandwidth kernel_rate(const KindRow& row) {
  if (row.least == 60) return 210_GBps;
  if (row.least == 70) return 260_GBps;
  constexpr double used = 0.87, accesses = 3;
  return from_GBps(std::round(row.memory * used / accesses));
}

GpuKind kind_of(const KindRow& row, const std::string& code) {
  std::string note = row.note;
  if (note == engines_unknown)
    note = code + ": " + note + ", " + std::to_string(row.copy_engines) + " are assumed (blink.copy.engines)";
  else if (!note.empty())
    note = code + ": taken for the " + row.name + ", with " + std::to_string(row.copy_engines) + " copy engines; " + note;
  return {row.name,
          row.copy_engines,
          from_GBps(row.nvlink),
          kernel_rate(row),
          from_GBps(row.channel),
          static_cast<unsigned>(row.least),
          note,
          row.least >= 100 ? 24u : 16u,
          row.multiprocessors,
          row.least >= 100 ? 1_us : 400_ns};
}

const KindRow& kind_row_of(int sm) {
  return *std::find_if(std::begin(kind_rows), std::end(kind_rows),
                       [&](const KindRow& r) { return r.least <= sm && sm <= r.most; });
}

const KindRow& kind_row_of(const std::string& name) {
  return *std::find_if(std::begin(kind_rows), std::end(kind_rows), [&](const KindRow& r) { return r.name == name; });
}

/// Returns the most NVLinks of a GPU.
int most_links(const Server& server) {
  int most = 0;
  for (const auto* table : {&server.links, &server.switch_links})
    for (const std::vector<int>& row : *table) most = std::max(most, std::accumulate(row.begin(), row.end(), 0));
  return most;
}

GpuKind unknown_kind(const Server& server, std::optional<Bandwidth> set) {
  const std::uint64_t rate = server.nvlink_rate != 0 ? server.nvlink_rate : set ? set->value : 0;
  if (rate != 0 && rate <= 20'000'000'000) return kind_of(kind_row_of(60), "");
  const int links = most_links(server);
  GpuKind kind = kind_of(kind_row_of(links <= 6 ? 70 : links <= 12 ? 80 : 90), "");
  kind.note = "the file does not give the kind of its GPUs: copy engines, kernels and channels of " +
              std::string(kind.name == "V100" ? "a " : "an ") + kind.name + " are assumed (--sm)";
  return kind;
}

}  // namespace

GpuKind gpu_kind(const PlatformDescription& platform, const Server& server, std::optional<Bandwidth> set) {
  if (platform.file_server() == nullptr) {
    const int sm = server.sm != 0 ? server.sm : server.name == "dgx1p" ? 60 : 70;
    GpuKind kind = kind_of(server.gpu_kind.empty() ? kind_row_of(sm) : kind_row_of(server.gpu_kind), "");
    kind.note.clear();  // assumptions about built-in servers are those of docs/platforms.md
    return kind;
  }
  if (server.gcn.empty() && server.sm == 0) return unknown_kind(server, set);
  if (server.gcn.empty()) {
    if (server.sm >= kind_rows[0].least)
      return kind_of(kind_row_of(std::min(server.sm, 999)), "sm " + std::to_string(server.sm));
  } else {
    const std::string gcn = server.gcn.rfind("gfx", 0) == 0 ? server.gcn.substr(3) : server.gcn;
    for (const KindRow& row : kind_rows)
      if (row.least == 0 && gcn.rfind(row.gcn, 0) == 0) return kind_of(row, "gcn " + server.gcn);
  }
  GpuKind kind = kind_of(kind_row_of(70), "");
  kind.note = (server.gcn.empty() ? "sm " + std::to_string(server.sm) : "gcn " + server.gcn) +
              " is unknown: copy engines, kernels and channels of a V100 are assumed";
  return kind;
}

}  // namespace tributary::topology
