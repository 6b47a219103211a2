#include "modules/streams/core/stream_processor.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "modules/base/waiting_since.h"

namespace tributary {

using Kind = StreamCommand::Kind;

namespace {
constexpr const char* command_names[] = {"none", "copy", "record", "wait", "kernel", "peer switch", nullptr};

unsigned first_of(std::uint32_t ports) { return static_cast<unsigned>(__builtin_ctz(ports)); }
}  // namespace

StreamProcessor::StreamProcessor(const Config& config, const Around& around)
    : config_(config),
      around_(around),
      queues_(config.streams.queues),
      engines_(around.engines.engines(), config.physical_engines, config.links),
      probes_(config.streams.queues) {
  owner_.fill(no_queue);
}

void StreamProcessor::post(const StreamProgram& program, Tick t0) {
  program_ = &program;
  t0_ = t0;
  left_ = static_cast<std::uint32_t>(program.commands.size());
  for (Queue& q : queues_) q.commands.clear(), q.head = 0, q.state = State::idle;
  for (std::uint32_t c = 0; c < program.commands.size(); ++c)
    queues_[program.commands[c].stream % queues_.size()].commands.push_back(c);
  for (unsigned q = 0; q < queues_.size(); ++q) look(q, t0);
}

/// Schedules the begin of a queue's new head, at `now` or when the host issues it.
void StreamProcessor::look(unsigned queue, Tick now) {
  Queue& q = queues_[queue];
  q.state = State::idle;
  if (q.head == q.commands.size()) return;
  q.state = State::not_issued;
  const Tick issued = t0_ + config_.streams.known_after(q.commands[q.head], program_->commands.size());
  events_.set(queue, std::max(now, issued));
}

void StreamProcessor::begin(unsigned queue, Tick now) {
  Queue& q = queues_[queue];
  const StreamCommand& c = command(q);
  q.since = now;
  q.state = State::busy;
  probes_[queue].command(now, static_cast<std::uint64_t>(c.kind) + 1);
  commands(now, {StreamCommandEvent::Kind::begun, &c, queue});
  switch (c.kind) {
    case Kind::copy:
      q.copy = {
          0,      static_cast<std::uint16_t>(queue), c.stream, c.peer, c.path, 0, 1, c.reads, {}, c.source, c.destination,
          c.bytes};
      if (config_.fetch == 0) {
        await_grant(queue, now);
        break;
      }
      q.state = State::fetches;
      events_.set(queue, now + config_.fetch);
      break;
    case Kind::record:
      events_.set(queue, now + config_.streams.release.value);
      break;
    case Kind::wait:
      if (around_.semaphores.reached(c.semaphore, c.value)) {
        events_.set(queue, now + config_.streams.acquire.value);
        break;
      }
      q.state = State::waits_value;
      around_.semaphores.wait(c.semaphore, c.value, *this, queue);
      probes_[queue].stalled(now, 1);
      break;
    case Kind::kernel:
      around_.kernels.launch(c, queue, now);
      break;
    case Kind::peer_switch:
      events_.set(queue, now + std::max(1u, c.value) * config_.peer_switch);
      break;
  }
}

void StreamProcessor::await_grant(unsigned queue, Tick now) {
  queues_[queue].state = State::waits_grant;
  ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), queue,
                                 [this](unsigned a, unsigned b) {
                                   return std::tuple(queues_[a].since, command(queues_[a]).stream) <
                                          std::tuple(queues_[b].since, command(queues_[b]).stream);
                                 }),
                queue);
  probes_[queue].stalled(now, 1);
}

void StreamProcessor::reached(std::uint32_t queue, Tick there, Tick now) {
  Queue& q = queues_[queue];
  q.state = State::busy;
  probes_[queue].stalled(now, 0);
  events_.set(queue, std::max(now, std::max(q.since, there) + config_.streams.acquire.value));
}

void StreamProcessor::handle(Tick now) {
  while (events_.next() <= now) {
    const unsigned queue = events_.next_slot();
    events_.set(queue, never);
    Queue& q = queues_[queue];
    if (q.state == State::not_issued) {
      begin(queue, now);
      continue;
    }
    if (q.state == State::fetches) {
      await_grant(queue, now);
      continue;
    }
    const StreamCommand& c = command(q);
    if (q.state == State::copies) {
      release_links(queue);
      if (config_.completion != 0) {
        q.state = State::completes;
        events_.set(queue, now + config_.completion);
        continue;
      }
    }
    if (c.kind == Kind::copy) engines_.free(q.engine, now);
    if (c.kind == Kind::record) tell(c, now);
    if (c.kind == Kind::wait) around_.semaphores.acquired(now, c.semaphore);
    end(queue, now);
  }
}

void StreamProcessor::tell(const StreamCommand& c, Tick now) {
  around_.semaphores.released(now, c.semaphore);
  if (c.peer == config_.gpu)
    around_.semaphores.add(c.semaphore, now, now);
  else
    around_.hub.tell(c.peer, c.path, c.stream, c.semaphore, now);
}

void StreamProcessor::end(unsigned queue, Tick now) {
  Queue& q = queues_[queue];
  commands(now, {StreamCommandEvent::Kind::ended, &command(q), queue, q.engine, std::exchange(q.starved, 0)});
  ++q.head;
  probes_[queue].command(now, 0);
  around_.listener.command_ended(--left_, now);
  look(queue, now);
}

// ---- copies

void StreamProcessor::copy_done(const CopyCommand& command, Tick when) { events_.set(command.queue, when); }

