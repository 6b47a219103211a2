#include "modules/ethernet_switch/core/access_list_table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace tributary {
namespace {

bool is_roce(FrameKind kind) { return kind != FrameKind::datagram && kind != FrameKind::pause; }
/// Numbers the kinds that AccessRule::Traffic distinguishes.
std::uint32_t traffic_of(FrameKind kind) { return is_write(kind) ? 2u : is_roce(kind) ? 1u : 0u; }

}  // namespace

bool AccessRule::matches(const RoceHeader& h, unsigned port) const {
  if (!ports[port] || (source && *source != h.source) || (destination && *destination != h.destination)) return false;
  if (queue_pair && *queue_pair != h.queue_pair) return false;
  switch (traffic) {
    case Traffic::any:
      return true;
    case Traffic::roce:
      return is_roce(h.kind);
    case Traffic::roce_write:
      return is_write(h.kind);
  }
  return false;
}

AccessRule detour_rule(std::uint16_t source, std::uint16_t destination, const std::bitset<max_ethernet_ports>& accelerators,
                       unsigned to) {
  AccessRule rule;
  rule.ports = ~accelerators;
  rule.source = source;
  rule.destination = destination;
  rule.traffic = AccessRule::Traffic::roce;
  rule.redirect = to;
  return rule;
}

void AccessListTable::add(const AccessRule& rule) {
  if (rules_.size() == most_rules_)
    throw std::length_error("an access list has " + std::to_string(most_rules_) + " rules at most");
  if (rule.redirect >= max_ethernet_ports)
    throw std::invalid_argument("a rule redirects to port " + std::to_string(rule.redirect));
  verdicts_.clear();
  const auto number = static_cast<unsigned>(rules_.size());
  if (rule.source && rule.destination)
    between_[key(*rule.source, *rule.destination)].push_back(number);
  else
    others_.push_back(number);
  rules_.push_back(rule);
  hits_.push_back(0);
}

void AccessListTable::clear() { rules_.clear(), hits_.clear(), between_.clear(), others_.clear(), verdicts_.clear(); }

unsigned AccessListTable::classify(const RoceHeader& header, unsigned port, Tick now) {
  if (rules_.empty()) return none;
  const unsigned first = verdict(header, port);
  if (first == none) return none;
  ++hits_[first];
  hit(now, first);
  return rules_[first].redirect;
}

/// Returns the first rule that matches, or none. An entry for another connection is replaced.
unsigned AccessListTable::verdict(const RoceHeader& header, unsigned port) {
  if (verdicts_.empty()) verdicts_.resize(std::size_t{1} << verdict_bits);
  const std::uint64_t connection = std::uint64_t{key(header.source, header.destination)} << 32 | header.queue_pair;
  const std::uint32_t arrival = port << 2 | traffic_of(header.kind);
  Verdict& v = verdicts_[(connection + arrival) * 0x9E3779B97F4A7C15ull >> (64 - verdict_bits)];
  if (v.connection != connection || v.arrival != arrival) v = {connection, arrival, search(header, port)};
  return v.rule;
}

unsigned AccessListTable::search(const RoceHeader& header, unsigned port) const {
  unsigned first = none;
  const auto look_at = [&](const std::vector<unsigned>& numbers) {
    for (const unsigned n : numbers) {
      if (n >= first) return;
      if (rules_[n].matches(header, port)) first = n;
    }
  };
  if (!between_.empty())
    if (const auto found = between_.find(key(header.source, header.destination)); found != between_.end())
      look_at(found->second);
  look_at(others_);
  return first;
}

std::uint64_t AccessListTable::hits() const { return std::accumulate(hits_.begin(), hits_.end(), std::uint64_t{0}); }

void AccessListTable::reset() { std::fill(hits_.begin(), hits_.end(), 0); }

}  // namespace tributary
