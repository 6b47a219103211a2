/// Tests factories by block name, which --plugin registers and platforms look up.
#include <catch2/catch.hpp>

#include "platforms/block_factories.h"
#include "platforms/nvswitch/blocks.h"
#include "platforms/schedule_nic/blocks.h"

namespace tributary::test_block_factories {

using Catch::Matchers::Contains;

TEST_CASE("a block is replaced by one factory of its type", "[pure][plugin]") {
  BlockFactories blocks;
  CHECK(blocks.find(reduction_table_slot) == nullptr);
  blocks.add(reduction_table_slot, make_reduction_table);
  REQUIRE(blocks.find(reduction_table_slot) != nullptr);
  CHECK(blocks.find(gpu_memory_slot) == nullptr);
  CHECK(blocks.names() == std::vector<std::string>{"nvswitch.switch.reduction_table"});
  CHECK_THROWS_WITH(blocks.add(reduction_table_slot, make_reduction_table), Contains("replaced twice"));
}

TEST_CASE("a factory of another type, or from other headers, is refused by its name", "[pure][plugin]") {
  struct Wider : ReductionTableModule {
    char more[8];
  };
  using Other = std::function<std::unique_ptr<Wider>(const char*, const ReductionTableConfig&)>;
  BlockFactories blocks;
  blocks.add(BlockSlot<Other>{reduction_table_slot.name}, nullptr);
  CHECK_THROWS_WITH(blocks.find(reduction_table_slot), Contains("nvswitch.switch.reduction_table"));
  constexpr const Other* other = nullptr;
  constexpr const ReductionTableFactory* table = nullptr;
  CHECK(layout_of(other) != layout_of(table));
}

TEST_CASE("one block of a library, or all, can be registered", "[pure][plugin]") {
  BlockFactories library, one, all;
  library.add(reduction_table_slot, make_reduction_table);
  library.add(dma_engine_slot, nullptr);
  one.add(library, "nvswitch.gpu.dma");
  CHECK(one.names() == std::vector<std::string>{"nvswitch.gpu.dma"});
  all.add(library);
  CHECK(all.names().size() == 2);
  CHECK_THROWS_WITH(all.add(library), Contains("replaced twice"));
  CHECK_THROWS_WITH(one.add(library, "nvswitch.gpu.dmo"), Contains("did you mean nvswitch.gpu.dma"));
}

}  // namespace tributary::test_block_factories
