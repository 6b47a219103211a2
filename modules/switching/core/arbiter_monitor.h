#pragma once
/// ArbiterMonitor: rules of a crossbar's arbiter (docs/blocks/switch.md#arbiter).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/block_monitor.h"
#include "modules/switching/core/crossbar_arbiter.h"

namespace tributary {

/// Starvation is a breach: a request loses `patience` grants of its resource, and for longer than `most`.
class ArbiterMonitor : public BlockMonitor {
 public:
  using Request = CrossbarArbiter::Request;
  static constexpr unsigned patience = 1u << 16;

  ArbiterMonitor(Setup setup, unsigned ports, unsigned queues);

  void ask(unsigned output, const std::vector<Request>& requests, Tick now);
  /// The arbiter has chosen the request of that index.
  void check(std::size_t index);
  void granted(unsigned output, const Request& request, Tick now);
  void reset() override;

 private:
  std::string request() const override;
  std::size_t place(unsigned output, const Request& request) const {
    return (std::size_t{output} * queues_ + request.queue) * ports_ + request.input;
  }
  bool asked_again(unsigned output, const std::vector<Request>& requests, Tick now) const;
  void lose(unsigned output, const Request& request, Tick now);

  static constexpr std::size_t none = ~std::size_t{0};
  unsigned ports_, queues_;
  unsigned output_ = 0;
  Tick asked_ = 0;
  std::size_t chosen_ = none;  // by the last ask(), if nothing has been granted since
  bool again_ = false;         // the present ask() repeats the last one
  std::vector<Request> requests_;
  struct Wait {
    Tick since = 0;     // first lost grant
    unsigned lost = 0;  // grants
  };
  std::vector<Wait> waits_;  // by output, queue, input
};

}  // namespace tributary
