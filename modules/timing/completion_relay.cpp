#include "modules/timing/completion_relay.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tributary {

void CompletionRelay::report(Report r) {
  if (!during_step_ || !during_step_()) return pass(r);
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(r));
}

void CompletionRelay::pass(const Report& r) {
  switch (r.kind) {
    case Kind::done:
      return to_.done(r.endpoint, r.when);
    case Kind::failed:
      return to_.failed(r.endpoint, r.when, r.why);
    case Kind::bad_value:
      return to_.bad_value(r.endpoint, r.when, r.why);
  }
}

ByteRow CompletionRelay::take() {
  ByteRow row;
  ByteWriter to(row);
  for (const Report& r : kept_) to.put(r.when), to.put(r.endpoint), to.put(r.kind), to.put(r.why);
  kept_.clear();
  return row;
}

void CompletionRelay::deliver(const std::vector<ByteRow>& of_processes) {
  std::vector<Report> all;
  for (const ByteRow& row : of_processes)
    for (ByteReader from(row); !from.at_end();) {
      Report& r = all.emplace_back();
      r.when = from.get<Tick>(), r.endpoint = from.get<unsigned>();
      r.kind = from.get<Kind>(), r.why = from.text();
    }
  std::stable_sort(all.begin(), all.end(), [](const Report& a, const Report& b) {
    return std::tie(a.when, a.endpoint, a.kind) < std::tie(b.when, b.endpoint, b.kind);
  });
  for (const Report& r : all) pass(r);
}

}  // namespace tributary
