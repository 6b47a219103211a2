#include <algorithm>
#include <map>

#include "modules/streams/core/burst_cutter.h"
#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {
namespace {

using Make = std::function<std::unique_ptr<StimulusSource>(const StimulusInput&)>;

struct Copy {
  std::uint64_t bytes = 0;
  unsigned lanes = 1;
  Tick room_late = 0;  ///< ps until a burst that is ready begins to leave
  CopyFraming framing = {};
};

/// Links of a GPU: each lane sends its bursts one after another.
class CopyStimulus : public StimulusSource {
 public:
  using Copies = std::function<bool(std::size_t i, Copy& copy)>;

  explicit CopyStimulus(Copies copies) : copies_(std::move(copies)) {}

  bool next(const BlockAccess* before, BlockAccess& access) override {
    if (before != nullptr) take(*before);
    if (inputs_.empty() && !submit()) return false;
    const auto first = inputs_.begin();
    access.time = first->first;
    write(first->second, access);
    inputs_.erase(first);
    return true;
  }

 private:
  struct Input {
    const char* command;
    unsigned lane;
  };
  static constexpr Tick flit = 640;

  bool submit() {
    if (!copies_(number_, copy_)) return false;
    copy_.lanes = copy_lanes(copy_.bytes, copy_.lanes, copy_.framing);  // as links do: each lane has a packet
    ++number_;
    free_at_.assign(copy_.lanes, idle_);
    inputs_.insert({idle_, {"submit", 0}});
    return true;
  }
  void take(const BlockAccess& before) {
    for (std::size_t i = 0;; ++i) {
      const std::string call = "call" + std::to_string(i);
      const FieldValue* const kind = before.answer.find(call + ".kind");
      if (kind == nullptr) return;
      const Tick time = before.answer.find(call + ".time")->number;
      if (kind->text == "done") idle_ = time + 1000;
      if (kind->text != "burst") continue;
      const auto lane = static_cast<unsigned>(before.answer.find(call + ".lane")->number);
      const Tick begins = std::max({free_at_[lane], time + copy_.room_late, before.time});
      free_at_[lane] = begins + before.answer.find(call + ".flits")->number * flit;
      inputs_.insert({begins, {"room", lane}});
      if (before.answer.find(call + ".last")->number != 0) inputs_.insert({free_at_[lane], {"left", lane}});
    }
  }
  void write(const Input& input, BlockAccess& access) const {
    RequestFields request(access.request);
    request.name("command", input.command).number("copy", number_ - 1);
    if (std::string(input.command) != "submit") return void(request.number("lane", input.lane));
    request.number("queue", 0).number("stream", 0).number("peer", 1).name("path", "nvlink");
    request.number("lanes", copy_.lanes).number("accesses", 1).flag("reads", false);
    const CopyFraming& framing = copy_.framing;
    request.number("payload", framing.payload).number("overhead", framing.overhead).number("burst", framing.burst);
    request.number("source", 4096).number("destination", 8192).number("bytes", copy_.bytes);
  }

  Copies copies_;
  Copy copy_;
  std::size_t number_ = 0;
  Tick idle_ = 0;
  std::vector<Tick> free_at_;          // by lane
  std::multimap<Tick, Input> inputs_;  // by time
};

Make copies(std::vector<Copy> all) {
  return [all](const StimulusInput&) -> std::unique_ptr<StimulusSource> {
    return std::make_unique<CopyStimulus>([all](std::size_t i, Copy& copy) {
      if (i < all.size()) copy = all[i];
      return i < all.size();
    });
  };
}

}  // namespace

StimulusBlock copy_stimulus() {
  StimulusBlock all{"blink.gpu.copy_engine", {{"engines", "1"}}, {}};
  all.cases.push_back({"random", "copies of 1 B to 64 KiB on 1 to 6 lanes",
                       [](const StimulusInput& input) -> std::unique_ptr<StimulusSource> {
                         auto random = std::make_shared<StimulusRandom>(input.seed);
                         return std::make_unique<CopyStimulus>([random](std::size_t, Copy& copy) {
                           copy.bytes = 1 + random->below(64 * 1024);
                           copy.lanes = static_cast<unsigned>(1 + random->below(6));
                           copy.room_late = random->one_in(4) ? random->below(5000) : 0;
                           return true;
                         });
                       }});
  all.cases.push_back({"one_byte", "a copy of 1 B", copies({{1}})});
  all.cases.push_back({"one_packet", "copies of 255, 256 and 257 B", copies({{255}, {256}, {257}})});
  all.cases.push_back(
      {"burst_boundary", "copies of 15 packets, and one byte less and more", copies({{3839}, {3840}, {3841}})});
  all.cases.push_back(
      {"lanes", "copies on 1 to 6 lanes", copies({{65536, 1}, {65536, 2}, {65536, 3}, {65536, 4}, {65536, 5}, {65536, 6}})});
  all.cases.push_back({"partial_flits", "packets that end within flits, in bursts that share them",
                       copies({{65536, 2, 0, {250, 14, 15}}, {1000, 1, 0, {100, 13, 3}}})});
  all.cases.push_back({"room_late", "a link that is busy with others", copies({{65536, 2, 100'000}})});
  return all;
}

}  // namespace tributary
