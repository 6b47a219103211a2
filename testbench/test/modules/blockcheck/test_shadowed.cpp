/// A reduction table with a shadow, in a test bench without a platform.
#include <catch2/catch.hpp>

#include "modules/nvswitch/associative_reduction_table.h"
#include "modules/nvswitch/core/table_fields.h"
#include "platforms/shadowed.h"

namespace tributary::test_shadowed {

using Command = TableTransaction::Command;
using Answer = TableTransaction::Answer;

/// Counts one operand too few in its third answer.
class Forgetful : public AssociativeReductionTable {
 public:
  using AssociativeReductionTable::AssociativeReductionTable;

 private:
  void b_transport(TableTransaction& t, sc_core::sc_time&) override {
    core.access(t);
    if (++answers_ == 3) --t.count;
  }
  unsigned answers_ = 0;
};

ReductionTableConfig config() {
  ReductionTableConfig c;
  c.bytes = 512;
  c.timeout = 2'000'000;
  return c;
}

Packet* operand(PacketPool& pool, std::uint64_t block, std::uint8_t value) {
  Packet* const p = pool.make(block_bytes, true);
  NvHeader& h = nv(*p);
  h.opcode = Opcode::red_write;
  h.address = block * block_bytes;
  h.count = 1;
  h.type = ElementType::i8;
  for (unsigned i = 0; i < block_bytes; ++i) p->payload[i] = std::byte{value};
  return p;
}

/// Device that pushes three operands of block 5 to its table.
struct Bench : sc_core::sc_module {
  Bench(const sc_core::sc_module_name& name, const ReductionTableFactory& make)
      : sc_module(name), table(make("table", config())) {
    socket.bind(table->socket);
  }
  Packet* push_three() {
    TableTransaction t;
    for (std::uint8_t i = 1; i <= 3; ++i) {
      t = {};
      t.command = Command::push;
      t.expected = 3;
      t.now = 10'000 * i;
      t.packet = operand(pool, 5, i);
      CHECK(socket.access(t) == 0);
    }
    CHECK(t.answer == Answer::completed);
    return t.result;
  }
  PacketPool pool{NvLink{}};
  std::unique_ptr<ReductionTableModule> table;
  ReductionTableSocket socket{"socket"};
};

TEST_CASE("a table that agrees is compared in every transaction, and the model's result is used", "[block][blockcheck]") {
  BlockShadows shadows;
  const ReductionTableFactory model = make_reduction_table;
  Bench bench("bench", shadowed<TableKit<TableFields>>(model, model, shadows));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Packet* const result = bench.push_three();
  CHECK(result->payload[7] == std::byte{6});
  result->release();
  CHECK(bench.pool.live() == 0);
  REQUIRE(shadows.size() == 1);
  CHECK(shadows[0]->compared() == 3);
  CHECK(shadows[0]->different() == 0);
  CHECK(shadows[0]->place().name == "bench.table");
}

TEST_CASE("a table that counts wrongly does not change the model's result", "[block][blockcheck]") {
  BlockShadows shadows;
  const ReductionTableFactory model = make_reduction_table;
  const ReductionTableFactory other = [](const char* name, const ReductionTableConfig& c) {
    return std::make_unique<Forgetful>(name, c);
  };
  Bench bench("bench", shadowed<TableKit<TableFields>>(model, other, shadows));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Packet* const result = bench.push_three();
  CHECK(nv(*result).address == 5 * block_bytes);
  result->release();
  CHECK(shadows[0]->different() == 1);
  REQUIRE(shadows[0]->first());
  REQUIRE(shadows[0]->first()->fields.size() == 1);
  CHECK(shadows[0]->first()->fields[0].field == "count");
  CHECK(shadows[0]->first()->fields[0].expected == "3");
  CHECK(shadows[0]->first()->fields[0].got == "2");
}

}  // namespace tributary::test_shadowed
