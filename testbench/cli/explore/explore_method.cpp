#include "testbench/cli/explore/explore_method.h"

#include "testbench/cli/requests/option_text.h"
#include "testbench/explore/sampling.h"

namespace tributary {
namespace {

using explore::Point;
using explore::Space;

template <class Method>
const Method* keep(ExploreSearch& all, std::unique_ptr<Method> method) {
  const Method* const kept = method.get();
  all.search = std::move(method);
  return kept;
}

Point point_of_bisection(const ExploreModel& model) {
  if (model.baseline()) return *model.baseline();
  if (model.problem().space().dimensions() > 1)
    throw explore::PlanError("the values of the other variables are missing (legal: the key `baseline`)");
  return Point(1, 0);
}

std::unique_ptr<explore::Evolution> evolution_of(const ExploreModel& model) {
  const ExploreMethod& method = model.file().method;
  const explore::EvolutionPlan plan{method.population, method.generations, model.file().seed, method.least_growth,
                                    method.over};
  return std::make_unique<explore::Evolution>(model.problem().space(), plan, model.baseline());
}

ExploreSearch made(const ExploreModel& model) {
  const ExploreMethod& method = model.file().method;
  const Space& space = model.problem().space();
  const std::uint64_t seed = model.file().seed;
  ExploreSearch all;
  if (method.kind == "grid") {
    keep(all, std::make_unique<explore::ListedPoints>(explore::grid(space, method.points)));
  } else if (method.kind == "sample") {
    keep(all, std::make_unique<explore::ListedPoints>(method.sequence == "latin"
                                                          ? explore::latin_hypercube(space, method.points, seed)
                                                          : explore::sobol_sample(space, method.points, seed)));
  } else if (method.kind == "evolution") {
    all.evolution = keep(all, evolution_of(model));
  } else if (method.kind == "halving") {
    const explore::HalvingPlan plan{method.rungs.size(), method.keep, seed};
    all.halving = keep(all, std::make_unique<explore::Halving>(explore::latin_hypercube(space, method.start, seed), plan));
  } else if (method.kind == "bisect") {
    const explore::BisectionPlan plan{space.find(method.variable), method.keep, method.against_last};
    all.bisection = keep(all, std::make_unique<explore::Bisection>(space, point_of_bisection(model), plan));
  } else if (method.design == "oat" && method.at_knee) {
    if (model.problem().objectives().empty()) throw explore::PlanError("at: there are no objectives, so there is no knee");
    auto first = evolution_of(model);
    all.evolution = first.get();
    all.one_at_a_time = keep(all, std::make_unique<explore::OneAtATime>(space, std::move(first)));
  } else if (method.design == "oat") {
    if (!model.baseline()) throw explore::PlanError("the key `baseline` is missing (legal: with it, or at: knee)");
    all.one_at_a_time = keep(all, std::make_unique<explore::OneAtATime>(space, *model.baseline()));
  } else if (method.design == "morris") {
    all.morris = keep(all, std::make_unique<explore::Morris>(space, method.points, seed));
  } else {
    all.sobol = keep(all, std::make_unique<explore::SobolIndices>(space, method.points, seed));
  }
  return all;
}

}  // namespace

ExploreSearch make_search(const ExploreModel& model) {
  return with_place(model.file().method.where, [&] { return made(model); });
}

}  // namespace tributary
