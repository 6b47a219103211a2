// Two schedule NICs with a link between them: software writes the rows of an all-reduce into their tables through
// sockets, the NICs execute them, and a waveform records it.
#include <iostream>

#include "testbench/harness/nic_pair.h"
#include "testbench/harness/table_loader.h"
#include "testbench/observe/waveform.h"

using namespace tributary;

int sc_main(int argc, char* argv[]) {
  // Elaboration: we make the table, so that software can be bound to it, too.
  std::vector<ScheduleTable*> tables;
  Nic::Parts parts;
  parts.table = [&](const char* name, const NicCore::Config& config) {
    auto table = std::make_unique<ScheduleTable>(name, config.table_entries);
    tables.push_back(table.get());
    return table;
  };
  constexpr std::uint32_t chunk = 4096;  // bytes; a message has two chunks
  NicPair pair("node", parts, chunk);
  TableLoader software[] = {TableLoader("software0"), TableLoader("software1")};
  for (unsigned n = 0; n < 2; ++n) software[n].socket.bind(tables[n]->socket);

  ProbeDirectory probes;
  for (unsigned n = 0; n < 2; ++n) pair.node(n).describe(probes);
  Waveform waveform(probes, {"node0.nic.*"}, argc > 1 ? argv[1] : "schedule_nic.vcd");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  // An all-reduce of two nodes: each sends the peer's chunk up its tree, where it is added, and its own sum down.
  using Op = ScheduleEntry::Op;
  constexpr std::uint16_t nil = ScheduleEntry::nil;
  for (std::uint16_t n = 0; n < 2; ++n) {
    const auto other = static_cast<std::uint16_t>(1 - n);
    const bool loaded =
        software[n].write(0, {Op::reduce, other, other, {nil, nil, nil, nil}, 1, other * std::uint64_t{chunk}, chunk}) &&
        software[n].write(1, {Op::gather, n, nil, {other, nil, nil, nil}, 2, n * std::uint64_t{chunk}, chunk});
    if (!loaded || software[n].write(4, {})) return 1;  // the table has four rows
    pair.fill(n, 10 + n);
  }
  constexpr Tick start = 1'000'000;
  for (unsigned n = 0; n < 2; ++n) {
    NicProgram program;
    program.table.rows = 2;
    program.table.reduces = program.table.gathers = 1;
    program.type = ElementType::i32;
    pair.node(n).post(program, start);
  }
  sc_core::sc_start();
  waveform.finish();

  std::size_t wrong = 0;
  for (unsigned n = 0; n < 2; ++n)
    for (std::size_t i = 0; i < pair.elements(); ++i) wrong += pair.value(n, i) != 10 + 11;
  std::cout << "all-reduce of " << 2 * chunk << " B in " << pair.finished().last() - start << " ps, " << wrong << " wrong\n";
  return wrong == 0 ? 0 : 1;
}
