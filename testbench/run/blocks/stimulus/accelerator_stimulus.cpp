#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "modules/base/field_type.h"
#include "testbench/run/blocks/stimulus/float_operands.h"
#include "testbench/run/blocks/stimulus/stimulus_source.h"

namespace tributary {
namespace {

using Make = std::function<std::unique_ptr<StimulusSource>(const StimulusInput&)>;

constexpr unsigned beat = 64, payload = 1024;

Make listed(std::size_t count, std::function<ListedStimulus::Write(const StimulusInput&)> write) {
  return [=](const StimulusInput& input) { return std::make_unique<ListedStimulus>(count, write(input)); };
}

/// Cycles in which a slot occupies the adders.
Tick slot_cycles(unsigned bytes) { return 1 + bytes / beat; }

// ---- combinator

struct Slot {
  unsigned operands = 6, skip = 0;
  ElementType type = ElementType::f32;
  Tick gap = 0;  ///< cycles after the slot before
};

Tick write_slot(const StimulusInput& input, StimulusRandom& random, Slot slot, RequestFields& request,
                const OperandData& data = {}) {
  slot.operands = input.operands.value_or(slot.operands);
  slot.type = input.type.value_or(slot.type);
  request.number("ring", 0).number("operands", slot.operands).number("bytes", payload).number("skip", slot.skip);
  request.name("type", FieldType<ElementType>::print(slot.type));
  request.name("op", FieldType<ReduceOp>::print(input.op.value_or(ReduceOp::sum))).time("reading", 0);
  for (unsigned r = 0; r < slot.operands; ++r)
    request.data("operand" + std::to_string(r), data.empty()      ? random.elements(slot.type, payload)
                                                : r < data.size() ? data[r]
                                                                  : data.back());
  return (slot_cycles(payload) + slot.gap) * input.clock;
}

/// A list of slots that `slot` describes by number.
Make slots(std::size_t count, std::function<Slot(std::size_t)> slot) {
  return listed(count, [=](const StimulusInput& input) -> ListedStimulus::Write {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    return [=](std::size_t i, RequestFields& request) { return write_slot(input, *random, slot(i), request); };
  });
}

std::vector<std::byte> largest_integers() {
  std::vector<std::byte> bytes(payload);
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < payload; i += sizeof most) std::memcpy(&bytes[i], &most, sizeof most);
  return bytes;
}

Make same_data(ElementType type, const std::vector<std::byte>& data) {
  return listed(4, [=](const StimulusInput& input) -> ListedStimulus::Write {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    return [=](std::size_t i, RequestFields& request) {
      return write_slot(input, *random, {static_cast<unsigned>(2 + i), 0, type, 0}, request, {data});
    };
  });
}

Make f32_corners() {
  return listed(8, [=](const StimulusInput& input) -> ListedStimulus::Write {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    return [=](std::size_t i, RequestFields& request) {
      const Slot slot{i % 2 == 0 ? 2u : 6u};
      return write_slot(input, *random, slot, request,
                        corner_floats(*random, input.operands.value_or(slot.operands), payload));
    };
  });
}

// ---- payload buffer

Tick write_access(const StimulusInput& input, StimulusRandom& random, bool writes, std::uint64_t row,
                  RequestFields& request) {
  request.name("command", writes ? "write" : "read").number("address", row * payload).number("bytes", payload);
  request.flag("with_data", true);
  if (writes) request.data("data", random.bytes(payload));
  return payload / beat * input.clock;
}

Make accesses(std::size_t count, std::function<std::pair<bool, std::uint64_t>(std::size_t)> access) {
  return listed(count, [=](const StimulusInput& input) -> ListedStimulus::Write {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    return [=](std::size_t i, RequestFields& request) {
      const auto [writes, row] = access(i);
      return write_access(input, *random, writes, row, request);
    };
  });
}

// ---- lookup table

constexpr unsigned message_packets = 8, psn_mask = 0xFFFFFF;

struct Connection {
  unsigned source = 0, destination = 0, queue_pair = 0;
};

struct Lookup {
  bool first = false;
  unsigned host = 0;
  std::uint32_t message = 0, psn = 0;
  unsigned packets = message_packets;
  std::optional<Connection> connection = {};  ///< none: that of the host
};

void write_connection(const std::string& group, const Connection& key, RequestFields& request) {
  request.number(group + ".source", key.source).number(group + ".destination", key.destination);
  request.number(group + ".queue_pair", key.queue_pair);
}

/// Connections that differ from the first one in one field.
constexpr Connection near_keys[] = {{1, 2, 16}, {1, 2, 17}, {1, 3, 16}, {2, 2, 16}, {1, 2, 0x800010}, {0x8001, 2, 16}};

Tick write_lookup(const StimulusInput& input, const Lookup& x, RequestFields& request) {
  request.name("command", x.first ? "update" : "find");
  write_connection("connection", x.connection.value_or(Connection{x.host, (x.host + 1) % 6, 16 + x.host}), request);
  request.number("psn", x.psn & psn_mask);
  if (x.first)
    request.number("ring", 1).number("rank", x.host).number("message", x.message).number("message_packets", x.packets);
  return 17 * input.clock;
}

Make lookups(std::vector<Lookup> all) {
  return listed(all.size(), [all](const StimulusInput& input) -> ListedStimulus::Write {
    return [all, input](std::size_t i, RequestFields& request) { return write_lookup(input, all[i], request); };
  });
}

/// Packets of six hosts, each in sequence, with losses of first packets and restarts in older messages.
Make random_lookups() {
  return listed(endless, [](const StimulusInput& input) -> ListedStimulus::Write {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    auto next = std::make_shared<std::vector<std::uint64_t>>(6, 0);
    return [=](std::size_t, RequestFields& request) {
      const auto host = static_cast<unsigned>(random->below(6));
      std::uint64_t& packet = (*next)[host];
      if (random->one_in(40)) packet -= std::min<std::uint64_t>(packet, random->below(3 * message_packets));
      if (random->one_in(40)) ++packet;
      const auto message = static_cast<std::uint32_t>(packet / message_packets);
      const auto psn = static_cast<std::uint32_t>(0xFFFF00 + packet);
      const bool first = packet++ % message_packets == 0;
      return write_lookup(input, {first, host, message, psn}, request);
    };
  });
}

/// First packets of connections that differ in one field, and then a packet of each.
std::vector<Lookup> near_lookups() {
  std::vector<Lookup> all;
  for (const bool first : {true, false})
    for (std::uint32_t i = 0; i < std::size(near_keys); ++i)
      all.push_back({first, 0, i, 100 + (first ? 0u : 1u), message_packets, near_keys[i]});
  return all;
}

// ---- translation table

struct Translation {
  const char* command = "translate";
  unsigned from = 0, to = 0;
  bool aggregates = false;                    ///< towards the root, without a first packet
  std::optional<Connection> connection = {};  ///< none: that of the host `from`
};

Tick write_translation(const StimulusInput& input, const Translation& x, std::uint32_t message, RequestFields& request) {
  request.name("command", x.command);
  write_connection("from", x.connection.value_or(Connection{x.from, 60, 16}), request);
  if (std::string(x.command) != "translate") {
    request.name("direction", x.aggregates ? "aggregate" : "multicast");
    write_connection("to", {60, x.to, 16 + x.to}, request);
    request.flag("first.valid", !x.aggregates)
        .number("first.message", message)
        .number("first.psn", message * message_packets);
    request.number("first.address", std::uint64_t{message} * payload).number("first.rank", x.to).number("first.udp_port", 0);
    const FieldValue* const learning = input.config.find("accelerator.ctt.learn");
    request.number("known_messages", learning != nullptr && learning->text == "affine" ? 1 : 4);
  }
  return 17 * input.clock;
}

Make translations(std::size_t count, std::function<Translation(std::size_t, StimulusRandom&)> translation) {
  return listed(count, [=](const StimulusInput& input) -> ListedStimulus::Write {
    auto random = std::make_shared<StimulusRandom>(input.seed);
    return [=](std::size_t i, RequestFields& request) {
      return write_translation(input, translation(i, *random), static_cast<std::uint32_t>(i / 8), request);
    };
  });
}

}  // namespace

