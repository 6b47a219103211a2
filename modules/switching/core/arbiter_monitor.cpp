#include "modules/switching/core/arbiter_monitor.h"

#include <algorithm>
#include <utility>

namespace tributary {

ArbiterMonitor::ArbiterMonitor(Setup setup, unsigned ports, unsigned queues)
    : BlockMonitor(std::move(setup)), ports_(ports), queues_(queues), waits_(std::size_t{ports} * queues * ports) {}

std::string ArbiterMonitor::request() const {
  std::string text = "output " + std::to_string(output_);
  for (const Request& r : requests_)
    text += ", input " + std::to_string(r.input) + " queue " + std::to_string(r.queue) + " for resource " +
            std::to_string(r.resource);
  return text;
}

bool ArbiterMonitor::asked_again(unsigned output, const std::vector<Request>& requests, Tick now) const {
  return chosen_ != none && output == output_ && now == asked_ &&
         std::equal(requests.begin(), requests.end(), requests_.begin(), requests_.end(),
                    [](const Request& a, const Request& b) {
                      return a.input == b.input && a.queue == b.queue && a.resource == b.resource;
                    });
}

void ArbiterMonitor::ask(unsigned output, const std::vector<Request>& requests, Tick now) {
  begin(now);
  again_ = asked_again(output, requests, now);
  output_ = output, asked_ = now;
  requests_ = requests;
}

void ArbiterMonitor::check(std::size_t index) {
  if (index >= requests_.size())
    return fail("answer",
                "it chooses request " + std::to_string(index) + "; legal: below " + std::to_string(requests_.size()));
  if (again_ && index != chosen_)
    fail("keep", "it chooses request " + std::to_string(index) + ", and chose " + std::to_string(chosen_) +
                     " when it was asked the same before; legal: only a grant changes the state");
  chosen_ = index;
}

void ArbiterMonitor::granted(unsigned output, const Request& request, Tick now) {
  chosen_ = none;
  waits_[place(output, request)] = {};
  if (output != output_) return;
  for (const Request& r : requests_)
    if (r.resource == request.resource && place(output, r) != place(output, request)) lose(output, r, now);
}

void ArbiterMonitor::lose(unsigned output, const Request& request, Tick now) {
  Wait& wait = waits_[place(output, request)];
  if (wait.lost++ == 0) wait.since = now;
  if (wait.lost < patience || now - wait.since <= longest()) return;
  fail("patience", "input " + std::to_string(request.input) + ", queue " + std::to_string(request.queue) + " has lost " +
                       std::to_string(wait.lost) + " grants since " + std::to_string(wait.since) + " ps");
}

void ArbiterMonitor::reset() {
  chosen_ = none;
  requests_.clear();
  std::fill(waits_.begin(), waits_.end(), Wait{});
}

}  // namespace tributary
