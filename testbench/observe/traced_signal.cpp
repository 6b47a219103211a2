#include "testbench/observe/traced_signal.h"

#include <algorithm>
#include <array>

#include "modules/base/wide_probe.h"
#include "modules/packet/packet.h"
#include "modules/packet/reduction_event.h"
#include "modules/packet/schedule_event.h"

namespace tributary {
namespace {

struct Field {
  const char* name;
  SignalField field;
  SignalKind kind;
  unsigned width;
  const char* about;
};

constexpr std::array<Field, 4> packet_fields{
    {{"block", SignalField::packet_block, SignalKind::level, 57, "block number of the latest packet"},
     {"opcode", SignalField::packet_opcode, SignalKind::level, 8, "opcode of the latest packet"},
     {"flow", SignalField::packet_trail, SignalKind::level, 16, "FlowID of the chunk, or the command that waits for it"},
     {"source", SignalField::packet_source, SignalKind::level, 16, "endpoint that sent the latest packet"}}};

constexpr std::array<Field, 8> entry_fields{
    {{"valid", SignalField::entry_valid, SignalKind::level, 1, "the entry is in use"},
     {"tag", SignalField::entry_tag, SignalKind::level, 57, "block number of the entry"},
     {"count", SignalField::entry_count, SignalKind::level, 16, "operands so far"},
     {"value", SignalField::entry_value, SignalKind::real, 64, "first element of the partial sum"},
     {"operand", SignalField::entry_operand, SignalKind::real, 64, "first element of the latest operand"},
     {"from", SignalField::entry_from, SignalKind::level, 16, "source endpoint of the latest operand"},
     {"contributors", SignalField::entry_contributors, SignalKind::level, 64, "endpoints 0 to 63 in the partial sum"},
     {"contributors_64", SignalField::entry_contributors_64, SignalKind::level, 64,
      "endpoints 64 to 127 in the partial sum"}}};

/// Fields of a partial sum, shown for the latest tree.
constexpr std::array<Field, 5> sum_fields{
    {{"flow", SignalField::entry_tag, SignalKind::level, 57, "FlowID of the latest partial sum"},
     {"count", SignalField::entry_count, SignalKind::level, 16, "operands of the sum so far, including the node's own"},
     {"from", SignalField::entry_from, SignalKind::level, 16, "source node of the latest operand"},
     {"operand", SignalField::entry_operand, SignalKind::real, 64, "first element of the latest operand"},
     {"value", SignalField::entry_value, SignalKind::real, 64, "first element of the partial sum"}}};

constexpr std::array<Field, 11> row_fields{
    {{"valid", SignalField::row_valid, SignalKind::level, 1, "the row is still to be issued"},
     {"opcode", SignalField::row_opcode, SignalKind::level, 8, "opcode of the row"},
     {"flow", SignalField::row_tree, SignalKind::level, 16, "FlowID"},
     {"step", SignalField::row_step, SignalKind::level, 16, "time step in which the row is issued"},
     {"parent", SignalField::row_parent, SignalKind::level, 16, "node; 65535: none"},
     {"child0", SignalField::row_child0, SignalKind::level, 16, "node; 65535: none"},
     {"child1", SignalField::row_child1, SignalKind::level, 16, "node; 65535: none"},
     {"child2", SignalField::row_child2, SignalKind::level, 16, "node; 65535: none"},
     {"child3", SignalField::row_child3, SignalKind::level, 16, "node; 65535: none"},
     {"waits", SignalField::row_waits, SignalKind::level, 5,
      "children 0 to 3 (bits 0 to 3) and the parent (bit 4) that the row waits for"},
     {"ready", SignalField::row_ready, SignalKind::level, 1, "the row waits for nothing"}}};

/// Returns the prefix of a probe's fields: `x.link.sent` has the fields `x.link.block` ...; so have `arrived` and `queued`.
std::string place_of(const std::string& probe) {
  const std::size_t dot = probe.rfind('.') + 1;
  const std::string leaf = probe.substr(dot);
  return leaf == "sent" || leaf == "arrived" || leaf == "queued" ? probe.substr(0, dot) : probe + ".";
}

void add_packets(const std::string& name, const ProbeDirectory::Entry& e, std::vector<TracedSignal>& all) {
  for (const Field& f : packet_fields) {
    if (f.field == SignalField::packet_trail && e.width == 0) continue;
    TracedSignal s{place_of(name) + f.name, f.kind, f.width, f.about};
    s.probe = name;
    s.field = f.field;
    if (f.field == SignalField::packet_opcode) s.names = e.names;
    all.push_back(std::move(s));
  }
}

template <std::size_t N>
void add_row(const std::string& place, const std::string& name, const ProbeDirectory::Entry& e, unsigned row,
             const std::array<Field, N>& fields, std::vector<TracedSignal>& all) {
  for (const Field& f : fields) {
    TracedSignal s{place + f.name, f.kind, f.width, f.about};
    s.probe = name;
    s.field = f.field;
    s.row = row;
    if (f.field == SignalField::row_opcode) s.names = e.names;
    all.push_back(std::move(s));
  }
}

/// Adds signals such as `x.table.entry0.valid` of `x.table.entries`, or `x.sum.value` of `x.sum.latest`.
template <std::size_t N>
void add_rows(const std::string& name, const ProbeDirectory::Entry& e, const std::array<Field, N>& fields,
              std::vector<TracedSignal>& all) {
  const std::string place = name.substr(0, name.rfind('.') + 1);
  if (e.type == std::type_index(typeid(ReductionProbe)) && name.substr(place.size()) == "latest")
    return add_row(place, name, e, 0, sum_fields, all);
  for (unsigned row = 0; row < std::min(e.width, traced_rows); ++row)
    add_row(place + "entry" + std::to_string(row) + ".", name, e, row, fields, all);
}

}  // namespace

std::vector<TracedSignal> traceable_signals(const ProbeDirectory& probes) {
  std::vector<TracedSignal> all;
  for (const auto& [name, e] : probes.entries()) {
    if (e.type == std::type_index(typeid(SignalProbe)))
      all.push_back({name, e.kind, e.width, e.about, false, name, SignalField::itself, 0, e.names});
    if (e.type == std::type_index(typeid(WideProbe)))
      all.push_back({name, SignalKind::level, e.width, e.about, false, name, SignalField::wide});
    if (e.type == std::type_index(typeid(PacketProbe))) add_packets(name, e, all);
    if (e.type == std::type_index(typeid(ReductionProbe))) add_rows(name, e, entry_fields, all);
    if (e.type == std::type_index(typeid(ScheduleRowProbe))) add_rows(name, e, row_fields, all);
  }
  return all;
}

}  // namespace tributary
