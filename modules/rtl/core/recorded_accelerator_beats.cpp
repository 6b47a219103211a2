#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "modules/base/field_type.h"
#include "modules/netreduce/core/clt_pins.h"
#include "modules/netreduce/core/combinator_pins.h"
#include "modules/netreduce/core/ctt_pins.h"
#include "modules/netreduce/core/part_fields.h"
#include "modules/netreduce/core/payload_buffer_pins.h"
#include "modules/rtl/core/clt_beats.h"
#include "modules/rtl/core/combinator_codec.h"
#include "modules/rtl/core/ctt_beats.h"
#include "modules/rtl/core/payload_beats.h"
#include "modules/rtl/core/recorded_beats.h"

namespace tributary {
namespace {

std::uint64_t number_at(const FieldValues& values, const std::string& key) {
  const FieldValue* const value = values.find(key);
  return value == nullptr ? 0 : value->number;
}

/// Returns the position of a name in `names`, 0 for another one.
template <class E>
E name_at(const FieldValues& values, const std::string& key, std::initializer_list<const char*> names) {
  const FieldValue* const value = values.find(key);
  unsigned index = 0;
  for (const char* name : names) {
    if (value != nullptr && value->text == name) return static_cast<E>(index);
    ++index;
  }
  return E{};
}

/// Makes the transaction of an access. The values outlive it.
template <class Fields>
class Remade {
 public:
  typename Fields::Transaction of(const BlockAccess& access) {
    values_ = access.request;
    typename Fields::Transaction t{};
    FieldSetter setter(values_);
    fields_.request(setter, t);
    t.now = access.time;
    return t;
  }

 private:
  Fields fields_;
  FieldValues values_;
};

// ---- combinator

/// RANKS is the largest number of operands of the first slots. Each unit of adders is one of the record.
class RecordedCombinator : public RecordedBeats {
 public:
  explicit RecordedCombinator(const BlockPlace& place) : RecordedBeats(combinator_pins(), place.clock) {
    const std::string units = config_text(place, "accelerator.combinators");
    if (units != "auto") units_ = static_cast<unsigned>(parse_count(units, 65536));
  }

 private:
  bool determine(const std::vector<BlockAccess>& first, bool, PinParameters& parameters) override {
    std::uint64_t ranks = 1;
    for (const BlockAccess& access : first) ranks = std::max(ranks, number_at(access.request, "operands"));
    parameters["RANKS"] = ranks;
    return first.size() >= 64;
  }
  void convert(const BlockAccess& access) override {
    const CombineTransaction t = remade_.of(access);
    const std::uint64_t ranks = parameter("RANKS");
    if (!codec_) codec_.emplace("combinator", RtlBlock{{}, parameters()}, AcceleratorParams());
    if (t.operands > ranks)
      throw std::invalid_argument("a slot of " + std::to_string(t.operands) + " operands (RANKS is " +
                                  std::to_string(ranks) + ", the most of the first 64 slots)");
    if (const FieldValue* sum = access.answer.find("sum"))
      std::memcpy(t.sum + t.skip, sum->bytes.data(), std::min<std::size_t>(sum->bytes.size(), t.bytes - t.skip));
    const unsigned unit = units_ == 0 ? t.ring : t.ring % units_;
    ++id_;
    std::vector<RtlBeat> slot;
    std::vector<ExpectedBeat> sum;
    for (unsigned k = 0; k < CombinatorCodec::beats(t); ++k) {
      slot.push_back(codec_->beat(channel(0), t, k, id_));
      sum.push_back(codec_->expected(channel(1), t, k, id_));
    }
    const std::uint64_t start = send(unit, 0, edge_at(access.time), std::move(slot), 2 + clocks(access.interval));
    // A clock for the input register, as the accelerator counts it.
    expect(unit, 1, start + 1 + clocks(access.latency), std::move(sum));
  }

