// Modules at the sockets of a NIC, replaced from outside: on two NICs alone, and on a whole platform.
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/base/sysc/base_protocol_checker.h"
#include "testbench/family/schedule_nic/network_lowering.h"
#include "testbench/harness/nic_pair.h"
#include "testbench/harness/table_loader.h"
#include "testbench/run/completion.h"
#include "testbench/test/harness/own_nic_modules.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/buffers.h"
#include "testbench/workload/reference_data.h"

namespace tributary::test_nic_modules {
namespace {

constexpr std::uint32_t chunk = 256;
constexpr Tick t0 = 1'000'000;

/// Node n contributes 10 + n.
void run(NicPair& pair) {
  for (std::uint16_t n = 0; n < 2; ++n) pair.fill(n, 10 + n);
  for (std::uint16_t n = 0; n < 2; ++n) pair.node(n).post(pair.program(n), t0);
}

}  // namespace

TEST_CASE("NIC modules: a user's table at the NIC's socket is read, reset and reported", "[block][nic]") {
  std::vector<SparseTable*> tables;
  Nic::Parts own;
  own.table = [&](const char* name, const NicCore::Config&) {
    auto table = std::make_unique<SparseTable>(name);
    tables.push_back(table.get());
    return table;
  };
  NicPair plain("plain", {}, chunk), swapped("swapped", own, chunk);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run(plain), run(swapped);
  sc_core::sc_start();
  REQUIRE(tables.size() == 2);
  // Each step has a row, and the row after the first step is read with it, back to back: 40 ns once, and none later.
  for (unsigned n = 0; n < 2; ++n) {
    CHECK(swapped.finished().when(n) == plain.finished().when(n) + 40'000);
    CHECK(tables[n]->reads == 4);  // to determine the dependencies, and in steps
    for (std::size_t i = 0; i < 2 * chunk / 4; ++i) CHECK(swapped.value(n, i) == 21);
  }
  tables[0]->stuck = "row 3 is stuck";
  CHECK(swapped.node(0).waiting() == std::vector<std::string>{"swapped0.nic.table: row 3 is stuck"});
  ProbeDirectory directory;
  swapped.node(1).describe(directory);
  CHECK(directory.entries().count("swapped1.nic.table.asked") == 1);
  swapped.node(0).reset();
  CHECK((tables[0]->resets == 1 && tables[1]->resets == 0));
  CHECK(swapped.packets().live() == 0);
}

TEST_CASE("NIC modules: the interval of a table delays the next row, and is ignored by software", "[block][nic]") {
  std::vector<SparseTable*> tables;
  Nic::Parts own;
  own.table = [&](const char* name, const NicCore::Config&) {
    auto table = std::make_unique<SparseTable>(name);
    table->interval = 7'000;
    tables.push_back(table.get());
    return table;
  };
  NicPair plain("plain", {}, chunk), swapped("swapped", own, chunk);
  TableLoader software("software");
  software.socket.bind(tables[0]->socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK(software.write(3, {}));  // its payload has no RequestInterval
  run(plain), run(swapped);
  sc_core::sc_start();
  // two rows: (2 - 1) x 7 ns + 40 ns
  for (unsigned n = 0; n < 2; ++n) CHECK(swapped.finished().when(n) == plain.finished().when(n) + 47'000);
}

TEST_CASE("NIC modules: software loads the NIC's table over its socket and starts it by the number of rows",
          "[block][nic]") {
  std::vector<TargetModule<>*> tables;
  Nic::Parts parts;
  parts.table = [&](const char* name, const NicCore::Config& c) {
    auto table = std::make_unique<ScheduleTable>(name, c.table_entries);
    tables.push_back(table.get());
    return table;
  };
  NicPair pair("pair", parts, chunk);
  TableLoader loaders[] = {TableLoader("loader0"), TableLoader("loader1")};
  for (unsigned n = 0; n < 2; ++n) loaders[n].socket.bind(tables[n]->socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint16_t n = 0; n < 2; ++n) {
    pair.fill(n, 10 + n);
    for (std::uint64_t row = 0; row < 2; ++row) CHECK(loaders[n].write(row, pair.rows(n)[row]));
    CHECK_FALSE(loaders[n].write(4, {}));  // it has four rows
    pair.node(n).post(pair.loaded_program(), t0);
  }
  sc_core::sc_start();
  for (unsigned n = 0; n < 2; ++n)
    for (std::size_t i = 0; i < 2 * chunk / 4; ++i) CHECK(pair.value(n, i) == 21);
}

TEST_CASE("NIC modules: a user's reduction unit adds the data in its own time", "[block][nic]") {
  Nic::Parts own;
  own.reduction_unit = [](const char* name, const NicCore::Config&) { return std::make_unique<OddUnit>(name); };
  own.unit_adds_data = true;
  NicPair plain("plain", {}, chunk), swapped("swapped", own, chunk);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run(plain), run(swapped);
  sc_core::sc_start();
  // Each NIC waits for the other's gather, which waits for the sum.
  for (unsigned n = 0; n < 2; ++n) {
    CHECK(swapped.finished().when(n) == plain.finished().when(n) + 1'000'000);
    for (std::size_t i = 0; i < 2 * chunk / 4; ++i) CHECK(swapped.value(n, i) == 22);
  }
}

TEST_CASE("NIC modules: a user's memory without direct access may be bound to the NIC's socket", "[block][nic]") {
  Nic::Parts own;
  own.memory = [](const char*, const NicCore::Config&) { return nullptr; };
  NicPair plain("plain", {}, chunk), swapped("swapped", own, chunk);
  ShyMemory memories[] = {ShyMemory("memory0"), ShyMemory("memory1")};
  BaseProtocolChecker checkers[] = {BaseProtocolChecker("checker0"), BaseProtocolChecker("checker1")};
  for (unsigned n = 0; n < 2; ++n) {
    swapped.nic(n).memory_socket.bind(checkers[n].in);
    checkers[n].out.bind(memories[n].socket);
    memories[n].resize(2 * chunk);
    const std::vector<std::int32_t> values(2 * chunk / 4, 10 + static_cast<std::int32_t>(n));
    std::memcpy(memories[n].data(), values.data(), 2 * chunk);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run(plain);
  for (std::uint16_t n = 0; n < 2; ++n) swapped.node(n).post(swapped.program(n), t0);
  sc_core::sc_start();
  for (unsigned n = 0; n < 2; ++n) {
    // 70 ns for the chunk of each of the two steps
    CHECK(swapped.finished().when(n) == plain.finished().when(n) + 140'000);
    CHECK(memories[n].accesses == 5);  // two packets sent, one added (read and write), one stored
    std::int32_t last;
    std::memcpy(&last, memories[n].data() + 2 * chunk - 4, 4);
    CHECK(last == 21);
    checkers[n].finish();
    CHECK(to_text(checkers[n].breaches()) == "");
  }
}

TEST_CASE("NIC modules: table, reduction unit and memory of all NICs of a platform may be replaced from outside",
          "[system][networks]") {
  const JobSpec job = collective_spec("allreduce", "multitree", first_gpus(16), {}).jobs[0];
  const Bytes message = 32_KiB;
  Completion completion;
  std::vector<SparseTable*> tables;
  std::vector<ShyMemory*> memories;
  ScheduleNicPlatform::Config config;
  config.params.nic.table.entries = 32;
  config.parts.table = [&](const char* name, const NicCore::Config&) {
    auto table = std::make_unique<SparseTable>(name);
    tables.push_back(table.get());
    return table;
  };
  config.parts.memory = [&](const char* name, const NicCore::Config&) {
    auto memory = std::make_unique<ShyMemory>(name);
    memories.push_back(memory.get());
    return memory;
  };
  config.parts.reduction_unit = [](const char* name, const NicCore::Config& c) {
    return std::make_unique<ReductionUnit>(name, c.schedule.params.reduction);
  };
  config.parts.unit_adds_data = true;
  ScheduleNicPlatform system("torus", topology::network("torus:4x4"), config, completion);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  LoweredNetwork lowered = lower_network(job, message, proved_schedule(job, system.network(), 2), system);
  const auto memory_of = [&](int rank) { return system.memory_of(static_cast<unsigned>(rank)); };
  for (unsigned n = 0; n < 16; ++n) system.resize_memory(n, lowered.memory_bytes);
  const workload::DataSpec data{job.type, workload::Values::exact, 1, job.op};
  fill_buffers(job, message, data, memory_of);
  completion.expect(16);
  const Tick start = ScheduleNicPlatform::command_latency(config.params);
  for (unsigned n = 0; n < 16; ++n) system.node(n).post(std::move(lowered.work[n]), start);
  sc_core::sc_start();
  CHECK(completion.all_done());
  CHECK(count_wrong(collective_of(job.collective).result(job, message), data, memory_of) == 0);
  CHECK(system.waiting().empty());
  for (const SparseTable* table : tables) CHECK(table->rows.size() == 25);
  for (const ShyMemory* memory : memories) CHECK(memory->accesses > 0);
  CHECK((tables.size() == 16 && memories.size() == 16));
}

}  // namespace tributary::test_nic_modules
