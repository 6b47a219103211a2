#include <catch2/catch.hpp>

#include "modules/nic/core/written_rows.h"

namespace tributary::test_written_rows {

TEST_CASE("written rows: a row that is read otherwise than it was written is a breach", "[pure]") {
  constexpr std::uint16_t nil = ScheduleEntry::nil;
  ScheduleEntry entry{ScheduleEntry::Op::reduce, 3, nil, {nil, nil, nil, nil}, 5, 0, 64};
  const EntryCode written = encode(entry);
  entry.step = 6;
  const EntryCode other = encode(entry);

  WrittenRows rows;
  CHECK_FALSE(rows.breach(2, other));
  rows.write(2, written);
  CHECK_FALSE(rows.breach(2, written));
  CHECK_FALSE(rows.breach(1, other));  // not written here
  REQUIRE(rows.breach(2, other));
  CHECK_THAT(*rows.breach(2, other),
             Catch::StartsWith("row 2 was written as ") && Catch::Contains("step 5") && Catch::Contains("step 6"));
  rows.write(2, other);
  CHECK_FALSE(rows.breach(2, other));
  rows.clear();
  CHECK_FALSE(rows.breach(2, written));
}

}  // namespace tributary::test_written_rows
