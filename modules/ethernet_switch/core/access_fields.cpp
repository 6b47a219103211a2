#include "modules/ethernet_switch/core/access_fields.h"

namespace tributary {
namespace {

using Command = AccessTransaction::Command;

const char* const commands[] = {"classify", "add", "clear", nullptr};
const char* const traffics[] = {"any", "roce", "roce_write", nullptr};

template <class T>
void visit_optional(FieldVisitor& v, const char* key, std::optional<T>& x) {
  const std::string given = std::string("any_") + key;
  bool any = !x;
  v.flag(given.c_str(), any);
  if (any) return x.reset();
  T value = x.value_or(T{});
  v.number(key, value);
  x = value;
}

void visit_rule(FieldVisitor& v, AccessRule& rule) {
  const FieldVisitor::Group named(v, "rule");
  for (unsigned word = 0; word < max_ethernet_ports / 64; ++word) {
    std::uint64_t ports = 0;
    for (unsigned bit = 0; bit < 64; ++bit) ports |= std::uint64_t{rule.ports[word * 64 + bit]} << bit;
    v.number(("ports" + std::to_string(word)).c_str(), ports);
    for (unsigned bit = 0; bit < 64; ++bit) rule.ports[word * 64 + bit] = (ports >> bit & 1) != 0;
  }
  visit_optional(v, "source", rule.source);
  visit_optional(v, "destination", rule.destination);
  visit_optional(v, "queue_pair", rule.queue_pair);
  v.name("traffic", rule.traffic, traffics);
  v.number("redirect", rule.redirect);
}

}  // namespace

void AccessFields::request(FieldVisitor& v, AccessTransaction& t) {
  v.name("command", t.command, commands);
  if (t.command == Command::classify) {
    v.number("port", t.port);
    auto* frame = const_cast<Packet*>(t.frame);
    visit_frame(v, "frame", frame, pool_);
    if (frame == nullptr) throw FieldError("field `frame.kind` is missing");
    if (v.sets() && t.port >= max_ethernet_ports)
      throw FieldError("field `port` is " + std::to_string(t.port) + " (legal: 0 to " +
                       std::to_string(max_ethernet_ports - 1) + ")");
    t.frame = frame;
  }
  if (t.command != Command::add) return;
  if (!v.sets()) rule_ = *t.rule;
  visit_rule(v, rule_);
  if (v.sets()) t.rule = &rule_;
}

void AccessFields::answer(FieldVisitor& v, const AccessTransaction& t) const {
  if (t.command != Command::classify) return;
  bool redirected = t.redirect != AccessTransaction::none;
  unsigned port = t.redirect;
  v.flag("redirected", redirected);
  if (redirected) v.number("port", port);
}

void AccessFields::dispose(AccessTransaction& t) const {
  if (t.command == Command::classify) const_cast<Packet*>(t.frame)->release();
}

}  // namespace tributary
