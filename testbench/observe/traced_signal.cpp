#include "testbench/observe/traced_signal.h"

#include <algorithm>
#include <array>

#include "modules/packet/packet.h"
#include "modules/packet/reduction_event.h"

namespace tributary {
namespace {

constexpr unsigned traced_rows = 64;  // rows beyond have no signals of their own

struct Field {
  const char* name;
  SignalField field;
  SignalKind kind;
  unsigned width;
  const char* about;
};

constexpr std::array<Field, 3> packet_fields{
    {{"block", SignalField::packet_block, SignalKind::level, 57, "block number of the latest packet"},
     {"opcode", SignalField::packet_opcode, SignalKind::level, 8, "what the latest packet asks for"},
     {"source", SignalField::packet_source, SignalKind::level, 16, "endpoint that sent the latest packet"}}};

constexpr std::array<Field, 8> entry_fields{
    {{"valid", SignalField::entry_valid, SignalKind::level, 1, "the entry is in use"},
     {"tag", SignalField::entry_tag, SignalKind::level, 57, "block number of the entry"},
     {"count", SignalField::entry_count, SignalKind::level, 16, "operands so far"},
     {"value", SignalField::entry_value, SignalKind::real, 64, "first element of the partial sum"},
     {"operand", SignalField::entry_operand, SignalKind::real, 64, "first element of the operand just added"},
     {"from", SignalField::entry_from, SignalKind::level, 16, "endpoint that the operand just added came from"},
     {"contributors", SignalField::entry_contributors, SignalKind::level, 64, "endpoints 0 to 63 in the partial sum"},
     {"contributors_64", SignalField::entry_contributors_64, SignalKind::level, 64,
      "endpoints 64 to 127 in the partial sum"}}};

/// `x.link.sent` has its fields beside it, `x.link.block`; so have `arrived` and `queued`.
std::string place_of(const std::string& probe) {
  const std::size_t dot = probe.rfind('.') + 1;
  const std::string leaf = probe.substr(dot);
  return leaf == "sent" || leaf == "arrived" || leaf == "queued" ? probe.substr(0, dot) : probe + ".";
}

void add_packets(const std::string& name, const ProbeDirectory::Entry& e, std::vector<TracedSignal>& all) {
  for (const Field& f : packet_fields) {
    TracedSignal s{place_of(name) + f.name, f.kind, f.width, f.about};
    s.probe = name;
    s.field = f.field;
    if (f.field == SignalField::packet_opcode) s.names = e.names;
    all.push_back(std::move(s));
  }
}

/// `x.table.entries` has `x.table.entry0.valid` and so on.
void add_rows(const std::string& name, const ProbeDirectory::Entry& e, std::vector<TracedSignal>& all) {
  const std::string place = name.substr(0, name.rfind('.') + 1) + "entry";
  for (unsigned row = 0; row < std::min(e.width, traced_rows); ++row)
    for (const Field& f : entry_fields) {
      TracedSignal s{place + std::to_string(row) + "." + f.name, f.kind, f.width, f.about};
      s.probe = name;
      s.field = f.field;
      s.row = row;
      all.push_back(std::move(s));
    }
}

}  // namespace

std::vector<TracedSignal> traceable_signals(const ProbeDirectory& probes) {
  std::vector<TracedSignal> all;
  for (const auto& [name, e] : probes.entries()) {
    if (e.type == std::type_index(typeid(SignalProbe))) all.push_back({name, e.kind, e.width, e.about, false, name});
    if (e.type == std::type_index(typeid(PacketProbe))) add_packets(name, e, all);
    if (e.type == std::type_index(typeid(ReductionProbe))) add_rows(name, e, all);
  }
  return all;
}

}  // namespace tributary