StimulusBlock combinator_stimulus() {
  StimulusBlock all{"netreduce.accelerator.combinator", {}, {}, true, true};
  all.cases.push_back({"random", "slots of 1 to 8 operands with gaps", slots(endless, [](std::size_t i) {
                         const std::uint64_t r = mix64(i);
                         return Slot{static_cast<unsigned>(1 + below(r, 8)), r % 2 == 0 ? 0u : 16u,
                                     r % 3 == 0 ? ElementType::i32 : ElementType::f32, r % 5 == 0 ? r % 40 : 0};
                       })});
  all.cases.push_back({"one_rank", "a single operand", slots(4, [](std::size_t) { return Slot{1}; })});
  for (const unsigned h : {2u, 3u, 5u, 6u, 8u, 64u})
    all.cases.push_back(
        {"h" + std::to_string(h), std::to_string(h) + " operands", slots(4, [h](std::size_t) { return Slot{h}; })});
  all.cases.push_back({"skip_16", "operands that begin with a message header", slots(4, [](std::size_t) {
                         return Slot{6, 16};
                       })});
  all.cases.push_back({"back_to_back", "a slot in every 17 cycles", slots(32, [](std::size_t) { return Slot{}; })});
  all.cases.push_back({"gaps", "gaps of 1 to 17 cycles", slots(17, [](std::size_t i) {
                         return Slot{6, 0, ElementType::f32, i + 1};
                       })});
  all.cases.push_back(
      {"special_floats", "infinities, NaN, subnormals, -0", same_data(ElementType::f32, special_floats(payload)), true});
  all.cases.push_back(
      {"f32_corners", "f32: exponents 0 to 30 apart, ties, cancellation, subnormals, overflow, NaN", f32_corners(), true});
  all.cases.push_back({"i32_wrap", "sums beyond 2^31", same_data(ElementType::i32, largest_integers()), true});
  return all;
}

