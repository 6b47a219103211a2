#include "testbench/run/stream_chain.h"

#include <algorithm>
#include <cstdlib>

namespace tributary {

using Kind = StreamCommand::Kind;
using Event = StreamCommandEvent::Kind;

void StreamChain::attach(const ProbeDirectory& probes) {
  probes.for_each<StreamCommandProbe>([&](const std::string& name, StreamCommandProbe& probe) {
    const auto gpu = name.find(".gpu");
    if (gpu == std::string::npos) return;
    taps_.push_back({this, static_cast<unsigned>(std::strtoul(name.c_str() + gpu + 4, nullptr, 10))});
    probe.attach(&taps_.back(), [](void* tap, Tick time, const StreamCommandEvent& event) {
      static_cast<Tap*>(tap)->chain->on_command(static_cast<Tap*>(tap)->gpu, time, event);
    });
  });
}

void StreamChain::reset() { gpus_.clear(), count_ = 0; }

void StreamChain::on_command(unsigned gpu, Tick time, const StreamCommandEvent& event) {
  const std::lock_guard lock(mutex_);  // GPUs report from the threads of their lanes
  if (count_ > most_commands) return;
  Gpu& g = gpus_[gpu];
  const StreamCommand& c = *event.command;
  if (event.kind == Event::begun) {
    ++count_;
    const auto number = static_cast<std::uint32_t>(g.commands.size());
    const auto before = [&](std::map<unsigned, std::uint32_t>& latest, unsigned key) {
      const auto [known, fresh] = latest.emplace(key, number);
      return fresh ? none : std::exchange(known->second, number);
    };
    const std::uint32_t in_queue = before(g.of_queue, event.queue), in_stream = before(g.of_stream, c.stream);
    g.commands.push_back(
        {c.kind, c.path, c.stream, c.peer, c.semaphore, c.value, c.bytes, in_queue, in_stream, time, time, time, 0});
    return;
  }
  const auto current = g.of_queue.find(event.queue);
  if (current == g.of_queue.end()) return;
  Command& command = g.commands[current->second];
  (event.kind == Event::granted ? command.granted : command.ended) = time;
  command.starved = event.starved;
}

bool StreamChain::bound_by_engine(const Command& copy, Tick time) const {
  constexpr double nearly = 0.9;  // the first bytes wait for the memory, and the last ones are on the link
  return config_.engine_byte > 0 &&
         config_.engine_byte * static_cast<double>(copy.bytes) >= nearly * static_cast<double>(time);
}

bool StreamChain::share_links(const Command& a, const Command& b) const {
  return a.path == b.path && (config_.one_way_out || a.path != CopyPath::nvlink || a.peer == b.peer);
}

/// Follows the chain back, and sums up its times.
class StreamChain::Walk {
 public:
  Walk(const StreamChain& chain, const LinkParameters& links) : chain_(chain), links_(links) {
    for (const auto& [gpu, g] : chain.gpus_)
      for (std::uint32_t i = 0; i < g.commands.size(); ++i) {
        const Command& c = g.commands[i];
        first_ = std::min(first_, c.begun);
        if (c.kind == Kind::copy) {  // its links are free before its engine
          freed_[gpu].emplace(c.ended, i);
          freed_[gpu].emplace(c.ended - std::min<Tick>(c.ended, chain.config_.completion.value), i);
        }
        if (c.kind == Kind::record) records_[{c.peer, c.semaphore}].push_back({gpu, i});
        if (last_.command == none || c.ended > at(last_).ended) last_ = {gpu, i};
      }
    const auto earlier = [this](const Place& a, const Place& b) { return at(a).ended < at(b).ended; };
    for (auto& [semaphore, places] : records_) std::stable_sort(places.begin(), places.end(), earlier);
  }

  std::vector<PathPart> parts() {
    std::size_t left = chain_.count_;  // no command is visited twice
    for (Place here = last_; here.command != none && left > 0; --left) here = before(here);
    std::vector<PathPart> all;
    for (const auto& [parameter, time] : sums_) {
      PathPart& part = all.emplace_back(PathPart{parameter, time});
      if (const auto known = shared_.find(parameter); known != shared_.end())
        for (const auto& [other, both] : known->second) part.shared.push_back({other, both});
    }
    return all;
  }

 private:
  using Sums = std::map<std::string, double>;

  const Command& at(const Place& p) const { return chain_.gpus_.at(p.gpu).commands[p.command]; }
  /// Adds the time from `begin` to `end`, less the part that a holder spends before the wait.
  void add(const std::string& parameter, Tick begin, Tick end) {
    begin = std::max(begin, wait_began_);
    if (end > begin) (*into_)[parameter] += static_cast<double>(end - begin);
  }
  void add_of_family(const char* parameter, Tick begin, Tick end) { add(chain_.config_.family + parameter, begin, end); }

  /// Adds a wait from `begin` to `end` that more queues or engines would avoid. It ends with `holder`: the commands that
  /// determine the time of `holder` determine that of the wait, too. They are followed back to the begin of the wait.
  void add_wait(const char* parameter, Tick begin, Tick end, Place holder) {
    add_of_family(parameter, begin, end);
    into_ = &shared_[chain_.config_.family + parameter], wait_began_ = begin, held_ = true;
    for (std::size_t left = chain_.count_; holder.command != none && at(holder).ended > begin && left > 0; --left)
      holder = before(holder);
    into_ = &sums_, wait_began_ = 0, held_ = false;
  }

