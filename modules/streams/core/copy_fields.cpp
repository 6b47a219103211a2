#include "modules/streams/core/copy_fields.h"

#include <string>

#include "modules/streams/core/burst_cutter.h"

namespace tributary {
namespace {

constexpr std::uint64_t most_burst_bytes = std::uint64_t{largest_burst_flits} * burst_flit_bytes;

const char* const input_kinds[] = {"submit", "room", "left", nullptr};
const char* const call_kinds[] = {"memory", "burst", "done", nullptr};
const char* const copy_paths[] = {"nvlink", "pcie", "network", nullptr};

void visit_command(FieldVisitor& v, CopyCommand& c) {
  v.number("copy", c.copy);
  v.number("queue", c.queue);
  v.number("stream", c.stream);
  v.number("peer", c.peer);
  v.name("path", c.path, copy_paths);
  v.number("lanes", c.lanes);
  v.number("accesses", c.accesses);
  v.flag("reads", c.reads);
  v.number("payload", c.framing.payload);
  v.number("overhead", c.framing.overhead);
  v.number("burst", c.framing.burst);
  v.number("source", c.source);
  v.number("destination", c.destination);
  v.number("bytes", c.bytes);
  const CopyFraming& f = c.framing;
  const bool cut = f.payload >= 1 && f.burst >= 1 && (f.payload + std::uint64_t{f.overhead}) * f.burst <= most_burst_bytes;
  if (v.sets() && (!cut || c.lanes < 1 || c.bytes < 1 || c.bytes >> 48 != 0))
    throw FieldError("a copy without lanes, bytes or payload, of more than 2^48 B, or with bursts of more than " +
                     std::to_string(most_burst_bytes) + " B");
}

void visit_burst(FieldVisitor& v, Burst& b) {
  v.number("copy", b.copy);
  v.number("lane", b.lane);
  v.flag("last", b.last);
  v.number("flits", b.flits);
  v.number("bytes", b.bytes);
  v.number("offset", b.offset);
}

}  // namespace

void CopyFields::request(FieldVisitor& v, CopyInput& input) const {
  v.name("command", input.kind, input_kinds);
  if (input.kind == CopyInput::Kind::submit) return visit_command(v, input.command);
  v.number("copy", input.burst.copy);
  v.number("lane", input.burst.lane);
  input.burst.last = input.kind == CopyInput::Kind::left;
}

void CopyFields::answer(FieldVisitor& v, const CopyInput& input) const {
  bool accepts = input.accepts;
  if (input.kind == CopyInput::Kind::submit) v.flag("accepts", accepts);
  for (std::size_t i = 0; i < input.calls.size(); ++i) {
    const FieldVisitor::Group named(v, "call" + std::to_string(i));
    CopyCall call = input.calls[i];
    v.name("kind", call.kind, call_kinds);
    v.time("time", call.time);
    if (call.kind == CopyCall::Kind::memory) v.time("latency", call.latency);
    if (call.kind == CopyCall::Kind::burst) visit_burst(v, call.burst);
    if (call.kind == CopyCall::Kind::done) v.number("copy", call.copy);
  }
}

std::vector<Tick> CopyFields::latencies(const FieldValues& answer) {
  std::vector<Tick> all;
  const std::string end = ".latency";
  for (const FieldValue& value : answer)
    if (value.key.size() > end.size() && value.key.compare(value.key.size() - end.size(), end.size(), end) == 0)
      all.push_back(value.number);
  return all;
}

}  // namespace tributary
