#pragma once
/// The method of an exploration, as its file asks for.

#include <memory>

#include "testbench/cli/explore/explore_model.h"
#include "testbench/explore/bisection.h"
#include "testbench/explore/evolution.h"
#include "testbench/explore/halving.h"
#include "testbench/explore/morris.h"
#include "testbench/explore/one_at_a_time.h"
#include "testbench/explore/sobol_indices.h"

namespace tributary {

/// A search, and the same search by its type, for its results; the others are null.
struct ExploreSearch {
  std::unique_ptr<explore::Search> search;
  const explore::Evolution* evolution = nullptr;
  const explore::Halving* halving = nullptr;
  const explore::Bisection* bisection = nullptr;
  const explore::OneAtATime* one_at_a_time = nullptr;
  const explore::Morris* morris = nullptr;
  const explore::SobolIndices* sobol = nullptr;
};

/// Throws InputError.
ExploreSearch make_search(const ExploreModel& model);

}  // namespace tributary
