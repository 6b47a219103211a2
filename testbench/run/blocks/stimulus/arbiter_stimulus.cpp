#include <algorithm>
#include <vector>

#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {
namespace {

constexpr unsigned resources = 4;

struct OfferedRequest {
  unsigned input, queue, resource;
};
/// The requests of one output, and what happens to the one that is chosen.
struct Offer {
  unsigned output = 0;
  std::vector<OfferedRequest> requests = {};
  unsigned refused = 0;  ///< resources without room, a bit each
};

/// Keeps the rules of a crossbar: requests in the order of queues and inputs; those of a resource without room are removed
/// and the rest is offered again; the grant of any other choice is used.
class ArbiterStimulus : public StimulusSource {
 public:
  using Next = std::function<bool(Offer& offer)>;  // false: the end

  ArbiterStimulus(const StimulusInput& input, Next next) : clock_(input.clock), next_(std::move(next)) {}

  bool next(const BlockAccess* before, BlockAccess& access) override {
    if (asked_ && before != nullptr) return take(*before, access);
    return offer(access);
  }

 private:
  bool take(const BlockAccess& before, BlockAccess& access) {
    const auto value = [&](const char* key) { return static_cast<unsigned>(before.answer.find(key)->number); };
    const OfferedRequest chosen{value("input"), value("queue"), value("resource")};
    asked_ = false;
    if ((offer_.refused >> chosen.resource & 1) == 0) {
      write(access, "grant", {chosen});
      return true;
    }
    std::vector<OfferedRequest>& all = offer_.requests;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const OfferedRequest& r) { return r.resource == chosen.resource; }),
              all.end());
    return all.empty() ? offer(access) : ask(access);
  }
  bool offer(BlockAccess& access) {
    now_ += clock_;
    offer_ = {};
    return next_(offer_) && ask(access);
  }
  bool ask(BlockAccess& access) {
    asked_ = true;
    write(access, "choose", offer_.requests);
    return true;
  }
  void write(BlockAccess& access, const char* command, const std::vector<OfferedRequest>& requests) {
    RequestFields fields(access.request);
    fields.name("command", command).number("output", offer_.output);
    for (std::size_t n = 0; n < requests.size(); ++n) {
      const std::string group = "request" + std::to_string(n) + ".";
      fields.number(group + "input", requests[n].input)
          .number(group + "queue", requests[n].queue)
          .number(group + "resource", requests[n].resource);
    }
    access.time = now_;
  }

  Tick clock_, now_ = 0;
  Next next_;
  Offer offer_;
  bool asked_ = false;
};

unsigned ports_of(const StimulusInput& input) { return static_cast<unsigned>(config_number(input.config, "ports", 16)); }
unsigned queues_of(const StimulusInput& input) { return static_cast<unsigned>(config_number(input.config, "queues", 3)); }

/// Returns a case of `count` offers.
StimulusCase listed(const char* name, const char* about, std::function<std::size_t(const StimulusInput&)> count,
                    std::function<Offer(const StimulusInput&, std::size_t)> make) {
  return {name, about, [count, make](const StimulusInput& input) {
            return std::make_unique<ArbiterStimulus>(input, [=, index = std::size_t{0}](Offer& offer) mutable {
              if (index == count(input)) return false;
              offer = make(input, index++);
              return true;
            });
          }};
}

std::vector<OfferedRequest> all_inputs(const StimulusInput& input, unsigned resource) {
  std::vector<OfferedRequest> all;
  for (unsigned i = 0; i < ports_of(input); ++i) all.push_back({i, 0, resource});
  return all;
}

std::size_t two_rounds(const StimulusInput& input) { return 2 * std::size_t{ports_of(input)}; }

std::unique_ptr<StimulusSource> random_offers(const StimulusInput& input) {
  const unsigned ports = ports_of(input), queues = queues_of(input);
  return std::make_unique<ArbiterStimulus>(input, [=, random = StimulusRandom(input.seed)](Offer& offer) mutable {
    offer.output = static_cast<unsigned>(random.below(ports));
    const std::uint64_t one_in = 1 + random.below(8);
    for (unsigned queue = 0; queue < queues; ++queue)
      for (unsigned i = 0; i < ports; ++i)
        if (random.one_in(one_in)) offer.requests.push_back({i, queue, static_cast<unsigned>(random.below(resources))});
    if (offer.requests.empty()) offer.requests.push_back({0, 0, resources - 1});
    offer.refused = static_cast<unsigned>(random.below(1u << (resources - 1)));  // the last resource has room
    return true;
  });
}

}  // namespace

StimulusBlock arbiter_stimulus() {
  StimulusBlock block;
  block.block = "nvswitch.switch.arbiter";
  block.config = {{"ports", "16"}, {"queues", "3"}, {"crossbar", "50000000000"}};
  block.cases = {
      {"random", "requests of few and of many queues, with refusals", random_offers},
      listed("all_request_one", "all inputs request one output for two rounds", two_rounds,
             [](const StimulusInput& input, std::size_t) {
               return Offer{5 % ports_of(input), all_inputs(input, 0), 0};
             }),
      listed("rotating", "each input requests another output in each clock", two_rounds,
             [](const StimulusInput& input, std::size_t index) {
               const auto i = static_cast<unsigned>(index);
               return Offer{
                   i % ports_of(input), {{(3 * i + 1) % ports_of(input), 0, 0}, {(5 * i + 2) % ports_of(input), 1, 1}}, 0};
             }),
      listed("refused_keeps_turn", "a resource without room is refused, and has the turn when it has room again", two_rounds,
             [](const StimulusInput& input, std::size_t index) {
               Offer offer{0, all_inputs(input, 0), index % 3 != 2 ? 1u : 0u};
               for (unsigned i = 0; i < ports_of(input); ++i) offer.requests.push_back({i, 1, 1});
               return offer;
             }),
      listed("resource_turns", "requests for all resources of an output take turns", two_rounds,
             [](const StimulusInput& input, std::size_t) {
               Offer offer{1 % ports_of(input), {}, 0};
               for (unsigned queue = 0; queue < queues_of(input); ++queue)
                 for (unsigned i = 0; i < ports_of(input); ++i)
                   offer.requests.push_back({i, queue, (queue + i) % resources});
               return offer;
             }),
      listed(
          "64_ports", "every input requests every output of 64", [](const StimulusInput&) { return std::size_t{128}; },
          [](const StimulusInput& input, std::size_t index) {
            return Offer{static_cast<unsigned>(index) % ports_of(input),
                         all_inputs(input, static_cast<unsigned>(index / 64)), 0};
          })};
  block.cases.back().config = {{"ports", "64"}};
  return block;
}

}  // namespace tributary
