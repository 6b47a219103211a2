#pragma once
/// Programs of streams, written by hand.

#include <algorithm>
#include <vector>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// Builds a program of streams command by command.
class StreamScript {
 public:
  StreamProgram program{};

  StreamScript& copy(unsigned stream, unsigned peer, std::uint64_t bytes, std::uint64_t source = 0,
                     std::uint64_t destination = 0) {
    StreamCommand& c = add(StreamCommand::Kind::copy, stream, peer);
    c.bytes = bytes, c.source = source, c.destination = destination;
    return *this;
  }
  StreamScript& record(unsigned stream, unsigned peer, unsigned semaphore) {
    add(StreamCommand::Kind::record, stream, peer).semaphore = semaphore;
    return *this;
  }
  StreamScript& wait(unsigned stream, unsigned semaphore, unsigned value = 1, unsigned peer = 0) {
    StreamCommand& c = add(StreamCommand::Kind::wait, stream, peer);
    c.semaphore = semaphore, c.value = value;
    program.semaphores = std::max(program.semaphores, semaphore + 1);
    return *this;
  }
  StreamScript& kernel(unsigned stream, std::uint64_t bytes, std::uint64_t destination, std::vector<std::uint64_t> inputs) {
    StreamCommand& c = add(StreamCommand::Kind::kernel, stream, 0);
    c.bytes = bytes, c.destination = destination;
    c.input_count = static_cast<std::uint8_t>(inputs.size());
    std::copy(inputs.begin(), inputs.end(), c.inputs);
    return *this;
  }
  StreamScript& peer_switch(unsigned stream, unsigned gpus) {
    add(StreamCommand::Kind::peer_switch, stream, 0).value = gpus;
    return *this;
  }
  StreamScript& semaphores(unsigned count) {
    program.semaphores = std::max<std::uint32_t>(program.semaphores, count);
    return *this;
  }

 private:
  StreamCommand& add(StreamCommand::Kind kind, unsigned stream, unsigned peer) {
    StreamCommand& c = program.commands.emplace_back();
    c.kind = kind;
    c.stream = static_cast<std::uint16_t>(stream);
    c.peer = static_cast<std::uint16_t>(peer);
    program.streams = std::max(program.streams, stream + 1);
    return c;
  }
};

}  // namespace tributary
