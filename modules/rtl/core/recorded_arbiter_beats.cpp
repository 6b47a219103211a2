#include <algorithm>
#include <utility>

#include "modules/nvswitch/core/arbiter_pins.h"
#include "modules/rtl/core/arbiter_beats.h"
#include "modules/rtl/core/recorded_beats.h"
#include "modules/switching/core/arbiter_fields.h"

namespace tributary {
namespace {

/// Choices and grants have successive clocks; a choice is granted in its own clock.
class RecordedChoices : public RecordedBeats {
 public:
  explicit RecordedChoices(const BlockPlace& place)
      : RecordedBeats(arbiter_pins(), place.clock), config_(config_of(place.config)), fields_(config_) {}

 private:
  enum Channel : unsigned { requests, take, grant };

  static CrossbarArbiterConfig config_of(FieldValues values) {
    CrossbarArbiterConfig config;
    FieldSetter setter(values);
    arbiter_config_fields(setter, config);
    return config;
  }
  bool determine(const std::vector<BlockAccess>&, bool, PinParameters& parameters) override {
    parameters["REQUESTERS"] = std::uint64_t{config_.ports} * config_.queues;
    return true;
  }
  void convert(const BlockAccess& access) override {
    values_ = access.request;
    ArbiterCall call;
    FieldSetter setter(values_);
    fields_.request(setter, call);
    const std::uint64_t edge = std::max(next_, edge_at(access.time));
    next_ = edge + 1;
    if (call.kind == ArbiterCall::Kind::grant)
      return void(send(0, take, edge, {take_beat(channel(take), call.output, call.requests.front(), config_.ports)}));
    send(0, requests, edge, {requests_beat(channel(requests), call.output, call.requests, config_.ports)});
    ExpectedBeat granted(channel(grant));
    granted.set(channel(grant), 0,
                access.answer.find("queue")->number * config_.ports + access.answer.find("input")->number);
    expect(0, grant, edge, {std::move(granted)});
  }

  CrossbarArbiterConfig config_;
  ArbiterFields fields_;
  FieldValues values_;
  std::uint64_t next_ = 0;  // the next free clock
};

}  // namespace

std::unique_ptr<BlockBeats> recorded_arbiter_beats(const BlockPlace& place) {
  if (place.block != arbiter_pins().slot) return nullptr;
  return std::make_unique<RecordedChoices>(place);
}

}  // namespace tributary
