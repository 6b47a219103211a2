// The roles of parameters, which order the report of a measured bottleneck.
#include <catch2/catch.hpp>

#include "testbench/run/parameters.h"
#include "testbench/workload/training/train_params.h"

namespace tributary::test_parameter_roles {

TEST_CASE("every numeric parameter has a role", "[pure][parameters]") {
  RunParameters params;
  training::TrainParams train;
  ParameterSet set = params.fields();
  set.append(train.fields());
  for (const ParameterField& field : set.fields()) {
    INFO(field.path);
    CHECK((field.note.role() != ParameterRole::none) == field.numeric());
  }
}

}  // namespace tributary::test_parameter_roles