StimulusBlock payload_stimulus() {
  StimulusBlock all{"netreduce.accelerator.payloads", {}, {}};
  all.cases.push_back({"random", "writes and reads of 64 packets", accesses(endless, [](std::size_t i) {
                         return i < 64 ? std::pair<bool, std::uint64_t>{true, i}
                                       : std::pair<bool, std::uint64_t>{mix64(i) % 2 == 0, below(mix64(i), 64)};
                       })});
  all.cases.push_back({"read_after_write", "each packet is read when it is written", accesses(32, [](std::size_t i) {
                         return std::pair<bool, std::uint64_t>{i % 2 == 0, i / 2};
                       })});
  all.cases.push_back({"overwrite", "one packet is written again and read", accesses(16, [](std::size_t i) {
                         return std::pair<bool, std::uint64_t>{i % 4 != 3, 0};
                       })});
  return all;
}

StimulusBlock lookup_stimulus() {
  StimulusBlock all{"netreduce.accelerator.clt", {{"window", "2"}}, {}};
  all.cases.push_back({"random", "packets of six hosts with losses and restarts", random_lookups()});
  const auto add = [&](const char* name, const char* about, std::vector<Lookup> list) {
    all.cases.push_back({name, about, lookups(std::move(list))});
  };
  add("unknown", "a packet before any first packet", {{false, 0, 0, 100}});
  add("psn_wrap", "a message whose PSNs pass 2^24",
      {{true, 0, 0, psn_mask - 3}, {false, 0, 0, psn_mask}, {false, 0, 0, psn_mask + 1}, {false, 0, 0, psn_mask + 4}});
  add("refused", "a packet beyond the known message", {{true, 0, 0, 100}, {false, 0, 0, 100 + message_packets}});
  add("older_message", "packets 3 and 4 messages before the known one, with a window of 2",
      {{true, 0, 5, 1000}, {false, 0, 5, 1000 - 3 * message_packets}, {false, 0, 5, 1000 - 4 * message_packets}});
  add("older_first_packet", "a first packet that is sent again",
      {{true, 0, 5, 1000}, {true, 0, 4, 1000 - message_packets}, {false, 0, 5, 1001}});
  add("message_of_one", "messages of one packet", {{true, 0, 0, 7, 1}, {true, 0, 1, 8, 1}, {false, 0, 1, 8, 1}});
  add("near_keys", "connections that differ in one field", near_lookups());
  return all;
}

StimulusBlock translation_stimulus() {
  StimulusBlock all{"netreduce.accelerator.ctt", {}, {}};
  const auto add = [&](const char* name, const char* about, std::size_t count,
                       std::function<Translation(std::size_t, StimulusRandom&)> translation) {
    all.cases.push_back({name, about, translations(count, std::move(translation))});
  };
  add("random", "connections are preset, learnt and translated", endless, [](std::size_t i, StimulusRandom& r) {
    Translation x;
    if (r.one_in(3)) x.command = i < 16 ? "preset" : "learn";
    x.from = static_cast<unsigned>(r.below(12)), x.to = static_cast<unsigned>(r.below(8));
    x.aggregates = std::string(x.command) == "preset" || x.from >= 10;
    return x;
  });
  add("unknown", "a connection without an entry", 1, [](std::size_t, StimulusRandom&) {
    return Translation{"translate", 3};
  });
  add("multicast", "a connection with eight targets", 9, [](std::size_t i, StimulusRandom&) {
    return Translation{i < 8 ? "learn" : "translate", 1, static_cast<unsigned>(i % 8)};
  });
  add("learnt_twice", "a target is learnt again", 3, [](std::size_t i, StimulusRandom&) {
    return Translation{i < 2 ? "learn" : "translate", 1, 4};
  });
  add("without_first_packet", "a target towards the root is learnt twice", 3, [](std::size_t i, StimulusRandom&) {
    return Translation{i < 2 ? "learn" : "translate", 1, 4, true};
  });
  add("preset", "a connection of job initialisation, one that is learnt, and one that is both", 8,
      [](std::size_t i, StimulusRandom&) {
        const Translation steps[] = {{"preset", 1, 4, true}, {"preset", 3, 4, true}, {"learn", 2, 5},  {"learn", 3, 6},
                                     {"learn", 1, 4},        {"translate", 1},       {"translate", 2}, {"translate", 3}};
        return steps[i];
      });
  add("near_keys", "connections that differ in one field", 2 * std::size(near_keys), [](std::size_t i, StimulusRandom&) {
    const auto n = static_cast<unsigned>(i % std::size(near_keys));
    return Translation{i < std::size(near_keys) ? "learn" : "translate", 0, n, false, near_keys[n]};
  });
  return all;
}

}  // namespace tributary
