// Convenience sockets, and a recorder of them, between the socket of a device and a table.
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>

#include "modules/base/sysc/plain_target.h"

namespace tributary::test_plain_target {
namespace {

struct Doubling {
  int number = 0;
};
using Protocol = TableProtocol<Doubling>;

void answer(Doubling& t, sc_core::sc_time& delay) {
  t.number *= 2;
  delay += sc_core::sc_time(3, sc_core::SC_NS);
}

/// A block with a convenience socket.
struct Block : sc_core::sc_module {
  explicit Block(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Block::b_transport);
  }
  void b_transport(Doubling& t, sc_core::sc_time& delay) { answer(t, delay); }
  tlm_utils::passthrough_target_socket<Block, 32, Protocol> socket{"socket"};
};

/// A block with a socket for several initiators.
struct Shared : sc_core::sc_module {
  explicit Shared(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Shared::b_transport);
  }
  void b_transport(int, Doubling& t, sc_core::sc_time& delay) { answer(t, delay); }
  tlm_utils::multi_passthrough_target_socket<Shared, 32, Protocol> socket{"socket"};
};

/// A recorder of two convenience sockets, which knows neither end.
struct Recorder : sc_core::sc_module {
  explicit Recorder(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &Recorder::b_transport);
  }
  void b_transport(Doubling& t, sc_core::sc_time& delay) {
    record.push_back(t.number);
    out->b_transport(t, delay);
  }
  tlm_utils::passthrough_target_socket<Recorder, 32, Protocol> in{"in"};
  tlm_utils::simple_initiator_socket<Recorder, 32, Protocol> out{"out"};
  std::vector<int> record;
};

/// A table of this library.
struct Table : TableModule<Doubling> {
  explicit Table(const sc_core::sc_module_name& name) : TableModule(name) {}
  void b_transport(Doubling& t, sc_core::sc_time& delay) override { answer(t, delay); }
  std::vector<std::string> waiting() const override { return {"an operand"}; }
  void reset() override { ++resets; }
  void describe(ProbeDirectory& directory, const std::string& prefix) override {
    directory.add_signal(prefix + "asked", asked, SignalKind::level, 1, "");
  }
  unsigned resets = 0;
  SignalProbe asked;
};

/// A device with a socket.
struct Asker : sc_core::sc_module {
  explicit Asker(const sc_core::sc_module_name& name) : sc_module(name) {}
  TableInitiator<Doubling> socket{"socket"};
};

void check_answers(TableInitiator<Doubling>& socket) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Doubling t{21};
  CHECK(socket.access(t) == 3000);
  CHECK(t.number == 42);
}

}  // namespace

TEST_CASE("plain target: a block with a convenience socket binds to the socket of a device", "[block][tlm]") {
  Asker asker("asker");
  TableInitiator<Doubling>& socket = asker.socket;
  Block block("block");
  const auto module = plain_target("table", block.socket);
  socket.bind(module->socket);
  check_answers(socket);
  CHECK(socket.table()->waiting().empty());
  socket.table()->reset();
}

TEST_CASE("plain target: a block with a socket for several initiators binds twice", "[block][tlm]") {
  Asker asker("asker"), other_asker("other");
  TableInitiator<Doubling>&socket = asker.socket, &other = other_asker.socket;
  Shared block("block");
  const auto first = plain_target("first", block.socket), second = plain_target("second", block.socket);
  socket.bind(first->socket), other.bind(second->socket);
  check_answers(socket);
  Doubling t{4};
  CHECK(other.access(t) == 3000);
  CHECK(t.number == 8);
}

TEST_CASE("plain target: a recorder passes transactions on to a table, which keeps its reports", "[block][tlm]") {
  Asker asker("asker");
  TableInitiator<Doubling>& socket = asker.socket;
  Recorder recorder("recorder");
  Table table("table");
  const auto module = plain_target("before", recorder.in, static_cast<TableForward<Doubling>*>(&table));
  const auto end = plain_initiator<Doubling>("behind", table);
  socket.bind(module->socket), recorder.out.bind(end->in);
  check_answers(socket);
  CHECK(recorder.record == std::vector<int>{21});
  CHECK(socket.table()->waiting() == std::vector<std::string>{"an operand"});
  socket.table()->reset();
  CHECK(table.resets == 1);
  ProbeDirectory directory;
  socket.table()->describe(directory, "table.");
  CHECK(directory.entries().count("table.asked") == 1);
}

}  // namespace tributary::test_plain_target
