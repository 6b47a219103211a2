#pragma once
/// NicAccess: access of a GPU's engines to the NIC of the GPU.

#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// Requests reach the NIC, and reports come back, over PCIe. Addresses in requests are those of the GPU's memory.
class NicAccess : public Verbs {
 public:
  /// Reports of that queue pair go to `listener` from now on; null: to the tasks of the engine that has the NIC.
  virtual void listen(unsigned queue_pair, VerbsListener* listener) = 0;
};

}  // namespace tributary