void StreamProcessor::release_links(unsigned queue) {
  Queue& q = queues_[queue];
  q.starved = around_.hub.starved(q.copy.copy);
  around_.hub.close(q.copy.copy);
  if (config_.arbitration == CopyArbitration::in_turn) return;
  if (config_.arbitration == CopyArbitration::sticky && goes_on(q)) return;
  for (int& owner : owner_)
    if (owner == static_cast<int>(queue)) owner = no_queue;
}

/// True if the stream can go on to its next copy over the same path: only its own records and satisfied waits precede it.
bool StreamProcessor::goes_on(const Queue& q) const {
  const StreamCommand& last = command(q);
  for (std::size_t i = q.head + 1; i < q.commands.size(); ++i) {
    const StreamCommand& c = program_->commands[q.commands[i]];
    if (c.stream != last.stream) return false;
    if (c.kind == Kind::copy) return c.peer == last.peer && c.path == last.path;
    const bool there = c.kind == Kind::wait && around_.semaphores.reached(c.semaphore, c.value);
    if (c.kind != Kind::record && !there) return false;
  }
  return false;
}

int StreamProcessor::owner_of(unsigned queue) const {
  if (config_.arbitration == CopyArbitration::in_turn) return no_queue;
  const CopyCommand& c = queues_[queue].copy;
  for (std::uint32_t left = around_.hub.ports_to(c.peer, c.path); left != 0; left &= left - 1) {
    const int owner = owner_[first_of(left)];
    if (owner != no_queue && owner != static_cast<int>(queue)) return owner;
  }
  return no_queue;
}

bool StreamProcessor::grant(Tick now) {
  bool any = false;
  for (std::size_t i = 0; i < ready_.size() && engines_.any();) {
    const unsigned queue = ready_[i];
    const CopyCommand& ready = queues_[queue].copy;
    const std::optional<unsigned> engine = engines_.engine_for(around_.hub.ports_to(ready.peer, ready.path));
    if (!engine || !links_free(queue)) {
      ++i;
      continue;
    }
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
    Queue& q = queues_[queue];
    q.state = State::copies;
    q.engine = *engine;
    around_.hub.open(q.copy, around_.engines.source(q.engine));
    around_.hub.show_owner(q.copy, now);
    if (config_.arbitration != CopyArbitration::in_turn)
      for (std::uint32_t left = around_.hub.ports_to(q.copy.peer, q.copy.path); left != 0; left &= left - 1)
        owner_[first_of(left)] = static_cast<int>(queue);
    probes_[queue].stalled(now, 0);
    commands(now, {StreamCommandEvent::Kind::granted, &command(q), queue, q.engine});
    engines_.take(q.engine, now);
    if (around_.engines.submit(q.engine, q.copy, now)) engines_.free(q.engine, now);
    any = true;
  }
  return any;
}

// ---- reports and probes

std::string StreamProcessor::text(unsigned queue) const {
  const Queue& q = queues_[queue];
  const StreamCommand& c = command(q);
  const std::string stream = "stream " + std::to_string(c.stream) + " ", peer = "gpu" + std::to_string(c.peer);
  switch (q.state) {
    case State::idle:
      return "";
    case State::not_issued:
      return stream + "waits for the host to issue its next command";
    case State::waits_value:
      return stream + "waits for semaphore " + std::to_string(c.semaphore) + " to be " + std::to_string(c.value) +
             " (it is " + std::to_string(around_.semaphores.value(c.semaphore)) + "), to which " + peer + " adds";
    case State::waits_grant:
      if (links_free(queue)) return stream + "waits for a copy engine, to copy to " + peer;
      return stream + "waits for the links to " + peer + ", which queue " + std::to_string(owner_of(queue)) + " holds";
    case State::fetches:
      return stream + "fetches the descriptor of a copy to " + peer;
    case State::completes:
      return stream + "completes a copy to " + peer;
    case State::copies:
      return stream + "copies " + std::to_string(c.bytes) + (c.reads ? " B from " : " B to ") + peer;
    case State::busy:
      break;
  }
  constexpr const char* kinds[] = {"a copy", "a record", "a wait", "a kernel", "a switch of peer access"};
  return stream + "carries out " + kinds[static_cast<unsigned>(c.kind)];
}

std::vector<std::string> StreamProcessor::waiting() const {
  std::vector<std::string> lines;
  for (unsigned queue = 0; queue < queues_.size(); ++queue)
    if (queues_[queue].state != State::idle)
      lines.push_back("queue" + std::to_string(queue) + ": " + text(queue) + ", " +
                      std::to_string(queues_[queue].commands.size() - queues_[queue].head) + " commands left" +
                      waiting_since(queues_[queue].state == State::not_issued ? 0 : queues_[queue].since));
  return lines;
}

void StreamProcessor::reset() {
  for (Queue& q : queues_) q.commands.clear(), q.head = 0, q.state = State::idle;
  ready_.clear();
  engines_.reset();
  owner_.fill(no_queue);
  events_.clear();
  left_ = 0;
  program_ = nullptr;
}

void StreamProcessor::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add(prefix + "commands", commands, "a command of a stream begins, is granted its engine and links, or ends");
  engines_.describe(directory, prefix);
  for (unsigned q = 0; q < queues_.size(); ++q) {
    const std::string name = prefix + "queue" + std::to_string(q) + ".";
    directory.add_signal(name + "command", probes_[q].command, SignalKind::level, 3,
                         "command at its head: 1 copy, 2 record, 3 wait, 4 kernel, 5 peer switch; 0 none", command_names);
    directory.add_signal(name + "stalled", probes_[q].stalled, SignalKind::level, 1,
                         "its head waits for a value, an engine or links");
  }
}

}  // namespace tributary
