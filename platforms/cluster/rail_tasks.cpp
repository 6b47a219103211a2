#include "platforms/cluster/rail_tasks.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace tributary {

RailTasks::RailTasks(const Config& config, Verbs& nic, Listener& listener)
    : config_(config),
      nic_(nic),
      listener_(listener),
      flow_(config.flow, config.mtu, nic, static_cast<FlowControlListener&>(*this)) {}

void RailTasks::set_memory(std::byte* memory) {
  memory_ = memory;
  flow_.set_memory(memory);
  for (auto& [number, s] : schedules_) s.core->set_memory(memory);
}

RailTasks::Schedule& RailTasks::schedule(std::uint16_t number) {
  Schedule& s = schedules_[number];
  active_[number] = &s;
  if (s.core != nullptr) return s;
  s.core = std::make_unique<CommandHostCore>(config_.commands, nic_);
  s.core->set_memory(memory_);
  s.core->on_end(
      [this, &s](Tick when) {
        const std::uint32_t task = *s.task;
        s.task.reset();
        end(task, when);
      },
      [this](Tick when, const std::string& why) { listener_.network_failed(when, why); });
  return s;
}

// ---- programs

void RailTasks::load(const GpuProgram& program) {
  works_.clear();
  waits_.clear();
  for (auto& [ring, rail] : rails_) rail.pending.clear(), rail.tasks.clear();
  std::set<std::uint16_t> numbers;
  for (const auto& work : program.network) {
    const auto* const rail_work = dynamic_cast<const RailWork*>(work.get());
    if (rail_work == nullptr) throw std::invalid_argument("the work of a network task is not RailWork");
    if (rail_work->kind == RailWork::Kind::commands && !numbers.insert(rail_work->commands.number).second)
      throw std::invalid_argument("two schedules of a GPU have the number " + std::to_string(rail_work->commands.number));
    add(*rail_work);
  }
}

void RailTasks::add(const RailWork& work) {
  works_.push_back(&work);
  if (work.kind == RailWork::Kind::wait) waits_[{work.pair, work.write.immediate}];
  if (work.kind != RailWork::Kind::ring) return;
  ring_pairs_.insert({work.ring.send_pair, work.ring.receive_pair});
  Rail& rail = rails_[work.ring.ring];
  if (!rail.begun)
    rail.next_message = std::min(rail.next_message.value_or(work.ring.first_message), work.ring.first_message);
}

void RailTasks::ready(std::uint32_t task, const DeviceTask& what, Tick now) {
  if (what.operation >= works_.size())
    throw std::out_of_range("network task " + std::to_string(task) + " has no work " + std::to_string(what.operation));
  const RailWork& work = *works_[what.operation];
  switch (work.kind) {
    case RailWork::Kind::write: {
      WriteRequest request = work.write;
      request.id = of_task | task;
      request.signalled = true;
      ++writes_;
      return nic_.post_write(work.pair, request, now);
    }
    case RailWork::Kind::wait: {
      Waits& waits = waits_.at({work.pair, work.write.immediate});
      if (waits.arrived == 0) return waits.tasks.push_back(task);
      --waits.arrived;
      return end(task, now);
    }
    case RailWork::Kind::ring: {
      if (work.ring.bytes == 0) return end(task, now);
      Rail& rail = rails_.at(work.ring.ring);
      rail.pending[work.ring.first_message] = &work.ring;
      rail.tasks[work.ring.first_message] = task;
      return begin_plans(rail, now);
    }
    case RailWork::Kind::commands: {
      Schedule& s = schedule(work.commands.number);
      s.task = task;
      return s.core->post(work.commands, now);
    }
  }
}

void RailTasks::begin_plans(Rail& rail, Tick now) {
  for (auto plan = rail.pending.find(*rail.next_message); plan != rail.pending.end();
       plan = rail.pending.find(*rail.next_message)) {
    rail.begun = true;
    rail.next_message = flow_.append(*plan->second, now);
    rail.pending.erase(plan);
  }
}

void RailTasks::job_done(std::uint16_t ring, std::uint32_t first_message, Tick when) {
  Rail& rail = rails_.at(ring);
  const auto found = rail.tasks.find(first_message);
  const std::uint32_t task = found->second;
  rail.tasks.erase(found);
  end(task, when);
}

Tick RailTasks::next() const {
  Tick t = std::min(flow_.next(), ended_.empty() ? never : ended_.front().when);
  for (const auto& [number, s] : active_) t = std::min(t, s->core->next());
  return t;
}

Tick RailTasks::run_until(Tick horizon) {
  for (Tick now = next(); now <= horizon && now != never; now = next()) {
    flow_.run_until(now);
    run_schedules(now);
    for (; !ended_.empty() && ended_.front().when <= now;) {
      const std::uint32_t task = ended_.front().task;
      ended_.pop();
      listener_.network_ended(task, now);
    }
  }
  return next();
}

void RailTasks::run_schedules(Tick now) {
  for (auto s = active_.begin(); s != active_.end();) {
    Schedule& one = *s->second;
    one.core->run_until(now);
    const HostAdditions all = one.core->additions();
    additions_ += {all.elements - one.counted.elements, all.bytes - one.counted.bytes};
    one.counted = all;
    s = one.core->next() == never ? active_.erase(s) : std::next(s);
  }
}

// ---- reports of the NIC

void RailTasks::completed(unsigned queue_pair, std::uint64_t id, Tick when) {
  if (ring_pairs_.count(queue_pair) != 0) return flow_.completed(queue_pair, id, when);
  if ((id & of_task) == 0) return schedule(static_cast<std::uint16_t>(id >> 16)).core->completed(queue_pair, id, when);
  --writes_;
  end(static_cast<std::uint32_t>(id), when);
}

void RailTasks::arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) {
  if (ring_pairs_.count(queue_pair) != 0) return flow_.arrived(queue_pair, immediate, when);
  const auto found = waits_.find({queue_pair, immediate});
  if (found == waits_.end())
    return schedule(static_cast<std::uint16_t>(immediate >> 16)).core->arrived(queue_pair, immediate, when);
  Waits& waits = found->second;
  if (waits.tasks.empty()) {
    ++waits.arrived;
    return;
  }
  const std::uint32_t task = waits.tasks.front();
  waits.tasks.pop_front();
  end(task, when);
}

void RailTasks::failed(unsigned, Tick when, const std::string& why) { listener_.network_failed(when, why); }

std::vector<std::string> RailTasks::waiting() const {
  std::vector<std::string> lines = flow_.waiting();
  if (writes_ != 0) lines.push_back(std::to_string(writes_) + " WRITEs of tasks are not acknowledged");
  for (const auto& [place, waits] : waits_)
    if (!waits.tasks.empty())
      lines.push_back("qp" + std::to_string(place.first) + ": waits for immediate " + std::to_string(place.second));
  for (const auto& [number, s] : schedules_)
    for (const std::string& line : s.core->waiting()) lines.push_back("schedule" + std::to_string(number) + "." + line);
  return lines;
}

void RailTasks::reset() {
  flow_.reset();
  works_.clear();
  ring_pairs_.clear();
  rails_.clear();
  waits_.clear();
  active_.clear();
  schedules_.clear();
  ended_.clear();
  additions_ = {};
  writes_ = 0;
}

void RailTasks::describe(ProbeDirectory& directory, const std::string& prefix) { flow_.describe(directory, prefix); }

}  // namespace tributary
