// Tests the trails of a timeline: which events belong to one packet.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "testbench/record/trails.h"

namespace tributary::test_trails {

using Role = TimelineEvent::Role;

namespace {

/// Events of one block, given in order of time. Their texts are `gpu0>switch write 0` for a packet (sender, receiver, name,
/// source) and `switch operand 0`, `switch completion`, `gpu1 arrival write 0` for others.
class Scene {
 public:
  void packet(const std::string& from, const std::string& to, const std::string& name, std::uint64_t source) {
    add(from, from + ">" + to, to, Role::packet, name, source);
  }
  void arrival(const std::string& at, const std::string& name, std::uint64_t source) {
    add(at, "arrivals", "", Role::arrival, name, source);
  }
  void operand(const std::string& at, std::uint64_t source) { add(at, "entry", "", Role::operand, "operand", source); }
  void completion(const std::string& at) { add(at, "entry", "", Role::emission, "completion", TimelineEvent::none); }

  /// Returns the trails, each as its events joined by blanks, sorted.
  std::vector<std::string> trails() const {
    const Trails all(events_, tracks_);
    std::map<std::uint64_t, std::string> texts;
    for (std::size_t i = 0; i < events_.size(); ++i)
      for (const std::uint64_t trail : all.of(i)) texts[trail] += (texts[trail].empty() ? "" : " ") + texts_[i];
    std::vector<std::string> sorted;
    for (const auto& [number, text] : texts) sorted.push_back(text);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  void add(const std::string& device, const std::string& track, const std::string& receiver, Role role,
           const std::string& name, std::uint64_t source) {
    const auto [at, first] = numbers_.try_emplace(device + track, static_cast<std::uint32_t>(tracks_.size()));
    if (first) {
      tracks_.push_back({device, track});
      tracks_.back().receiver = receiver;
    }
    TimelineEvent event;
    event.from = event.to = 10 * ++time_, event.track = at->second, event.role = role;
    event.name = names_.try_emplace(name, static_cast<std::uint32_t>(names_.size())).first->second;
    event.flow = {7, 1}, event.source = source;
    events_.push_back(event);
    texts_.push_back(role == Role::packet ? track : device + "." + (role == Role::arrival ? "arrival" : name));
  }

  std::vector<TimelineEvent> events_;
  std::vector<TimelineTrack> tracks_;
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t> numbers_, names_;
  Tick time_ = 0;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("each operand and each copy of a sum has a trail") {
  Scene scene;
  scene.packet("gpu1", "far", "write", 1);
  scene.packet("gpu0", "home", "write", 0);
  scene.packet("far", "home", "write", 1);
  scene.operand("home", 0);
  scene.operand("home", 1);
  scene.completion("home");
  scene.packet("home", "far", "sum", 0);
  scene.packet("home", "gpu0", "sum", 0);
  scene.packet("far", "gpu1", "sum", 0);  // a multicast splits on the far board
  scene.packet("far", "gpu2", "sum", 0);
  for (const char* gpu : {"gpu0", "gpu1", "gpu2"}) scene.arrival(gpu, "sum", 0);
  scene.packet("gpu1", "far", "ack", 1);
  scene.packet("far", "home", "ack", 1);
  CHECK(scene.trails() == Texts{"gpu0>home home.operand", "gpu1.arrival gpu1>far far>home", "gpu1>far far>home home.operand",
                                "home.completion home>far far>gpu1 gpu1.arrival",
                                "home.completion home>far far>gpu2 gpu2.arrival", "home.completion home>gpu0 gpu0.arrival"});
}

TEST_CASE("a sum does not continue an operand of its name and source") {
  Scene scene;
  scene.packet("gpu1", "switch", "response", 1);
  scene.packet("gpu2", "switch", "response", 2);
  scene.operand("switch", 1);
  scene.operand("switch", 2);
  scene.completion("switch");
  scene.packet("switch", "gpu0", "response", 1);
  scene.arrival("gpu0", "response", 1);
  CHECK(scene.trails() ==
        Texts{"gpu1>switch switch.operand", "gpu2>switch switch.operand", "switch.completion switch>gpu0 gpu0.arrival"});
}

TEST_CASE("packets of one chunk keep their order, and an operand ends all that have arrived") {
  Scene scene;
  scene.packet("nic0", "nic1", "reduce", 0);
  scene.packet("nic0", "nic1", "reduce", 0);
  scene.packet("nic1", "nic2", "reduce", 0);
  scene.arrival("nic2", "reduce", 0);
  scene.packet("nic1", "nic2", "reduce", 0);
  scene.arrival("nic2", "reduce", 0);
  scene.operand("nic2", 0);
  scene.completion("nic2");
  scene.packet("nic2", "nic3", "gather", 2);
  scene.packet("nic2", "nic3", "gather", 2);
  scene.arrival("nic3", "gather", 2);
  scene.arrival("nic3", "gather", 2);
  scene.packet("nic3", "nic4", "gather", 3);  // passed on with another source
  scene.packet("nic3", "nic4", "gather", 3);
  const std::string reduced = "nic0>nic1 nic1>nic2 nic2.arrival nic2.operand";
  const std::string gathered = "nic2.completion nic2>nic3 nic3.arrival", passed = "nic3.arrival nic3>nic4";
  CHECK(scene.trails() == Texts{reduced, reduced, gathered, gathered, passed, passed});
}

TEST_CASE("a repeated packet has a trail of its own") {
  Scene scene;
  for (int i = 0; i < 2; ++i) {
    scene.packet("gpu0", "switch", "write", 0);
    scene.packet("switch", "gpu1", "write", 0);
    scene.arrival("gpu1", "write", 0);
  }
  const std::string one = "gpu0>switch switch>gpu1 gpu1.arrival";
  CHECK(scene.trails() == Texts{one, one});
}

}  // namespace tributary::test_trails
