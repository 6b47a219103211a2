#include "modules/timing/lane_processes.h"

#include <stdexcept>
#include <string>
#include <tuple>

namespace tributary {
namespace {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace

LaneProcesses::LaneProcesses(ProcessGroup& group, Lanes& lanes, const std::deque<LaneCrossing>& crossings,
                             CompletionRelay& relay)
    : group_(group), lanes_(lanes), crossings_(crossings), relay_(relay), out_(group.size()), in_(group.size()) {
  lanes_.distribute(*this);
  relay_.keep_while([this] { return lanes_.running(); });
}

void LaneProcesses::exchange() {
  for (ByteRow& row : out_) row.clear();
  for (unsigned from = 0; from < lanes_.count(); ++from)
    for (unsigned to = 0; to < lanes_.count(); ++to) {
      if (!owns(from) || owns(to) || lanes_.box(from, to).empty()) continue;
      ByteWriter row(out_[owner(to)]);
      row.put(from), row.put(to);
      lanes_.box(from, to).pack(row);
    }
  group_.exchange(out_, in_);
  for (unsigned p = 0; p < group_.size(); ++p)
    if (p != group_.rank())
      for (ByteReader row(in_[p]); !row.at_end();) {
        const auto from = row.get<unsigned>(), to = row.get<unsigned>();
        lanes_.box(from, to).unpack(row, crossings_);
      }
}

Tick LaneProcesses::agree(const std::function<Tick()>& next, LaneFailure& failure) {
  while (true) {
    std::uint64_t values[] = {next(), failure.error ? 0u : 1u, relay_.empty() ? 1u : 0u};
    group_.least(values, 3);
    if (values[1] == 0) {
      spread(failure);
      return never;
    }
    if (values[2] == 1) return values[0];
    relay_.deliver(group_.gather(relay_.take()));  // which may schedule members
  }
}

/// Gives every process the first failure. A process without it has the text alone.
void LaneProcesses::spread(LaneFailure& failure) {
  ByteRow own;
  ByteWriter to(own);
  if (failure.error) to.put(failure.when), to.put(failure.member), to.put(text_of(failure.error));
  const std::vector<ByteRow> all = group_.gather(own);
  group_.set_joined(false);  // all processes end the run now
  for (const ByteRow& row : all) {
    if (row.empty()) continue;
    ByteReader from(row);
    const auto when = from.get<Tick>();
    const auto member = from.get<unsigned>();
    if (failure.error && std::tie(failure.when, failure.member) <= std::tie(when, member)) continue;
    failure = {when, member, std::make_exception_ptr(std::runtime_error(from.text()))};
  }
}

}  // namespace tributary
