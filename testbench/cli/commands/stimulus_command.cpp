#include "testbench/cli/commands/stimulus_command.h"

#include <iostream>

#include "modules/base/field_type.h"
#include "testbench/cli/exit_code.h"
#include "testbench/cli/requests/option_text.h"
#include "testbench/workload/input_error.h"

namespace tributary {

int stimulus_command(const StimulusRequest& request) {
  StimulusSpec spec = request.spec;
  if (spec.block.empty()) throw InputError("BLOCK is missing (legal: a block of `list stimulus`)");
  if (spec.folder.empty()) throw InputError("-o DIR is missing (legal: the folder of the record)");
  spec.count = with_place("--count", [&] { return parse_count_within(request.count, 1, 1'000'000'000); });
  spec.seed = with_place("--seed", [&] { return parse_count(request.seed, ~std::uint64_t{0}); });
  if (!request.type.empty()) spec.type = with_place("--dtype", [&] { return FieldType<ElementType>::parse(request.type); });
  if (!request.op.empty()) spec.op = with_place("--op", [&] { return FieldType<ReduceOp>::parse(request.op); });
  if (!request.operands.empty())
    spec.operands =
        with_place("--operands", [&] { return static_cast<unsigned>(parse_count_within(request.operands, 1, 64)); });
  const std::uint64_t transactions = write_stimulus(spec);
  std::cout << spec.block << ", " << spec.kind << ": " << transactions
            << (transactions == 1 ? " transaction in " : " transactions in ") << spec.folder << "\n";
  return exit_done;
}

}  // namespace tributary
