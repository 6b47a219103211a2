#include "testbench/codegen/stream_writer.h"

#include <algorithm>

#include "testbench/collective/schedule/schedule.h"

namespace tributary {

std::uint16_t StreamWriter::stream(const StreamKey& key) {
  if (streams_.size() > 0xFFFF) throw collective::ScheduleError("streams: a GPU has more than 65536 streams");
  return streams_.try_emplace(key, static_cast<std::uint16_t>(streams_.size())).first->second;
}

std::uint32_t StreamWriter::new_semaphore() {
  recorded_.push_back(0);
  awaited_.push_back(0);
  recorder_.push_back(self_);
  return static_cast<std::uint32_t>(recorded_.size() - 1);
}

std::uint32_t StreamWriter::semaphore(const StreamKey& key) {
  const auto found = semaphores_.find(key);
  return found != semaphores_.end() ? found->second : semaphores_[key] = new_semaphore();
}

StreamCommand StreamWriter::command(StreamCommand::Kind kind, std::uint16_t stream) const {
  StreamCommand c;
  c.kind = kind;
  c.stream = stream;
  c.peer = self_;
  c.chunk = chunk_;
  return c;
}

void StreamWriter::copy(std::uint16_t stream, CopyPath path, std::uint16_t peer, std::uint64_t source,
                        std::uint64_t destination, std::uint64_t bytes) {
  StreamCommand c = command(StreamCommand::Kind::copy, stream);
  c.path = path, c.peer = peer;
  c.source = source, c.destination = destination, c.bytes = bytes;
  commands_.push_back(c);
}

std::uint32_t StreamWriter::record(std::uint16_t stream, CopyPath path, StreamWriter& other, std::uint32_t semaphore) {
  StreamCommand c = command(StreamCommand::Kind::record, stream);
  c.path = path, c.peer = other.self_;
  c.semaphore = semaphore;
  commands_.push_back(c);
  other.recorder_.at(semaphore) = self_;
  return ++other.recorded_.at(semaphore);
}

void StreamWriter::wait(std::uint16_t stream, std::uint32_t semaphore, std::uint32_t value) {
  StreamCommand c = command(StreamCommand::Kind::wait, stream);
  c.semaphore = semaphore;
  c.peer = recorder_.at(semaphore);
  c.value = value;
  awaited_.at(semaphore) = std::max(awaited_.at(semaphore), value);
  commands_.push_back(c);
}

void StreamWriter::add(std::uint16_t stream, std::uint64_t destination, std::uint64_t bytes,
                       const std::vector<std::uint64_t>& inputs, unsigned fan_in) {
  for (std::size_t first = 0; first < inputs.size(); first += fan_in) {
    StreamCommand c = command(StreamCommand::Kind::kernel, stream);
    c.destination = destination, c.bytes = bytes;
    c.input_count = static_cast<std::uint8_t>(std::min<std::size_t>(fan_in, inputs.size() - first));
    for (std::size_t i = 0; i < c.input_count; ++i) c.inputs[i] = inputs[first + i];
    commands_.push_back(c);
  }
}

void StreamWriter::switch_peers_before(const std::vector<std::uint16_t>& streams, std::uint32_t gpus) {
  if (streams.empty()) return;
  std::vector<StreamCommand> first{command(StreamCommand::Kind::peer_switch, streams.front())};
  first.back().value = gpus;
  if (streams.size() > 1) {
    const std::uint32_t switched = new_semaphore();
    first.push_back(command(StreamCommand::Kind::record, streams.front()));
    first.back().semaphore = switched;
    for (std::size_t s = 1; s < streams.size(); ++s) {
      first.push_back(command(StreamCommand::Kind::wait, streams[s]));
      first.back().semaphore = switched;
      first.back().value = 1;
    }
  }
  commands_.insert(commands_.begin(), first.begin(), first.end());
}

void StreamWriter::stagger(const std::vector<std::uint32_t>& turn, int rank, int ranks) {
  std::vector<int> behind(streams_.size(), ranks);  // streams without a peer come last
  for (const auto& [key, stream] : streams_)
    if (const int peer = std::get<1>(key); peer >= 0) behind[stream] = (peer - rank - 1 + ranks) % ranks;
  const auto place = [&](const StreamCommand& c) {
    const std::uint32_t last = StreamCommand::no_chunk;
    return std::pair(c.chunk == StreamCommand::no_chunk ? last : turn.at(c.chunk), behind[c.stream]);
  };
  std::stable_sort(commands_.begin(), commands_.end(),
                   [&](const StreamCommand& a, const StreamCommand& b) { return place(a) < place(b); });
  std::vector<int> number(streams_.size(), -1);
  int numbers = 0;
  for (StreamCommand& c : commands_) {
    if (number[c.stream] < 0) number[c.stream] = numbers++;
    c.stream = static_cast<std::uint16_t>(number[c.stream]);
  }
  for (auto& [key, stream] : streams_) stream = static_cast<std::uint16_t>(number[stream] < 0 ? numbers++ : number[stream]);
}

StreamProgram StreamWriter::finish(ElementType type, ReduceOp op) {
  StreamProgram program;
  program.commands = std::move(commands_);
  program.streams = static_cast<std::uint32_t>(streams_.size());
  program.semaphores = static_cast<std::uint32_t>(recorded_.size());
  program.type = type;
  program.op = op;
  return program;
}

}  // namespace tributary
