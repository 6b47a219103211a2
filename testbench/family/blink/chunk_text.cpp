/// The trace of a chunk as a table.

#include <algorithm>
#include <cstdio>

#include "testbench/family/blink/chunk_trace.h"
#include "testbench/observe/life_table.h"

namespace tributary {
namespace {

using Kind = ChunkMoment::Kind;

std::string gpu_name(unsigned gpu) { return "gpu" + std::to_string(gpu); }

std::string place_text(const ChunkMoment& m) {
  return gpu_name(m.gpu) + (m.kind == Kind::arrived ? ".memory" : ".stream" + std::to_string(m.stream));
}

std::string element_text(const ChunkMoment& m) {
  if (!m.first) return {};
  char text[40];
  std::snprintf(text, sizeof text, ", first element %.9g", *m.first);
  return text;
}

std::string span_text(const ChunkMoment& m) {
  char text[40];
  std::snprintf(text, sizeof text, " for %.3f", static_cast<double>(m.end - m.time) / 1e3);
  return text;
}

std::string moment_text(const ChunkMoment& m) {
  static const char* const routes[] = {"", " over PCIe", " over the network"};
  const std::string route = routes[static_cast<unsigned>(m.path)], peer = gpu_name(m.peer);
  const std::string semaphore = "semaphore " + std::to_string(m.semaphore);
  switch (m.kind) {
    case Kind::arrived:
      return "receives " + std::to_string(m.bytes) + " B from " + peer + element_text(m) + ", the first burst" +
             span_text(m).substr(4) + " before";
    case Kind::waits:
      return "waits until " + semaphore + " is " + std::to_string(m.value) + "," + span_text(m);
    case Kind::adds:
      return "kernel adds " + std::to_string(m.inputs) + (m.inputs == 1 ? " mailbox," : " mailboxes,") + span_text(m) +
             element_text(m);
    case Kind::ready:
      return "copy to " + peer + " waits for an engine and links," + span_text(m);
    case Kind::copies:
      return "engine " + std::to_string(m.engine) + " copies " + std::to_string(m.bytes) + " B to " + peer + route + "," +
             span_text(m);
    case Kind::records:
      return m.peer == m.gpu ? "records " + semaphore + "," + span_text(m)
                             : "releases " + semaphore + " of " + peer + route + "," + span_text(m);
  }
  return {};
}

}  // namespace

std::string ChunkTrace::text(Tick epoch) const {
  std::vector<ChunkMoment> all = moments();
  const std::string name = "chunk " + std::to_string(chunk());
  if (all.empty()) return "# " + name + " has no copies\n";
  // A copy that is granted immediately has no line for its wait. An arrival is listed at the time of its last burst.
  all.erase(
      std::remove_if(all.begin(), all.end(), [](const ChunkMoment& m) { return m.kind == Kind::ready && m.end == m.time; }),
      all.end());
  const auto when = [](const ChunkMoment& m) { return m.kind == Kind::arrived ? m.end : m.time; };
  std::stable_sort(all.begin(), all.end(), [&](const ChunkMoment& a, const ChunkMoment& b) { return when(a) < when(b); });
  LifeTable table("life of " + name, epoch, "event (durations in ns)");
  for (const ChunkMoment& m : all) table.add(when(m), place_text(m), moment_text(m));
  return table.text(markers_of(all));
}

}  // namespace tributary
