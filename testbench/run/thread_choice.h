#pragma once
/// The number of threads of a run for which the user names none (docs/parallel.md#number-of-threads).

#include <cstddef>

namespace tributary {

class RunParameters;
struct RunSpec;

/// Returns the number of threads of a run: 1 if its packet-hops need less than 2 s of one processor, else its share of the
/// processors. `runs`: runs that share them, at least 1.
unsigned threads_for(double hops, unsigned processors, std::size_t runs);

/// Returns the processors that this process may use, at least 1.
unsigned processors_of_process();

/// Estimates the packet-hops of all messages: the data that the ranks receive by the definition of the collectives, in
/// packets of the family's size, over the links to the nearest rank; in an all-to-all over those to a rank on average.
/// Background traffic is not counted. 0: unknown. `params`: without automatic values.
double estimated_hops(const RunSpec& spec, const RunParameters& params);

/// Returns RunSpec::threads, or the number of threads by the work of the run if that is 0.
unsigned chosen_threads(const RunSpec& spec, const RunParameters& params);

}  // namespace tributary
