#pragma once
/// Parameters of NetReduce (Liu et al., ASPLOS 2023): messages of a host, and rules of an accelerator's slots.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// Condition that frees a slot for its next message. N: window; m: message of the packet that arrives.
enum class SlotRule : std::uint8_t {
  tag,   ///< a slot stores the number of its message; a newer message replaces it, and packets of an older one are dropped
  any,   ///< any packet clears the bitmap of the slot of m + N
  bit,   ///< any packet clears its sender's bit in the slot of m + N
  full,  ///< the bitmap of m + N is cleared whenever the bitmap of m is found full
  full1  ///< the bitmap of m + N is cleared when the bitmap of m becomes full
};
enum class SlotCount : std::uint8_t { twice_window, window };
enum class Reemission : std::uint8_t { own, all };
enum class TreeReemission : std::uint8_t { round, all };
enum class ConnectionRange : std::uint8_t { twice_window, window };
enum class ConnectionOrder : std::uint8_t { forward, last };

template <>
struct EnumNames<SlotRule> {
  static const std::vector<std::pair<SlotRule, std::string>>& names() {
    static const std::vector<std::pair<SlotRule, std::string>> n{{SlotRule::tag, "tag"},
                                                                 {SlotRule::any, "any"},
                                                                 {SlotRule::bit, "bit"},
                                                                 {SlotRule::full, "full"},
                                                                 {SlotRule::full1, "full1"}};
    return n;
  }
};
template <>
struct EnumNames<SlotCount> {
  static const std::vector<std::pair<SlotCount, std::string>>& names() {
    static const std::vector<std::pair<SlotCount, std::string>> n{{SlotCount::twice_window, "2N"}, {SlotCount::window, "N"}};
    return n;
  }
};
template <>
struct EnumNames<Reemission> {
  static const std::vector<std::pair<Reemission, std::string>>& names() {
    static const std::vector<std::pair<Reemission, std::string>> n{{Reemission::own, "own"}, {Reemission::all, "all"}};
    return n;
  }
};
template <>
struct EnumNames<TreeReemission> {
  static const std::vector<std::pair<TreeReemission, std::string>>& names() {
    static const std::vector<std::pair<TreeReemission, std::string>> n{{TreeReemission::round, "round"},
                                                                       {TreeReemission::all, "all"}};
    return n;
  }
};
template <>
struct EnumNames<ConnectionRange> {
  static const std::vector<std::pair<ConnectionRange, std::string>>& names() {
    static const std::vector<std::pair<ConnectionRange, std::string>> n{{ConnectionRange::twice_window, "2N-1"},
                                                                        {ConnectionRange::window, "N"}};
    return n;
  }
};
template <>
struct EnumNames<ConnectionOrder> {
  static const std::vector<std::pair<ConnectionOrder, std::string>>& names() {
    static const std::vector<std::pair<ConnectionOrder, std::string>> n{{ConnectionOrder::forward, "forward"},
                                                                        {ConnectionOrder::last, "last"}};
    return n;
  }
};

/// Host parameters: how a tensor is cut into messages, and how many messages are in flight.
struct MessageFlowParams {
  std::uint32_t window = 2;
  std::uint32_t message_packets = 170;
};
template <class V>
void visit(V& v, MessageFlowParams& p) {
  v.field("window", p.window,
          Note("N: message i is posted when the result of message i - N has arrived")
              .role(ParameterRole::room)
              .source("Liu et al., 3.2 [P]")
              .range("1", "64"));
  v.field("message_packets", p.message_packets,
          Note("MsgLen: packets of a message, the same for all messages of a ring")
              .role(ParameterRole::shape)
              .source("Liu et al., 5.1 [P]")
              .range("1", "4096"));
}

/// Accelerator parameters: slots and connections. Values other than the defaults are readings of the text that tests prove
/// wrong.
struct AggregationParams {
  SlotRule rule = SlotRule::tag;
  SlotCount slots = SlotCount::twice_window;
  Reemission reemit = Reemission::own;
  TreeReemission reemit_tree = TreeReemission::round;
  ConnectionRange clt_range = ConnectionRange::twice_window;
  ConnectionOrder clt_order = ConnectionOrder::forward;
};
template <class V>
void visit(V& v, AggregationParams& p) {
  v.field("rule", p.rule,
          Note("event that frees a slot: a newer message's number, or a packet of the message N before (any: all its bits, "
               "bit: the sender's; full, full1: when that message is complete)")
              .source("docs/systems/netreduce.md#slots [G]"));
  v.field("slots", p.slots, Note("slots of a ring, in messages").source("Liu et al., 3.1 [P]"));
  v.field("reemit", p.reemit,
          Note("connections that get the sum again when a packet arrives again at a full slot: its own, or all")
              .source("docs/systems/netreduce.md#loss [G]"));
  v.field("reemit_tree", p.reemit_tree,
          Note("when a full slot of a tree sends its sum again: once in a round, which ends when a sender repeats itself, "
               "or always")
              .source("docs/systems/netreduce.md#trees [G]"));
  v.field("clt_range", p.clt_range,
          Note("number of messages before the latest one in which a packet is found")
              .source("docs/systems/netreduce.md#addressing [G]"));
  v.field(
      "clt_order", p.clt_order,
      Note(
          "message of a connection's entry: the newest one, or that of the latest first packet, which may be one sent again")
          .source("docs/systems/netreduce.md#addressing [G]"));
}

}  // namespace tributary
