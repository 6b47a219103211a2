// Copies that the receiver carries out, as a change of the programs of senders and receivers.
#include <catch2/catch.hpp>
#include <string>

#include "testbench/codegen/reading_copies.h"

namespace tributary::test_reading_copies {
namespace {

using Kind = StreamCommand::Kind;

StreamCommand command(Kind kind, unsigned stream, unsigned peer, std::uint32_t semaphore, std::uint32_t value = 0) {
  StreamCommand c;
  c.kind = kind, c.stream = static_cast<std::uint16_t>(stream), c.peer = static_cast<std::uint16_t>(peer);
  c.semaphore = semaphore, c.value = value;
  return c;
}
StreamCommand copy(unsigned stream, unsigned peer, std::uint64_t at) {
  StreamCommand c = command(Kind::copy, stream, peer, 0);
  c.source = at, c.destination = at + 1000, c.bytes = 128;
  return c;
}

/// Returns `wait s1>=2 | read 0 from gpu5 | record s0`, with the stream before each command.
std::string text(const StreamProgram& program) {
  std::string all;
  for (const StreamCommand& c : program.commands) {
    all += (all.empty() ? "" : " | ") + std::to_string(c.stream) + " ";
    const std::string semaphore = "s" + std::to_string(c.semaphore), peer = "gpu" + std::to_string(c.peer);
    if (c.kind == Kind::wait) all += "wait " + semaphore + ">=" + std::to_string(c.value);
    if (c.kind == Kind::record) all += "record " + semaphore + " of " + peer;
    if (c.kind == Kind::copy) all += (c.reads ? "read " : "copy ") + std::to_string(c.source) + " " + peer;
    if (c.kind == Kind::kernel) all += "kernel";
  }
  return all;
}

}  // namespace

TEST_CASE("reading copies: the sender records in place of its copies, and the receiver reads before it waits", "[pure]") {
  StreamProgram sender, receiver;
  sender.streams = 1;
  receiver.streams = 1, receiver.semaphores = 1;
  for (const std::uint64_t at : {0, 128}) {
    sender.commands.push_back(copy(0, 7, at));
    sender.commands.push_back(command(Kind::record, 0, 7, 0));
  }
  receiver.commands = {command(Kind::wait, 0, 5, 0, 1), command(Kind::kernel, 0, 0, 0), command(Kind::wait, 0, 5, 0, 2)};
  const auto made = reading_copies({sender, receiver}, {5, 7}, 32);
  CHECK(text(made[0]) == "0 record s1 of gpu7 | 0 record s1 of gpu7");
  CHECK(text(made[1]) ==
        "1 wait s1>=1 | 1 read 0 gpu5 | 1 record s0 of gpu7 | 0 wait s0>=1 | 0 kernel | "
        "1 wait s1>=2 | 1 read 128 gpu5 | 1 record s0 of gpu7 | 0 wait s0>=2");
  CHECK(made[1].streams == 2);
  CHECK(made[1].semaphores == 2);
  CHECK(made[1].commands[1].destination == 1000);
  CHECK(made[1].commands[1].bytes == 128);
}

TEST_CASE("reading copies: all records of a semaphore move, and copies without a record stay", "[pure]") {
  StreamProgram sender, receiver;
  sender.streams = 2;
  receiver.streams = 1, receiver.semaphores = 1;
  sender.commands = {command(Kind::record, 0, 1, 0), copy(0, 1, 0), copy(0, 1, 128), command(Kind::record, 0, 1, 0),
                     copy(1, 1, 256)};
  receiver.commands = {command(Kind::wait, 0, 0, 0, 2)};
  const auto made = reading_copies({sender, receiver}, {0, 1}, 32);
  CHECK(text(made[0]) == "0 record s1 of gpu1 | 0 record s1 of gpu1 | 1 copy 256 gpu1");
  CHECK(text(made[1]) ==
        "1 wait s1>=1 | 1 record s0 of gpu1 | 1 wait s1>=2 | 1 read 0 gpu0 | 1 read 128 gpu0 | 1 record s0 of gpu1 | "
        "0 wait s0>=2");
}

TEST_CASE("reading copies: reads share a stream for each sender if there are too few queues", "[pure]") {
  StreamProgram sender, receiver;
  sender.streams = 2;
  receiver.streams = 1, receiver.semaphores = 2;
  for (const unsigned stream : {0, 1}) {
    sender.commands.push_back(copy(stream, 1, 128 * stream));
    sender.commands.push_back(command(Kind::record, stream, 1, stream));
  }
  receiver.commands = {command(Kind::wait, 0, 0, 0, 1), command(Kind::wait, 0, 0, 1, 1)};
  CHECK(reading_copies({sender, receiver}, {0, 1}, 3)[1].streams == 3);
  const auto made = reading_copies({sender, receiver}, {0, 1}, 2);
  CHECK(made[1].streams == 2);
  CHECK(text(made[0]) == "0 record s2 of gpu1 | 1 record s3 of gpu1");
  CHECK(text(made[1]) ==
        "1 wait s2>=1 | 1 read 0 gpu0 | 1 record s0 of gpu1 | 0 wait s0>=1 | "
        "1 wait s3>=1 | 1 read 128 gpu0 | 1 record s1 of gpu1 | 0 wait s1>=1");
}

}  // namespace tributary::test_reading_copies
