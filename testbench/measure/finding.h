#pragma once
/// The result of a search for the bottleneck.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/measure/trials.h"

namespace tributary::measure {

/// A parameter and the value to which it is moved.
struct Move {
  std::size_t parameter = 0;  ///< index into Finding::parameters
  double factor = 0;          ///< 2, 0.5 ...; 0: its default, another name, or one piece less
  std::string to;
  std::uint64_t pieces = 0;  ///< pieces of the message after a move of a shape to one piece less; else 0
};

/// A move of one parameter alone, and its effect.
struct Step {
  Move move;
  Outcome outcome;
  double gain = 0;  ///< 1 - time / time of the base; only with state done
};

/// Times at growing factors, until another doubling gains nothing.
struct Ladder {
  struct Rung {
    double factor = 0;
    std::vector<Move> moves;
    double gain = 0;
  };
  std::vector<Rung> rungs;  ///< from factor 2 (or 1/2) on
  /// Returns the first rung with 95 % of the largest gain; null without rungs.
  const Rung* saturated() const;
};

/// Parameters that bind together.
struct Joint {
  double all = 0;           ///< gain of all rates, cycles and rooms at once
  std::vector<Move> moves;  ///< the few that suffice; empty if they gain no more than the best parameter alone
  double gain = 0;          ///< gain of `moves`
};

enum class Verdict {
  unknown,  ///< the base did not run
  nothing,  ///< no move gains more than noise
  single,   ///< one parameter
  together  ///< several parameters
};

struct Finding {
  std::vector<Parameter> parameters;
  double time = 0;                 ///< time of the base
  double spread = 0;               ///< relative difference between seeds
  double eps = 0.01;               ///< smaller gains are noise
  std::vector<Step> steps;         ///< moves of single numbers by 2, 1/2, 1.25, 0.8 and 0 (default, or one piece less)
  std::vector<Step> choices;       ///< moves of names
  std::vector<std::string> inert;  ///< paths of numbers that change nothing
  std::optional<Joint> joint;      ///< empty if it did not run
  Ladder single_ladder, joint_ladder;
  Verdict verdict = Verdict::unknown;
  std::vector<Move> bottleneck;     ///< moves of the verdict
  double gain = 0;                  ///< gain of the verdict
  std::vector<std::string> equals;  ///< other parameters with the gain of a single one: the same resource
  std::string reason;               ///< reason for the verdict unknown
  std::size_t runs = 0, missing = 0;
  std::vector<std::string> not_run;  ///< parameters of live groups that did not run alone

  /// Returns the step of a parameter with the largest gain; null if none is done.
  const Step* best(std::size_t parameter) const;
  /// Returns the step of a parameter with the largest change of time; null if none is done.
  const Step* strongest(std::size_t parameter) const;
  /// Returns the step with this factor that is done, or null.
  const Step* step(std::size_t parameter, double factor) const;
  /// Returns ln(time / base) / ln(value / base value) at the smallest step that is done.
  std::optional<double> elasticity(std::size_t parameter) const;
};

}  // namespace tributary::measure
