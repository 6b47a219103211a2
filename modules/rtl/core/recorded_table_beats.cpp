#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "modules/nvswitch/core/reduction_table_pins.h"
#include "modules/nvswitch/core/table_fields.h"
#include "modules/protocol/nvlink.h"
#include "modules/rtl/core/recorded_beats.h"
#include "modules/rtl/core/reduction_table_beats.h"

namespace tributary {
namespace {

using Answer = TableTransaction::Answer;

Answer answer_of(const std::string& text) {
  static const char* const names[] = {"inserted", "merged", "completed", "refused", "missed", "bypassed", "nothing"};
  const auto found = std::find(std::begin(names), std::end(names), text);
  return static_cast<Answer>(found - std::begin(names));
}

/// Commands without data have no time in the model. In RTL each takes a clock, and the beats of an entry that times out
/// take theirs: all later edges move by these clocks. A decision leaves a clock after its header.
class RecordedTable : public RecordedBeats {
 public:
  explicit RecordedTable(const BlockPlace& place)
      : RecordedBeats(reduction_table_pins(), place.clock),
        entries_(place.config.find("bytes")->number / block_bytes),
        timeout_(place.config.find("timeout")->number),
        rank_order_(place.config.find("rank_order")->number != 0) {}

 private:
  enum Channel : unsigned { request, decision, sums };
  struct Decided {
    enum : unsigned { id, answer, entry, evicts, evicted_entry, operands, deadline };
  };

  bool determine(const std::vector<BlockAccess>&, bool, PinParameters& parameters) override {
    if (rank_order_) throw std::invalid_argument("sums in the order of ranks (legal: arrival)");
    parameters["ENTRIES"] = entries_;
    parameters["TIMEOUT"] = timeout_;
    return true;
  }
  void convert(const BlockAccess& access) override {
    TableTransaction t;
    values_ = access.request;
    FieldSetter setter(values_);
    fields_.request(setter, t);
    fields_.set_time(t, access.time);
    t.answer = answer_of(access.answer.find("answer")->text);
    convert(access, t);
    if (t.packet != nullptr && t.answer != Answer::missed && t.answer != Answer::bypassed) t.packet->release();
    fields_.dispose(t);
  }
  void convert(const BlockAccess& access, const TableTransaction& t) {
    const bool operand = t.packet != nullptr;
    const std::byte* const payload = operand ? t.packet->payload : nullptr;
    const char* const leaving = has(access, "result") ? "result" : has(access, "evicted") ? "evicted" : nullptr;
    const FieldValue* const data = leaving == nullptr ? nullptr : access.answer.find(std::string(leaving) + ".data");
    if ((operand && payload == nullptr) || (leaving != nullptr && (data == nullptr || data->bytes.empty())))
      throw std::invalid_argument("a packet without data");
    const auto id = static_cast<std::uint8_t>(access.ticket);
    std::uint64_t start =
        send(0, request, edge_at(access.time) + moved_,
             command_beats(channel(request), beat_header(t), id, payload, operand ? t.packet->payload_bytes : 0));
    start += clocks(access.interval);
    expect(0, decision, start + 1, {decided(access, t, id, leaving)});
    if (leaving != nullptr) {
      const bool evicted = t.answer == Answer::inserted && operand;  // its latency contains the interval
      const std::uint64_t first = start + 1 + clocks(access.latency) - (evicted ? clocks(access.interval) : 0);
      expect(0, sums, first, leaving_block(channel(sums), id, data->bytes.data(), data->bytes.size()));
    }
    if (!operand) moved_ += leaving == nullptr ? 1 : 1 + (data->bytes.size() + NvLink::flit_bytes - 1) / NvLink::flit_bytes;
  }
  /// The table may choose any entry.
  ExpectedBeat decided(const BlockAccess& access, const TableTransaction& t, std::uint8_t id, const char* leaving) const {
    const BeatLayout& out = channel(decision);
    ExpectedBeat beat(out);
    beat.set(out, Decided::id, id);
    if (t.command != TableTransaction::Command::finish) beat.set(out, Decided::answer, static_cast<std::uint64_t>(t.answer));
    beat.set(out, Decided::evicts, leaving != nullptr && t.answer == Answer::inserted);
    if (leaving != nullptr) beat.set(out, Decided::operands, access.answer.find("count")->number);
    beat.set(out, Decided::deadline, access.answer.find("next_timeout")->number);
    return beat;
  }
  static bool has(const BlockAccess& access, const char* group) {
    return access.answer.find(std::string(group) + ".address") != nullptr;
  }

  std::uint64_t entries_, timeout_;
  bool rank_order_;
  TableFields fields_;
  FieldValues values_;
  std::uint64_t moved_ = 0;
};

}  // namespace

std::unique_ptr<BlockBeats> recorded_table_beats(const BlockPlace& place) {
  if (place.block != reduction_table_pins().slot) return nullptr;
  return std::make_unique<RecordedTable>(place);
}

}  // namespace tributary
