#pragma once
/// Short forms of the tests of monitors: right requests, and the line of the first breach.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/wrong_block.h"
#include "modules/nvswitch/core/table_monitor.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

/// Returns the line of the first breach of `action`; empty if there is none.
template <class Action>
std::string breach_of(Action action) {
  try {
    action();
  } catch (const WrongBlock& breach) {
    return breach.what();
  }
  return "";
}

/// The limit of latencies is 1 us.
inline BlockMonitor::Setup monitor_setup(std::string place) { return {std::move(place), 1'000'000, {}}; }

/// A request and its answer, in the order of a run.
template <class Monitor, class Transaction>
void access(Monitor& monitor, const Transaction& asked, const Transaction& answered, Tick now = 0, Tick latency = 0,
            Tick interval = 0) {
  monitor.ask(asked, now);
  monitor.check(answered, interval, latency);
}

/// A reduction table at a port of 25 GB/s, 640 ps a flit, whose answers a test gives.
struct MonitoredPort {
  using Command = TableTransaction::Command;
  using Answer = TableTransaction::Answer;

  static BlockMonitor::Setup setup() {
    BlockMonitor::Setup setup = monitor_setup("dgx2.switch0_2.port5.table");
    setup.config.add("line_rate", FieldValue::Kind::number).number = 25'000'000'000;
    return setup;
  }
  Packet* operand(std::uint64_t block, Opcode opcode = Opcode::red_write, unsigned bytes = block_bytes) {
    Packet* p = pool.make(bytes, false);
    nv(*p).address = block * block_bytes, nv(*p).count = 1, nv(*p).opcode = opcode, nv(*p).source = 3;
    return p;
  }
  /// Asks for the next operand, which begins when the one before it has passed.
  TableTransaction ask(Command command, std::uint64_t block, unsigned expected = 16) {
    TableTransaction t;
    t.command = command, t.expected = static_cast<std::uint16_t>(expected), t.address = block * block_bytes;
    if (command == Command::push) t.packet = operand(block);
    if (command == Command::collect) t.packet = operand(block, Opcode::rsp);
    now += 9 * 640;
    t.now = now;
    t.next_timeout = now + 2'000'000;
    monitor.ask(t, now);
    return t;
  }
  void answer(TableTransaction t, Answer answer) {
    t.answer = answer;
    check(t);
  }
  void check(const TableTransaction& t, Tick latency = 0) { monitor.check(t, t.timing.interval, latency); }
  /// Pushes operands that the table keeps.
  void push(std::uint64_t block, unsigned operands, unsigned expected = 16) {
    for (unsigned i = 0; i < operands; ++i)
      answer(ask(Command::push, block, expected), i == 0 ? Answer::inserted : Answer::merged);
  }
  /// Answers the last operand with a sum.
  TableTransaction completed(TableTransaction t, std::uint64_t block, unsigned count) {
    t.answer = Answer::completed, t.result = operand(block), t.count = static_cast<std::uint16_t>(count);
    return t;
  }

  PacketPool pool{NvLink{}};
  TableMonitor monitor{setup()};
  Tick now = 1'000'000;
};

}  // namespace tributary
