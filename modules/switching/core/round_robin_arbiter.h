#pragma once
/// RoundRobinArbiter: the rules of a switch's own arbiter as a CrossbarArbiter, for observers and tests.

#include <cstddef>
#include <vector>

#include "modules/switching/core/crossbar_arbiter.h"

namespace tributary {

/// For each output the resources take turns, and in each of them the requesters (docs/blocks/switch.md#arbiter).
class RoundRobinArbiter : public CrossbarArbiter {
 public:
  static constexpr unsigned resources = 4;

  explicit RoundRobinArbiter(const CrossbarArbiterConfig& config) : ports_(config.ports) { reset(); }

  std::size_t choose(unsigned output, const std::vector<Request>& requests, Tick now) override;
  void granted(unsigned output, const Request& request, Tick now) override;
  void reset() override;

 private:
  unsigned number(const Request& request) const { return request.queue * ports_ + request.input; }

  unsigned ports_;
  std::vector<unsigned> turns_;   // by output: the first resource
  std::vector<unsigned> firsts_;  // by output and resource: the first requester
};

}  // namespace tributary