  unsigned units_ = 0;  // 0: one for each ring
  Remade<CombineFields> remade_;
  std::optional<CombinatorCodec> codec_;
  std::uint16_t id_ = 0;
};

// ---- tables

class RecordedLookups : public RecordedBeats {
 public:
  explicit RecordedLookups(const BlockPlace& place)
      : RecordedBeats(clt_pins(), place.clock),
        lookup_cycles_(parse_count(config_text(place, "accelerator.lookup_cycles"), 1u << 20)) {}

 private:
  void convert(const BlockAccess& access) override {
    const ClTransaction t = remade_.of(access);
    SlotAddress found;
    found.verdict = name_at<SlotAddress::Verdict>(access.answer, "verdict", {"found", "unknown", "refused", "stale"});
    found.ring = static_cast<std::uint16_t>(number_at(access.answer, "ring"));
    found.rank = static_cast<std::uint16_t>(number_at(access.answer, "rank"));
    found.message = static_cast<std::uint32_t>(number_at(access.answer, "message"));
    found.offset = static_cast<std::uint32_t>(number_at(access.answer, "offset"));
    ++id_;
    const std::uint64_t start =
        send(0, 0, edge_at(access.time), {lookup_beat(channel(0), t, id_)}, 1 + clocks(access.interval));
    expect(0, 1, start + lookup_cycles_ + clocks(access.latency) - clocks(access.early.latency),
           {located_beat(channel(1), found, id_)});
  }

  std::uint64_t lookup_cycles_;
  Remade<ClFields> remade_;
  std::uint8_t id_ = 0;
};

class RecordedTranslations : public RecordedBeats {
 public:
  explicit RecordedTranslations(const BlockPlace& place)
      : RecordedBeats(ctt_pins(), place.clock),
        lookup_cycles_(parse_count(config_text(place, "accelerator.lookup_cycles"), 1u << 20)) {}

 private:
  void convert(const BlockAccess& access) override {
    CtTransaction t = remade_.of(access);
    if (t.known_messages > 1)
      throw std::invalid_argument(
          "several first packets of a connection (legal: one, netreduce.accelerator.ctt.learn=affine)");
    t.added = number_at(access.answer, "added") != 0;
    const CtEntry entry = entry_of(access.answer);
    if (!entry.to.empty()) t.entry = &entry;
    ++id_;
    const std::uint64_t start =
        send(0, 0, edge_at(access.time), {command_beat(channel(0), t, id_)}, 1 + clocks(access.interval));
    expect(0, 1, start + lookup_cycles_ + clocks(access.latency) - clocks(access.early.latency),
           target_beats(channel(1), t, id_));
  }
  static CtEntry entry_of(const FieldValues& answer) {
    CtEntry entry;
    entry.direction = name_at<CtDirection>(answer, "direction", {"aggregate", "multicast"});
    entry.preset = number_at(answer, "preset") != 0;
    for (std::uint64_t i = 0; i < number_at(answer, "targets"); ++i) {
      const std::string to = "to" + std::to_string(i) + ".", first = to + "first0.";
      CtTarget target{{static_cast<std::uint16_t>(number_at(answer, to + "source")),
                       static_cast<std::uint16_t>(number_at(answer, to + "destination")),
                       static_cast<std::uint32_t>(number_at(answer, to + "queue_pair"))}};
      if (number_at(answer, first + "valid") != 0)
        target.firsts.push_back({static_cast<std::uint32_t>(number_at(answer, first + "message")),
                                 static_cast<std::uint32_t>(number_at(answer, first + "psn")),
                                 number_at(answer, first + "address"),
                                 static_cast<std::uint16_t>(number_at(answer, first + "rank")),
                                 static_cast<std::uint16_t>(number_at(answer, first + "udp_port")), true});
      entry.to.push_back(std::move(target));
    }
    return entry;
  }

