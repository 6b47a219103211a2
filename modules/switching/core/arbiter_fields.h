#pragma once
/// The calls of a crossbar's arbiter as transactions, and their fields by name (docs/block_records.md#arbiter).

#include <vector>

#include "modules/base/field_values.h"
#include "modules/switching/core/crossbar_arbiter.h"

namespace tributary {

struct ArbiterCall {
  enum class Kind : std::uint8_t { choose, grant };
  Kind kind = Kind::choose;
  unsigned output = 0;
  std::vector<CrossbarArbiter::Request> requests;  ///< grant: the request that crosses
  std::size_t chosen = 0;                          ///< choose, out: index of a request
};

class ArbiterFields {
 public:
  explicit ArbiterFields(const CrossbarArbiterConfig& config) : ports_(config.ports), queues_(config.queues) {}

  /// Throws FieldError if a visitor sets a request that the crossbar does not make.
  void request(FieldVisitor& v, ArbiterCall& call) const;
  /// Visits the chosen request.
  static void answer(FieldVisitor& v, const ArbiterCall& call);

 private:
  void check(const ArbiterCall& call) const;

  unsigned ports_, queues_;
};

/// Visits the configuration of an arbiter.
void arbiter_config_fields(FieldVisitor& v, CrossbarArbiterConfig& config);

}  // namespace tributary