  /// Returns the record that brought the semaphore to the value that the command waits for.
  Place record_of(const Place& here) const {
    const Command& c = at(here);
    const auto found = records_.find({here.gpu, c.semaphore});
    if (c.value == 0 || found == records_.end() || found->second.size() < c.value) return {};
    return found->second[c.value - 1];
  }

  /// Returns a copy of the GPU whose end freed an engine or links at `when`.
  Place freed_at(unsigned gpu, Tick when) const {
    const auto& ends = freed_.at(gpu);
    const auto found = ends.find(when);
    return found == ends.end() ? Place{} : Place{gpu, found->second};
  }

  /// Adds the time of a command, and returns the one that it waited for.
  Place before(const Place& here) {
    const Command& c = at(here);
    const Config& config = chain_.config_;
    switch (c.kind) {
      case Kind::copy: {
        const Tick done = c.ended - std::min<Tick>(c.ended - c.granted, config.completion.value);
        const Tick moves = std::min<Tick>(done, c.granted + config.launch_of_copy.value);
        const Tick starves = done - std::min(done - moves, c.starved);
        add_of_family(".copy.launch", c.granted, moves);
        if (starves > moves)
          add(chain_.bound_by_engine(c, starves - moves) ? config.engine_bound : links_(here.gpu, c.peer, c.path), moves,
              starves);
        add_of_family(".memory.rate", starves, done);
        add_of_family(".copy.completion", done, c.ended);
        const Tick fetched = c.begun + std::min<Tick>(c.granted - c.begun, config.fetch.value);
        const Place freed = c.granted > fetched ? freed_at(here.gpu, c.granted) : Place{};
        if (freed.command != none && (held_ || chain_.share_links(c, at(freed)))) return freed;
        add_of_family(".copy.fetch", c.begun, fetched);
        if (freed.command != none) add_wait(config.engines, fetched, c.granted, freed);  // the links were free
        break;
      }
      case Kind::kernel: {
        const Tick adds = std::min<Tick>(c.ended, c.begun + config.launch_of_kernel.value);
        const Tick starves = c.ended - std::min(c.ended - adds, c.starved);
        add_of_family(".kernel.launch", c.begun, adds);
        add_of_family(".kernel.rate", adds, starves);
        add_of_family(".memory.rate", starves, c.ended);
        break;
      }
      case Kind::record:
        add_of_family(".streams.release", c.begun, c.ended);
        break;
      case Kind::wait: {
        const Tick acquire = std::min<Tick>(c.ended - c.begun, config.acquire.value);
        add_of_family(".streams.acquire", c.ended - acquire, c.ended);
        if (c.ended - acquire > c.begun) return record_of(here);
        break;
      }
      case Kind::peer_switch:
        break;
    }
    return predecessor(here);
  }

  /// Returns the command whose end let this one begin. A command that waited in its queue for another stream would have
  /// begun after the one before it in its own stream, or after its record.
  Place predecessor(const Place& here) {
    const Command& c = at(here);
    const auto& commands = chain_.gpus_.at(here.gpu).commands;
    const bool after_queue = c.in_queue != none && commands[c.in_queue].ended == c.begun;
    if (!after_queue) {  // the host issued it
      const Config& config = chain_.config_;
      const Tick issue = config.batch * config.issue.value, doorbell = config.doorbell.value;
      const Tick start = first_ - std::min<Tick>(first_, issue + doorbell);
      const double of_doorbells = static_cast<double>(doorbell) / std::max(1.0, static_cast<double>(issue + doorbell));
      const auto bells = static_cast<Tick>(of_doorbells * static_cast<double>(c.begun - start));
      add_of_family(".streams.doorbell", start, start + bells);
      add_of_family(".streams.issue", start + bells, c.begun);
      return {};
    }
    if (held_ || c.in_queue == c.in_stream) return {here.gpu, c.in_queue};
    Place own = c.in_stream == none ? Place{} : Place{here.gpu, c.in_stream};
    if (c.kind == Kind::wait)
      if (const Place record = record_of(here); record.command != none)
        if (own.command == none || at(record).ended > at(own).ended) own = record;
    const Tick ready = own.command == none ? first_ : std::min(c.begun, at(own).ended);
    add_wait(".streams.queues", ready, c.begun, {here.gpu, c.in_queue});
    return own;
  }

  const StreamChain& chain_;
  const LinkParameters& links_;
  std::map<std::pair<unsigned, std::uint32_t>, std::vector<Place>> records_;  // by GPU and semaphore, in the order of ends
  std::map<unsigned, std::map<Tick, std::uint32_t>> freed_;                   // copies by GPU and end
  Sums sums_;
  std::map<std::string, Sums> shared_;  // by parameter of a wait: times of those that held it
  Sums* into_ = &sums_;
  Tick wait_began_ = 0;
  bool held_ = false;  // the commands held what another one waits for
  Tick first_ = never;
  Place last_;
};

std::vector<PathPart> StreamChain::parts(const LinkParameters& links) const {
  if (count_ == 0 || count_ > most_commands) return {};
  return Walk(*this, links).parts();
}

}  // namespace tributary
