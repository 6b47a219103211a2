#include "testbench/run/traced_block.h"

#include <algorithm>

#include "testbench/run/errors.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

bool takes_part(const RunSpec& spec, unsigned endpoint) {
  return std::any_of(spec.jobs.begin(), spec.jobs.end(), [endpoint](const JobSpec& job) {
    return std::find(job.ranks.begin(), job.ranks.end(), static_cast<int>(endpoint)) != job.ranks.end();
  });
}

}  // namespace

void check_traced_block(const RunSpec& spec, const TracedNumbers& numbers) {
  const BlockQuery& query = *spec.trace.block;
  if (query.block >= numbers.count)
    throw SetupError("--trace-block: " + numbers.owner + " has no " + numbers.item + " " + std::to_string(query.block) +
                     "; legal: 0 to " + std::to_string(numbers.count - 1) + numbers.detail);
  if (!query.endpoint || takes_part(spec, *query.endpoint)) return;
  const EndpointWords words = family_of(spec.platform).endpoint_of(spec.platform);
  throw SetupError("--trace-block: " + std::string(words.device) + std::to_string(*query.endpoint) +
                   " takes no part in the run; legal: " + words.plural + " of the job");
}

}  // namespace tributary
