#include "testbench/cli/sweep/sweep_runner.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "testbench/cli/exit_code.h"
#include "testbench/report/energy_columns.h"
#include "testbench/report/result_file.h"
#include "testbench/run/interrupt.h"
#include "testbench/run/status.h"

namespace tributary {
namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

SweepRunner::SweepRunner(const SweepRequest& request, const SweepFolder& folder)
    : request_(request), folder_(folder), searches_(request.jobs), table_(request.sweep.axes()), progress_(!request.quiet) {
  for (std::size_t i = 0; i < request.sweep.size(); ++i) {
    if (!request.holds(i)) continue;
    ++count_.points;
    const SweepPoint point = request.sweep.point(i);
    if (const auto document = folder.finished(point)) {
      ++count_.kept, keep(i, point, *document);
      continue;
    }
    waiting_.push_back(i);
    if (folder.has_file(point))
      std::cerr << "tributary: point " << i << " (" << point.id << "): its file is damaged, so the point runs again\n";
  }
  write_table(true);
}

void SweepRunner::run() {
  while (!waiting_.empty() || !running_.empty()) {
    if (interrupt_requested() && !stopping_) {
      stopping_ = true;
      waiting_.clear();
      for (const Running& running : running_)
        running.process.interrupt();  // forwards a signal that only this process received
    }
    while (!waiting_.empty() && running_.size() < request_.jobs) start();
    progress_.update(count_);
    if (!collect()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  progress_.clear();
  write_table(true);
  if (stopping_)
    std::cerr << "tributary: interrupted: finished points are kept, and the same command continues with the others\n";
}

void SweepRunner::start() {
  const std::size_t index = waiting_.front(), at_once = std::min(request_.jobs, waiting_.size() + running_.size());
  waiting_.pop_front();
  const PointRun run = request_.sweep.run(index);
  searches_.prepare(run.request.spec);
  running_.push_back({index, PointProcess(run, folder_.stem(request_.sweep.point(index)), at_once)});
  ++count_.running;
}

bool SweepRunner::collect() {
  bool any = false;
  for (auto running = running_.begin(); running != running_.end();) {
    const auto ended = running->process.poll();
    if (ended) {
      --count_.running;
      end(*running, *ended);
      any = true;
    }
    running = ended ? running_.erase(running) : std::next(running);
  }
  if (any) write_table(false);
  return any;
}

void SweepRunner::end(const Running& running, const ProcessEnd& ended) {
  const SweepPoint point = request_.sweep.point(running.index);
  if (const auto document = folder_.take(point, running.process, ended)) {
    ++count_.done;
    return keep(running.index, point, *document);
  }
  if (stopping_ && ended.exit_code != point_taken) return folder_.forget(running.process);  // it was stopped
  ++count_.failed;
  const std::string complaint = folder_.complaint(running.process, ended);
  const StatusInfo& memory = info_of(Status::out_of_memory);
  const bool ran_out = complaint.rfind(memory.headline, 0) == 0;
  table_.put_failure(running.index, point.id, values(point), ran_out ? memory.name : "failed", complaint);
  progress_.clear();
  std::cerr << "tributary: point " << running.index << " (" << point.id << ") failed: " << complaint << "\n";
}

void SweepRunner::keep(std::size_t index, const SweepPoint& point, const nlohmann::ordered_json& document) {
  const nlohmann::ordered_json rows = result_rows(document);
  const std::string status = rows.back().value("status", "");
  if (stuck_status(status)) ++count_.stuck;
  for (const auto& row : rows)
    if (row.value("status", "") == "wrong") {
      ++count_.wrong;
      break;
    }
  if (!request_.energy) return table_.put(index, point.id, values(point), document);
  nlohmann::ordered_json with_energy = document;
  add_energy_columns(with_energy, request_.sweep.run(index).request.spec.parameters.prices);
  table_.put(index, point.id, values(point), with_energy);
}

void SweepRunner::write_table(bool now) {
  if (!request_.whole() || (!now && now_s() - written_s_ < 2)) return;  // limits the writes of a long table
  replace_file(folder_.table(), table_.text());
  written_s_ = now_s();
}

std::vector<std::string> SweepRunner::values(const SweepPoint& point) const {
  std::vector<std::string> all;
  for (const std::string& axis : request_.sweep.axes()) all.push_back(Sweep::value(point, axis));
  return all;
}

int SweepRunner::exit_code() const {
  if (count_.stuck > 0 || count_.kept + count_.done < count_.points) return exit_unfinished;
  return count_.wrong > 0 ? exit_wrong : exit_done;
}

}  // namespace tributary
