#pragma once
/// ExploreReport: all results of an exploration. Its files, its screen and its page are made from this alone
/// (docs/explore.md).

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/explore/halving.h"
#include "testbench/explore/morris.h"
#include "testbench/explore/sobol_indices.h"

namespace tributary {

struct ExploreReport {
  struct Variable {
    std::string name, target;  ///< path of a parameter or name of an option; empty: it serves expressions alone
    std::vector<std::string> values;
    bool ordered = true;  ///< false: names
  };
  struct Objective {
    std::string name;
    std::string column;  ///< name with the unit, as in the files: `time_ns`
    std::string unit;    ///< unit of the values: `ns`, `GB/s`; empty for a plain number
    std::string text;    ///< expression
    bool maximised = false;
  };
  struct Point {
    std::vector<std::string> values;       ///< texts of the variables
    std::vector<double> objectives;        ///< in their units; empty: the point has no results
    std::optional<double> of;              ///< value that a bisection or a sensitivity is about
    std::optional<double> violation;       ///< sum of relative violations; none: the point has no results
    std::optional<std::size_t> front;      ///< number of its front; none: infeasible, or a cheaper run
    std::size_t generation = 0;            ///< question of the search, from 0
    std::size_t rung = 0;                  ///< 0: the workloads as they are; else a cheaper run, from 1
    double spread = 0;                     ///< largest difference between seeds, relative to the mean
    std::string runs;                      ///< ids of its runs, joined by `+`; empty: it needed none
    std::string reason;                    ///< cause of a violation, one line
    std::vector<std::string> commands;     ///< command line of each workload; none for points that needed no run
    std::vector<std::string> bottlenecks;  ///< bottleneck of each workload, one line; empty if there is none
  };
  struct Hypervolumes {
    std::vector<double> reference, generations;
  };
  struct Bisection {
    std::string variable, of;
    double keep = 0;
    std::optional<std::string> answer, counter_example;
    bool monotone = true;
    std::optional<std::pair<std::string, std::string>> drop;  ///< neighbours, the second one is worse
    std::string reason;                                       ///< cause of a missing answer
  };
  struct Step {  ///< one variable moves from the value of a point
    std::string variable, from, to;
    double gain = 0;                   ///< 1 - ratio of the values: positive where the value falls
    std::optional<double> elasticity;  ///< ln(ratio of the values) / ln(ratio of the numbers)
  };
  struct Tornado {
    std::vector<std::string> at;  ///< texts of the variables
    std::string of;
    std::vector<Step> steps;
  };
  struct Assumption {
    std::string parameter, from, to;
    bool changes_order = false;  ///< the order of the members by the first objective differs
    std::vector<double> ratios;  ///< first objective of each member, relative to that without the change
  };
  struct Assumptions {
    std::vector<std::size_t> members;  ///< the knee and its neighbours on the front: indices of points
    std::size_t examined = 0;          ///< changes that ran at the knee
    std::size_t refused = 0;           ///< changes that `run` refuses
    std::vector<std::string> zeros;    ///< assumed parameters that are 0, which no factor changes
    std::vector<Assumption> live;      ///< changes that move the first objective of the knee
  };
  struct Comparison {
    std::string folder;
    std::size_t members = 0;              ///< members of the other front
    double dominated = 0, dominates = 0;  ///< share of this front that the other dominates, and the reverse
  };

  std::string version, method;
  std::string file;  ///< name without folders, so that the results are equal wherever it is
  std::uint64_t seed = 1;
  std::size_t seeds = 1;
  std::string ended;  ///< cause of an early end: budget, interrupted; else empty
  std::vector<std::string> workloads;
  std::vector<Variable> variables;
  std::vector<Objective> objectives;
  std::string of;                                     ///< expression of Point::of; empty: none
  bool has_rungs = false;                             ///< some points are cheaper runs
  std::vector<Point> points;                          ///< in the order of their evaluation
  std::vector<std::size_t> front;                     ///< indices of points
  std::optional<std::size_t> knee, baseline, within;  ///< `within`: the fastest that costs no more than the baseline
  std::optional<Hypervolumes> hypervolume;
  std::vector<explore::RungReport> rungs;
  std::optional<Bisection> bisection;
  std::vector<explore::MorrisEffect> morris;  ///< by variable
  std::vector<explore::SobolIndex> sobol;     ///< by variable
  std::optional<Tornado> tornado;
  std::optional<Assumptions> assumptions;
  std::optional<Comparison> comparison;
};

/// Returns all points as CSV, in the order of their evaluation.
std::string explore_points_csv(const ExploreReport& report);
/// Returns the front as CSV, with the same columns.
std::string explore_front_csv(const ExploreReport& report);
/// Returns the file explore.json (docs/schema/explore.schema.json).
nlohmann::ordered_json explore_json(const ExploreReport& report);
/// Returns the front and a summary as lines of the screen.
std::string explore_text(const ExploreReport& report);

}  // namespace tributary
