#pragma once
/// The fields of an access list's transactions, by name (docs/block_records.md#access-list).

#include "modules/ethernet_switch/core/access_list_table.h"
#include "modules/protocol/packet_fields.h"

namespace tributary {

/// Owns the frames and rules of transactions that are made from values.
class AccessFields {
 public:
  using Transaction = AccessTransaction;

  Tick time(const AccessTransaction& t) const { return t.now; }
  void set_time(AccessTransaction& t, Tick now) const { t.now = now; }
  void request(FieldVisitor& v, AccessTransaction& t);
  void answer(FieldVisitor& v, const AccessTransaction& t) const;
  void dispose(AccessTransaction& t) const;

 private:
  PacketPool pool_{EthernetLink{}};
  AccessRule rule_;
};

}  // namespace tributary