  std::uint64_t lookup_cycles_;
  Remade<CtFields> remade_;
  std::uint8_t id_ = 0;
};

// ---- payload buffer

/// A unit of the record is a bank. RANKS and BEATS are those of the first slot that is read: its payloads are read at the
/// same time, and follow each other. Copies of aggregation headers have no beats.
class RecordedPayloads : public RecordedBeats {
 public:
  explicit RecordedPayloads(const BlockPlace& place) : RecordedBeats(payload_buffer_pins(), place.clock) {}

 private:
  static constexpr unsigned header_bytes = 16, row_bytes = 64;
  enum Channels : unsigned { write, read, answer };

  static bool reads(const BlockAccess& access) {
    return access.request.find("command")->text == "read" && number_at(access.request, "bytes") > header_bytes;
  }
  bool determine(const std::vector<BlockAccess>& first, bool, PinParameters& parameters) override {
    std::uint64_t ranks = 0, start = 0, stride = 0;
    Tick time = 0;
    for (const BlockAccess& access : first) {
      const std::uint64_t address = number_at(access.request, "address");
      if (ranks > 0 && (!reads(access) || access.time != time)) return true;
      if (!reads(access)) continue;
      if (ranks == 0) start = address, stride = number_at(access.request, "bytes");
      if (ranks == 1 && address > start) stride = address - start;
      time = access.time;
      parameters["RANKS"] = ++ranks;
      parameters["BEATS"] = (stride + row_bytes - 1) / row_bytes;
    }
    return false;
  }
  void convert(const BlockAccess& access) override {
    const auto bytes = static_cast<unsigned>(number_at(access.request, "bytes"));
    const bool writes = access.request.find("command")->text == "write";
    if (!writes && !reads(access)) return;
    const std::uint64_t beats = parameter("BEATS"), address = number_at(access.request, "address");
    const std::uint64_t payload = address / (beats * row_bytes), row = payload / parameter("RANKS") * beats;
    if (address % (beats * row_bytes) != 0 || bytes > beats * row_bytes)
      throw std::invalid_argument("an access of " + std::to_string(bytes) + " B at address " + std::to_string(address) +
                                  " (a payload of the first slot has " + std::to_string(beats) + " rows of 64 B)");
    const auto bank = static_cast<unsigned>(payload % parameter("RANKS"));
    // A memory returns what was written at an earlier edge.
    Edges& used = edges_[payload];
    if (writes) {
      const std::uint64_t start = send(bank, write, std::max(edge_at(access.time), used.read),
                                       write_beats(channel(write), row, data_of(access.request, "data"), bytes));
      used.write = start + 1;
      return;
    }
    const std::uint64_t start =
        send(bank, read, std::max(edge_at(access.time), used.write), read_beats(channel(read), row, bytes));
    used.read = start;
    expect(bank, answer, start + 1 + clocks(access.latency),
           row_beats(channel(answer), data_of(access.answer, "data"), bytes));
  }

  struct Edges {
    std::uint64_t read = 0;   ///< the latest read begins: a write may not begin before it
    std::uint64_t write = 0;  ///< the clock after the latest write has begun: a read may not begin before it
  };
  std::map<std::uint64_t, Edges> edges_;  // by payload
};

}  // namespace

std::unique_ptr<BlockBeats> recorded_accelerator_beats(const BlockPlace& place) {
  const bool wide = config_text(place, "accelerator.beat") == "64B";
  if (wide && place.block == combinator_pins().slot) return std::make_unique<RecordedCombinator>(place);
  if (wide && place.block == payload_buffer_pins().slot) return std::make_unique<RecordedPayloads>(place);
  if (place.block == clt_pins().slot) return std::make_unique<RecordedLookups>(place);
  if (place.block == ctt_pins().slot && config_text(place, "accelerator.ctt.learn") == "affine")
    return std::make_unique<RecordedTranslations>(place);
  return nullptr;
}

}  // namespace tributary
