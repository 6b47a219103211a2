#pragma once
/// The fields of generic payloads of a block that is a memory, by name (docs/block_records.md).

#include <memory>
#include <tlm>
#include <vector>

#include "modules/base/field_values.h"
#include "modules/base/memory_monitor.h"
#include "modules/base/sysc/scratch_buffer.h"

namespace tributary {

/// Owns the data of transactions that are made from values.
class PayloadFields {
 public:
  using Transaction = tlm::tlm_generic_payload;
  using Monitored = MonitoredAccess;

  /// `row_bytes`: an access is one of a row, whose number is a field; 1: the address is one.
  explicit PayloadFields(unsigned row_bytes = 1) : row_bytes_(row_bytes) {}

  /// True if the device passes the time of the transaction.
  bool timed(const tlm::tlm_generic_payload&) const { return true; }
  void request(FieldVisitor& v, tlm::tlm_generic_payload& t);
  void answer(FieldVisitor& v, const tlm::tlm_generic_payload& t) const;
  void dispose(tlm::tlm_generic_payload&) const {}
  /// Returns the attributes that a monitor checks.
  static MonitoredAccess monitored(const tlm::tlm_generic_payload& t);

 private:
  unsigned row_bytes_;
  std::vector<unsigned char> data_;
  std::unique_ptr<ScratchBuffer> scratch_;  // for accesses without data
};

}  // namespace tributary
