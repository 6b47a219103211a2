#include <string>

#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {
namespace {

/// Blocks that receive frames: ICRC unit, header manager and access list.
struct StimulusFrame {
  const char* kind = "middle";
  unsigned source = 0, destination = 1, queue_pair = 2;
  std::uint32_t psn = 0;
  unsigned damage = 0;  ///< 1: FCS, 2: ICRC
  unsigned bytes = 256;
};

constexpr unsigned frame_stations = 6, frame_psns = 1u << 24;

void write_stimulus_frame(const StimulusFrame& f, StimulusRandom& random, RequestFields& request) {
  const bool first = std::string(f.kind) == "first";
  request.name("frame.kind", f.kind).number("frame.source", f.source).number("frame.destination", f.destination);
  request.number("frame.queue_pair", f.queue_pair).number("frame.psn", f.psn % frame_psns);
  request.number("frame.address", first ? 16384 : 0).number("frame.extra", 0).number("frame.ring", first ? 1 : 0);
  request.number("frame.rank", first ? f.source : 0).number("frame.udp_port", 49152 + f.source);
  request.name("frame.ecn", "not_capable").flag("frame.ack_request", false).flag("frame.tagged", first);
  request.flag("frame.from_above", false).time("frame.born", 0).number("frame.vc", 1).number("frame.damage", f.damage);
  request.number("frame.payload_bytes", f.bytes);
  if (f.bytes != 0) request.data("frame.data", random.bytes(f.bytes));
}

using FrameList = std::function<StimulusFrame(std::size_t i, StimulusRandom& random)>;
using MakeSource = std::function<std::unique_ptr<StimulusSource>(const StimulusInput&)>;

StimulusFrame random_frame(StimulusRandom& random) {
  static const char* const kinds[] = {"first", "middle", "last", "only"};
  const auto source = static_cast<unsigned>(random.below(frame_stations));
  return {kinds[random.below(4)],
          source,
          (source + 1) % frame_stations,
          2,
          static_cast<std::uint32_t>(random.below(frame_psns)),
          0,
          16 + 16 * static_cast<unsigned>(random.below(64))};
}

MakeSource frames(std::size_t count, const FrameList& frame) {
  return [=](const StimulusInput& input) -> std::unique_ptr<StimulusSource> {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    return std::make_unique<ListedStimulus>(count, [=](std::size_t i, RequestFields& request) {
      write_stimulus_frame(frame(i, *random), *random, request);
      return 17 * input.clock;
    });
  };
}

// ---- header manager

struct HeaderStep {
  const char* command = "load";
  unsigned row = 0;  ///< reserve: slots
  unsigned ranks = 0;
};

MakeSource header_steps(std::size_t count, const std::function<HeaderStep(std::size_t i, StimulusRandom& random)>& step) {
  return [=](const StimulusInput& input) -> std::unique_ptr<StimulusSource> {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    return std::make_unique<ListedStimulus>(count, [=](std::size_t i, RequestFields& request) {
      const HeaderStep x = step(i, *random);
      request.name("command", x.command);
      if (std::string(x.command) == "reserve") {
        request.number("slots", x.row).number("ranks", x.ranks);
        return Tick{0};
      }
      request.number("row", x.row);
      if (std::string(x.command) == "store") write_stimulus_frame(random_frame(*random), *random, request);
      return input.clock;
    });
  };
}

// ---- access list

struct AccessStep {
  const char* command = "classify";
  unsigned port = 0, source = 0, destination = 1;
  int queue_pair = -1;           ///< add: -1: any
  const char* traffic = "roce";  ///< add
  unsigned redirect = 4;         ///< add
  const char* kind = "middle";   ///< classify
};

MakeSource access_steps(std::size_t count, const std::function<AccessStep(std::size_t i, StimulusRandom& random)>& step) {
  return [=](const StimulusInput& input) -> std::unique_ptr<StimulusSource> {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    return std::make_unique<ListedStimulus>(count, [=](std::size_t i, RequestFields& request) {
      const AccessStep x = step(i, *random);
      const std::string command = x.command;
      request.name("command", command);
      if (command == "classify") {
        request.number("port", x.port);
        StimulusFrame frame{x.kind, x.source, x.destination};
        if (x.queue_pair >= 0) frame.queue_pair = static_cast<unsigned>(x.queue_pair);
        write_stimulus_frame(frame, *random, request);
      }
      if (command == "add") {
        request.number("rule.ports0", std::uint64_t{1} << x.port).number("rule.ports1", 0);
        request.flag("rule.any_source", false).number("rule.source", x.source);
        request.flag("rule.any_destination", false).number("rule.destination", x.destination);
        request.flag("rule.any_queue_pair", x.queue_pair < 0);
        if (x.queue_pair >= 0) request.number("rule.queue_pair", static_cast<unsigned>(x.queue_pair));
        request.name("rule.traffic", x.traffic).number("rule.redirect", x.redirect);
      }
      return command == "classify" ? Tick{100'000} : Tick{0};
    });
  };
}

}  // namespace

StimulusBlock icrc_stimulus() {
  StimulusBlock all{"netreduce.accelerator.icrc", {}, {}};
  all.cases.push_back(
      {"random", "frames of all kinds, some with a wrong check sum", frames(endless, [](std::size_t, StimulusRandom& r) {
         StimulusFrame frame = random_frame(r);
         if (r.one_in(8)) frame.damage = static_cast<unsigned>(1 + r.below(2));
         return frame;
       })});
  all.cases.push_back({"wrong", "a wrong FCS and a wrong ICRC, between frames that are right",
                       frames(5, [](std::size_t i, StimulusRandom& r) {
                         StimulusFrame frame = random_frame(r);
                         frame.damage = i % 2 == 1 ? static_cast<unsigned>((i + 1) / 2) : 0;
                         return frame;
                       })});
  all.cases.push_back({"lengths", "payloads of 4 B to 4 KiB", frames(11, [](std::size_t i, StimulusRandom& r) {
                         StimulusFrame frame = random_frame(r);
                         frame.bytes = 4u << i;
                         return frame;
                       })});
  return all;
}

StimulusBlock header_stimulus() {
  StimulusBlock all{"netreduce.accelerator.headers", {}, {}};
  all.cases.push_back(
      {"random", "rows of 64 slots are stored and loaded", header_steps(endless, [](std::size_t i, StimulusRandom& r) {
         if (i == 0) return HeaderStep{"reserve", 64, 6};
         const auto row = static_cast<unsigned>(i <= 384 ? i - 1 : r.below(384));
         return HeaderStep{i <= 384 || r.one_in(2) ? "store" : "load", row};
       })});
  all.cases.push_back({"last_row", "the first and the last row", header_steps(5, [](std::size_t i, StimulusRandom&) {
                         if (i == 0) return HeaderStep{"reserve", 4, 3};
                         return HeaderStep{i <= 2 ? "store" : "load", i % 2 == 1 ? 0u : 11u};
                       })});
  all.cases.push_back(
      {"stored_twice", "a row is stored again before it is loaded", header_steps(4, [](std::size_t i, StimulusRandom&) {
         if (i == 0) return HeaderStep{"reserve", 1, 2};
         return HeaderStep{i <= 2 ? "store" : "load", 1};
       })});
  all.cases.push_back(
      {"several_rings", "rows of three rings follow each other", header_steps(9, [](std::size_t i, StimulusRandom&) {
         if (i < 3) return HeaderStep{"reserve", 2, static_cast<unsigned>(2 + i)};
         const unsigned rows[] = {0, 4, 10};
         return HeaderStep{i < 6 ? "store" : "load", rows[i % 3]};
       })});
  return all;
}

StimulusBlock access_stimulus() {
  StimulusBlock all{"netreduce.switch.access_list", {}, {}};
  all.cases.push_back({"random", "rules for six hosts, then frames of all of them",
                       access_steps(endless, [](std::size_t i, StimulusRandom& r) {
                         static const char* const traffics[] = {"any", "roce", "roce_write"};
                         static const char* const kinds[] = {"first", "middle", "last", "only", "ack"};
                         AccessStep x;
                         if (i == 0) return AccessStep{"clear"};
                         x.port = static_cast<unsigned>(i <= 6 ? i - 1 : r.below(8));
                         x.source = static_cast<unsigned>(i <= 6 ? i - 1 : r.below(6));
                         x.destination = static_cast<unsigned>(i <= 6 ? (x.source + 1) % 6 : r.below(6));
                         if (i <= 6)
                           x.command = "add", x.traffic = traffics[i % 3], x.redirect = static_cast<unsigned>(7 + i);
                         x.kind = kinds[r.below(5)];
                         return x;
                       })});
  all.cases.push_back(
      {"first_match", "two rules match, and the first one counts", access_steps(4, [](std::size_t i, StimulusRandom&) {
         if (i == 0) return AccessStep{"clear"};
         AccessStep x{i < 3 ? "add" : "classify"};
         x.redirect = static_cast<unsigned>(i);
         return x;
       })});
  all.cases.push_back(
      {"no_match", "another port, source, destination or queue pair", access_steps(7, [](std::size_t i, StimulusRandom&) {
         if (i == 0) return AccessStep{"clear"};
         AccessStep x{i == 1 ? "add" : "classify"};
         x.queue_pair = 2;
         if (i == 3) x.port = 1;
         if (i == 4) x.source = 2;
         if (i == 5) x.destination = 2;
         if (i == 6) x.queue_pair = 3;
         return x;
       })});
  all.cases.push_back({"write_only", "a rule for RDMA writes, with frames of other kinds",
                       access_steps(7, [](std::size_t i, StimulusRandom&) {
                         static const char* const kinds[] = {"first", "middle", "last", "only", "ack"};
                         if (i == 0) return AccessStep{"clear"};
                         AccessStep x{i == 1 ? "add" : "classify"};
                         x.traffic = "roce_write";
                         if (i > 1) x.kind = kinds[i - 2];
                         return x;
                       })});
  return all;
}

}  // namespace tributary
