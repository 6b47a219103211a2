#pragma once
/// The fields of transactions of an accelerator's parts, by name (docs/block_records.md).

#include <vector>

#include "modules/netreduce/core/accelerator_parts.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/ct_table.h"
#include "modules/protocol/packet_fields.h"

namespace tributary {

/// Time and storage that the fields of all parts share. Objects own what their transactions point to: a transaction that was
/// made from values is valid until the next one.
template <class Part>
class PartFields {
 public:
  using Transaction = Part;

  Tick time(const Part& t) const { return t.now; }
  void set_time(Part& t, Tick now) const { t.now = now; }
};

class IcrcFields : public PartFields<IcrcTransaction> {
 public:
  void request(FieldVisitor& v, IcrcTransaction& t);
  void answer(FieldVisitor& v, const IcrcTransaction& t) const;
  void dispose(IcrcTransaction& t) const;

 private:
  PacketPool pool_{EthernetLink{}};
};

class ClFields : public PartFields<ClTransaction> {
 public:
  void request(FieldVisitor& v, ClTransaction& t) const;
  void answer(FieldVisitor& v, const ClTransaction& t) const;
  void dispose(ClTransaction&) const {}
};

class SlotFields : public PartFields<SlotTransaction> {
 public:
  void request(FieldVisitor& v, SlotTransaction& t);
  void answer(FieldVisitor& v, const SlotTransaction& t) const;
  void dispose(SlotTransaction&) const {}

 private:
  AggregationRing ring_;
  std::vector<AggregationRing> rings_;  // begun by transactions that are made from values
};

class CtFields : public PartFields<CtTransaction> {
 public:
  void request(FieldVisitor& v, CtTransaction& t) const;
  void answer(FieldVisitor& v, const CtTransaction& t) const;
  void dispose(CtTransaction&) const {}
};

class HeaderFields : public PartFields<HeaderTransaction> {
 public:
  void request(FieldVisitor& v, HeaderTransaction& t);
  void answer(FieldVisitor& v, const HeaderTransaction& t) const;
  void dispose(HeaderTransaction& t) const;

 private:
  PacketPool pool_{EthernetLink{}};
  std::uint64_t rows_ = 0;  // reserved by transactions that are made from values
};

class CombineFields : public PartFields<CombineTransaction> {
 public:
  void request(FieldVisitor& v, CombineTransaction& t);
  void answer(FieldVisitor& v, const CombineTransaction& t) const;
  void dispose(CombineTransaction&) const {}

 private:
  std::vector<const std::byte*> operands_;
  std::vector<std::byte> sum_;
};

}  // namespace tributary
