// The run of one message, in slices. Between slices the session checks for completion, progress and limits.

#include <algorithm>

#include "modules/base/readable.h"
#include "modules/base/text_format.h"
#include "modules/base/waiting_since.h"
#include "modules/base/wrong_block.h"
#include "modules/blockcheck/core/block_access.h"
#include "modules/link/link_protocol.h"
#include "testbench/run/facets/frames.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/message_effort.h"
#include "testbench/run/session_parts.h"

namespace tributary {

Tick Session::Parts::latest_start() const {
  Tick latest = t0;
  for (const Task& task : tasks) latest = std::max(latest, t0 + task.job->start.value + task.job->skew.longest().value);
  return latest;
}

/// Returns the watchdog window if the user sets none: long enough for any run that is not stuck.
Time Session::Parts::patience() const {
  Tick silence = system.longest_silence(largest_memory);
  for (const JobSpec& job : spec.jobs)
    if (job.step) silence += job.step->busy;
  return std::max(1_ms, picoseconds(2 * silence));
}

/// Advances to `end`. Output files hold back the events of a piece; a run is checked only at the end of a slice, so that it
/// ends at the same time with and without them.
void Session::Parts::advance(Tick end) {
  constexpr Tick held_back = 1'000'000;
  for (Tick now = kernel_now(); now < end && !is_interrupted(); now = kernel_now()) {
    Tick until = end;
    if (requested->held_back()) {
      const Tick next = sc_core::sc_pending_activity() ? now + sc_core::sc_time_to_pending_activity().value() : end;
      until = std::min(end, std::max(next, now + held_back));
    }
    system.stop_at(until);  // so that the state between slices does not depend on how far devices run ahead
    sc_core::sc_start(to_sc_time(until - now), sc_core::SC_RUN_TO_TIME);  // advances time even if the next event is later
    requested->advance(until);
    tell_progress();
  }
}

/// Several processes end a message in the same slice.
bool Session::Parts::is_interrupted() const { return processes.several() ? interrupted : interrupt_requested(); }

Status Session::Parts::slice(Watchdog& watchdog) {
  const Tick now = kernel_now();
  const bool pending = sc_core::sc_pending_activity();
  Tick length = watchdog.slice(now, pending ? now + sc_core::sc_time_to_pending_activity().value() : now);
  if (spec.time_limit && !completion.all_done()) {  // trailing acks do not count
    const Tick limit = t0 + std::min(spec.time_limit->value, never - t0);
    if (now >= limit) return Status::time_limit;
    length = std::min(length, limit - now);
  }
  advance(now + length);
  const Tick then = kernel_now();
  if (processes.several()) interrupted = processes.most(interrupt_requested()) != 0;
  if (is_interrupted()) return Status::interrupted;
  if (spec.shadow_stop && any_differs(spec.shadows)) return Status::shadow_stopped;
  if (completion.has_bad_value()) return Status::bad_value;
  if (completion.has_failed()) return cause(Status::gave_up);
  if (report = effort_beyond_patience(); !report.empty()) return Status::too_long;
  watchdog.observe(then, processes.sum(observers->progress()));
  if (completion.all_done() || !watchdog.expired(then)) return Status::done;
  if (!spec.parameters.watchdog.window) watchdog.extend(processes.most(system.timers_end()));
  return watchdog.expired(then) ? cause(Status::no_progress) : Status::done;
}

/// Returns the reason why the message would take too long; empty if it does not, or if nothing is known. The traffic of a
/// step, and of jobs that start apart, is uneven, so that its begin does not tell the rest.
std::string Session::Parts::effort_beyond_patience() const {
  const auto uneven = [&](const Task& task) {
    return task.job->step != nullptr || task.job->start.value != 0 || task.size.value != tasks.front().size.value;
  };
  if (std::any_of(tasks.begin(), tasks.end(), uneven)) return "";
  double whole = shortest_time();
  if (spec.time_limit) whole = std::min(whole, static_cast<double>(spec.time_limit->value));
  const MessagePart part{processes.sum(observers->packet_hops()), std::max(kernel_now(), t0) - t0, whole};
  return beyond_patience(part, params.watchdog.patience, facets.fluid != nullptr);
}

/// Returns the simulated time of the message at its bound, ps.
double Session::Parts::shortest_time() const {
  double shortest = 1;
  for (const Task& task : tasks) {
    const double transfer = bounds[task.index] > 0 ? static_cast<double>(task.size.value) / bounds[task.index] * 1e3 : 0;
    shortest = std::max(shortest, static_cast<double>(task.job->start.value) +
                                      static_cast<double>(task.job->step ? task.job->step->busy : 0) + transfer);
  }
  return shortest;
}

/// Returns the cause of an end without a result: a dead link explains every other one.
Status Session::Parts::cause(Status found) const { return dead_links().empty() ? found : Status::dead_link; }

/// Returns the first line of the report.
std::string Session::Parts::reason(Status status) const {
  if (status == Status::shadow_stopped) return "a block differs from its shadow (--shadow-stop)";
  if (status == Status::time_limit) return "simulated for " + to_string(*spec.time_limit);
  if (completion.has_failed()) return completion.error(t0);
  return "nothing has moved for " + readable_time(params.watchdog.window->value);
}

Status Session::Parts::simulate() {
  Watchdog watchdog(latest_start(), params.watchdog.window->value, 20'000'000);
  while (sc_core::sc_pending_activity() || kernel_now() < processes.most(system.quiet_from())) {
    const Status status = slice(watchdog);
    if (status == Status::done) continue;
    if (status != Status::interrupted && status != Status::too_long) report = waiting_report(reason(status));
    return status;
  }
  if (dead_links().empty())
    for (const auto& tap : spec.blocks.taps()) tap->end(kernel_now(), completion.all_done());
  if (completion.all_done() && (dead_links().empty() || waiting().empty())) return Status::done;
  report = waiting_report(completion.all_done() ? "the result is complete, but its last acks are lost" : "no event is left");
  return cause(Status::deadlock);
}

/// The kernel reports exceptions of processes. A wrong block ends the run, and its line is the report.
Status Session::Parts::carry_out(std::size_t number) {
  std::string line;
  try {
    prepare(number);
    system.agree();
    return simulate();
  } catch (const sc_core::sc_report& error) {
    line = error.get_msg();
    if (!names_breach(line)) throw;
  } catch (const std::logic_error& error) {
    line = error.what();
    if (!names_breach(line)) throw;
  }
  processes.join();
  report = line + "\n";
  return Status::block_wrong;
}

std::string Session::Parts::dead_links() const {
  std::string text;
  const auto dead = [&](const std::string& link, Time after) {
    if (t0 + after.value <= kernel_now()) text += "  link " + link + " is dead since " + readable_time(after.value) + "\n";
  };
  for (const LinkFault& f : spec.faults)
    if (f.kind == LinkFault::Kind::down) dead(f.link, f.after);
  for (const std::string& rule : spec.frame_faults)
    if (const auto down = family.facets().frames->link_down(rule)) dead(down->link, down->after);
  return text;
}

std::string Session::Parts::waiting_report(const std::string& why) const {
  std::string text = why + ", and " + std::to_string(completion.missing()) + " ranks are not done; these wait:\n";
  text += dead_links();
  for (std::string line : waiting()) {
    const Tick since = cut_waiting_since(line);
    text += "  " + line;
    if (since != 0) text += ", since " + fixed(static_cast<double>(since > t0 ? since - t0 : 0) * 1e-6, 3) + "us";
    text += "\n";
  }
  return text;
}

void Session::Parts::tell_progress() const {
  if (!progress_callback) return;
  const auto now = static_cast<double>(std::max(kernel_now(), t0) - t0);
  const double cpu = cpu_seconds() - cpu_start;
  const auto all_hops = static_cast<double>(hops + observers->packet_hops());
  progress_callback(std::min(1.0, now / shortest_time()), static_cast<double>(kernel_now()) / 1e6,
                    cpu > 0 ? all_hops / cpu : 0);
}

void Session::Parts::check_quiescent() const {
  std::vector<std::string> left = waiting();
  if (!left.empty()) cut_waiting_since(left.front());
  if (!left.empty()) throw std::logic_error("the result is complete, but not all is quiet: " + left.front());
  if (const std::uint64_t live = processes.sum(system.live_packets()); live != 0)
    throw std::logic_error("the result is complete, but " + std::to_string(live) + " packets are left over");
}

}  // namespace tributary
