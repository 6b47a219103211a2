#include "testbench/measure/finding.h"

#include <cmath>

namespace tributary::measure {

const Ladder::Rung* Ladder::saturated() const {
  double most = 0;
  for (const Rung& rung : rungs) most = std::max(most, rung.gain);
  for (const Rung& rung : rungs)
    if (rung.gain >= 0.95 * most) return &rung;
  return nullptr;
}

const Step* Finding::best(std::size_t parameter) const {
  const Step* best = nullptr;
  for (const Step& s : steps)
    if (s.move.parameter == parameter && s.outcome.done() && (best == nullptr || s.gain > best->gain)) best = &s;
  return best;
}

const Step* Finding::strongest(std::size_t parameter) const {
  const Step* strongest = nullptr;
  for (const Step& s : steps)
    if (s.move.parameter == parameter && s.outcome.done() &&
        (strongest == nullptr || std::abs(s.gain) > std::abs(strongest->gain)))
      strongest = &s;
  return strongest;
}

const Step* Finding::step(std::size_t parameter, double factor) const {
  for (const Step& s : steps)
    if (s.move.parameter == parameter && s.move.factor == factor && s.outcome.done()) return &s;
  return nullptr;
}

std::optional<double> Finding::elasticity(std::size_t parameter) const {
  for (const double factor : {1.25, 0.8, 2.0, 0.5}) {
    const Step* s = step(parameter, factor);
    if (s == nullptr) continue;
    const double ratio = number_of(parameters[parameter], s->move.to) / parameters[parameter].number;
    if (ratio > 0 && ratio != 1 && s->outcome.time > 0) return std::log(s->outcome.time / time) / std::log(ratio);
  }
  return std::nullopt;
}

}  // namespace tributary::measure
