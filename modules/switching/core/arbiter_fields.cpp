#include "modules/switching/core/arbiter_fields.h"

#include <string>

#include "modules/switching/core/round_robin_arbiter.h"

namespace tributary {
namespace {

const char* const commands[] = {"choose", "grant", nullptr};
constexpr unsigned most_ports = 256, most_queues = 16;

void check_below(const char* field, unsigned value, unsigned bound) {
  if (value >= bound)
    throw FieldError(std::string("field `") + field + "` is " + std::to_string(value) + " (legal: below " +
                     std::to_string(bound) + ")");
}

}  // namespace

void ArbiterFields::request(FieldVisitor& v, ArbiterCall& call) const {
  v.name("command", call.kind, commands);
  v.number("output", call.output);
  for (std::size_t n = 0;; ++n) {
    const std::string group = "request" + std::to_string(n);
    if (!v.has(group.c_str(), n < call.requests.size())) break;
    if (n == call.requests.size()) call.requests.push_back({});
    const FieldVisitor::Group named(v, group);
    v.number("input", call.requests[n].input);
    v.number("queue", call.requests[n].queue);
    v.number("resource", call.requests[n].resource);
  }
  if (v.sets()) check(call);
}

void ArbiterFields::answer(FieldVisitor& v, const ArbiterCall& call) {
  if (call.kind != ArbiterCall::Kind::choose) return;
  CrossbarArbiter::Request chosen = call.requests.at(call.chosen);
  v.number("input", chosen.input);
  v.number("queue", chosen.queue);
  v.number("resource", chosen.resource);
}

void ArbiterFields::check(const ArbiterCall& call) const {
  check_below("output", call.output, ports_);
  if (call.requests.empty()) throw FieldError("field `request0.input` is missing");
  if (call.kind == ArbiterCall::Kind::grant && call.requests.size() != 1) throw FieldError("a grant has several requests");
  for (const CrossbarArbiter::Request& r : call.requests) {
    check_below("input", r.input, ports_);
    check_below("queue", r.queue, queues_);
    check_below("resource", r.resource, RoundRobinArbiter::resources);
  }
}

void arbiter_config_fields(FieldVisitor& v, CrossbarArbiterConfig& c) {
  v.text("device", c.device);
  v.number("ports", c.ports);
  v.number("queues", c.queues);
  v.number("crossbar", c.crossbar.value);
  if (v.has("arbitration", c.arbitration != 0)) {
    const FieldVisitor::Group named(v, "arbitration");
    v.number("ps", c.arbitration);
  }
  if (!v.sets()) return;
  check_below("ports", c.ports, most_ports + 1);
  check_below("queues", c.queues, most_queues + 1);
}

}  // namespace tributary
