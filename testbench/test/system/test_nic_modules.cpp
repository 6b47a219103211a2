// What stands behind the sockets of a NIC, swapped from outside: on two NICs alone, and on a whole platform.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "testbench/family/schedule_nic/network_lowering.h"
#include "testbench/run/completion.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/buffers.h"
#include "testbench/workload/reference_data.h"

using namespace tributary;

namespace {

using Op = ScheduleEntry::Op;
constexpr std::uint16_t nil = ScheduleEntry::nil;
constexpr std::uint32_t chunk = 256;

/// A table that keeps only what is written, and takes 40 ns for a row.
class SparseTable : public TargetModule<> {
 public:
  using TargetModule::TargetModule;
  std::map<std::uint64_t, EntryCode> rows;
  unsigned reads = 0, resets = 0;
  std::string stuck;
  SignalProbe asked;

  std::vector<std::string> waiting() const override {
    return stuck.empty() ? std::vector<std::string>{} : std::vector<std::string>{stuck};
  }
  void reset() override { ++resets, rows.clear(); }
  void describe(ProbeDirectory& directory) override {
    directory.add_signal(std::string(name()) + ".asked", asked, SignalKind::strobe, 16, "row");
  }

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    EntryCode& row = rows[t.get_address() / sizeof(EntryCode)];
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    if (t.is_write()) {
      std::memcpy(row.data(), t.get_data_ptr(), sizeof row);
      return;
    }
    std::memcpy(t.get_data_ptr(), row.data(), sizeof row);
    ++reads;
    delay += sc_core::sc_time(40, sc_core::SC_NS);
  }
};

/// Adds one too much, and takes a microsecond for a chunk.
class OddUnit : public TargetModule<ReductionProtocol> {
 public:
  using TargetModule::TargetModule;

 private:
  void b_transport(ReductionOperand& o, sc_core::sc_time& delay) override {
    if (o.data == nullptr) return void(delay += sc_core::sc_time(1, sc_core::SC_US));
    for (std::size_t i = 0; i < o.elements; ++i) {
      std::int32_t sum, operand;
      std::memcpy(&sum, o.sum + 4 * i, 4), std::memcpy(&operand, o.data + 4 * i, 4);
      sum += operand + 1;
      std::memcpy(o.sum + 4 * i, &sum, 4);
    }
  }
};

/// Grants no direct access.
class ShyMemory : public MemoryModule {
 public:
  explicit ShyMemory(const sc_core::sc_module_name& name) : MemoryModule(name) {}
  void resize(std::uint64_t bytes) override { bytes_.assign(bytes, std::byte{0}); }
  std::uint64_t size() const override { return bytes_.size(); }
  std::byte* data() override { return bytes_.data(); }
  unsigned accesses = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override {
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    if (t.get_data_ptr() == nullptr) return void(delay += sc_core::sc_time(70, sc_core::SC_NS));
    ++accesses;
    std::byte* const place = bytes_.data() + t.get_address();
    if (t.is_read()) std::memcpy(t.get_data_ptr(), place, t.get_data_length());
    if (t.is_write()) std::memcpy(place, t.get_data_ptr(), t.get_data_length());
  }
  std::vector<std::byte> bytes_;
};

class Finished : public CompletionListener {
 public:
  void done(unsigned nic, Tick when) override { when_[nic] = when; }
  void failed(unsigned, Tick, const std::string&) override {}
  Tick when(unsigned nic) const { return when_.at(nic); }

 private:
  std::map<unsigned, Tick> when_;
};

/// Two NICs with a router and a link each, joined: no platform.
struct Pair {
  Pair(const std::string& name, const Nic::Parts& parts) {
    for (std::uint16_t n = 0; n < 2; ++n) {
      NetworkNode::Config c;
      c.parts = parts;
      c.router.core.ports = c.router.core.interfaces = 1;
      c.router.core.latency = 3000;
      c.router.core.rate = c.router.link.rate = 16_GBps;
      c.router.core.port_names = {"port0"};
      c.router.core.ways.to.resize(2);
      c.router.core.ways.to[1 - n].port = 0;
      c.router.link.latency = 150_ns;
      c.router.max_flits = 17;
      c.router.buffer_flits = 318;
      NicCore::Config& nic = c.nic.emplace();
      nic.schedule = {n, NicParams{}, 16_GBps, FlowControlParams{}};
      nic.table_entries = 4;
      nic.interface_of = {0, 0};
      nodes.push_back(std::make_unique<NetworkNode>((name + std::to_string(n)).c_str(), c, pool, views, host));
    }
    const LinkEnd a = nodes[0]->link_end(0), b = nodes[1]->link_end(0);
    a.out.bind(b.in);
    b.out.bind(a.in);
  }
  ~Pair() {
    for (auto& node : nodes) node->reset();
  }
  /// The two chunks of rank n are full of 10 + n.
  void fill(unsigned n) {
    nodes[n]->nic()->resize_memory(2 * chunk);
    const std::vector<std::int32_t> values(2 * chunk / 4, 10 + static_cast<std::int32_t>(n));
    std::memcpy(nodes[n]->nic()->memory(), values.data(), 2 * chunk);
  }
  std::int32_t value(unsigned n, std::size_t element) {
    std::int32_t v;
    std::memcpy(&v, nodes[n]->nic()->memory() + 4 * element, 4);
    return v;
  }
  PacketPool pool{ScheduleNicLink{}};
  PayloadViews views;
  Finished host;
  std::vector<std::unique_ptr<NetworkNode>> nodes;
};

/// Of an all-reduce of two: each sends the other's chunk up, and its own down.
std::vector<ScheduleEntry> rows_of(std::uint16_t n) {
  const auto other = static_cast<std::uint16_t>(1 - n);
  return {{Op::reduce, other, other, {nil, nil, nil, nil}, 1, other * std::uint64_t{chunk}, chunk},
          {Op::gather, n, nil, {other, nil, nil, nil}, 2, n * std::uint64_t{chunk}, chunk}};
}
NicProgram program_of(std::uint16_t n) {
  NicProgram p;
  p.table.entries = rows_of(n);
  p.table.reduces = p.table.gathers = 1;
  p.type = ElementType::i32;
  return p;
}

constexpr Tick t0 = 1'000'000;
void run(Pair& pair) {
  for (std::uint16_t n = 0; n < 2; ++n) pair.fill(n);
  for (std::uint16_t n = 0; n < 2; ++n) pair.nodes[n]->post(program_of(n), t0);
}

}  // namespace

TEST_CASE("a table of the user's own behind the NIC's socket is read, reset and asked", "[block][nic]") {
  std::vector<SparseTable*> tables;
  Nic::Parts own;
  own.table = [&](const char* name, const NicCore::Config&) {
    auto table = std::make_unique<SparseTable>(name);
    tables.push_back(table.get());
    return table;
  };
  Pair plain("plain", {}), swapped("swapped", own);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run(plain), run(swapped);
  sc_core::sc_start();
  REQUIRE(tables.size() == 2);
  // Each step has a row, and the row behind the first step is read with it: 80 ns, and none later.
  for (unsigned n = 0; n < 2; ++n) {
    CHECK(swapped.host.when(n) == plain.host.when(n) + 80'000);
    CHECK(tables[n]->reads == 4);  // to find out what is waited for, and in steps
    for (std::size_t i = 0; i < 2 * chunk / 4; ++i) CHECK(swapped.value(n, i) == 21);
  }
  tables[0]->stuck = "row 3 is stuck";
  CHECK(swapped.nodes[0]->waiting() == std::vector<std::string>{"swapped0.nic.table: row 3 is stuck"});
  ProbeDirectory directory;
  swapped.nodes[1]->describe(directory);
  CHECK(directory.entries().count("swapped1.nic.table.asked") == 1);
  swapped.nodes[0]->reset();
  CHECK((tables[0]->resets == 1 && tables[1]->resets == 0));
  CHECK(swapped.pool.live() == 0);
}

TEST_CASE("software loads the NIC's table over its socket, and starts it by the number of rows", "[block][nic]") {
  struct Loader : sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<32> socket{"socket"};
    explicit Loader(const sc_core::sc_module_name& name) : sc_module(name) { socket.bind(*this); }
    bool write(std::uint64_t row, EntryCode code) {
      tlm::tlm_generic_payload t;
      t.set_write();
      t.set_address(row * sizeof code);
      t.set_data_ptr(reinterpret_cast<unsigned char*>(code.data()));
      t.set_data_length(sizeof code);
      t.set_streaming_width(sizeof code);
      sc_core::sc_time delay;
      socket->b_transport(t, delay);
      return t.is_response_ok();
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
      return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };
  std::vector<TargetModule<>*> tables;
  Nic::Parts parts;
  parts.table = [&](const char* name, const NicCore::Config& c) {
    auto table = std::make_unique<ScheduleTable>(name, c.table_entries);
    tables.push_back(table.get());
    return table;
  };
  Pair pair("pair", parts);
  Loader loaders[] = {Loader("loader0"), Loader("loader1")};
  for (unsigned n = 0; n < 2; ++n) loaders[n].socket.bind(tables[n]->socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint16_t n = 0; n < 2; ++n) {
    pair.fill(n);
    for (std::uint64_t row = 0; row < 2; ++row) CHECK(loaders[n].write(row, encode(rows_of(n)[row])));
    CHECK_FALSE(loaders[n].write(4, EntryCode{}));  // it has four
    NicProgram p = program_of(n);
    p.table.rows = 2;
    p.table.entries.clear();
    pair.nodes[n]->post(p, t0);
  }
  sc_core::sc_start();
  for (unsigned n = 0; n < 2; ++n)
    for (std::size_t i = 0; i < 2 * chunk / 4; ++i) CHECK(pair.value(n, i) == 21);
}

TEST_CASE("a reduction unit of the user's own adds the data, and takes its time", "[block][nic]") {
  Nic::Parts own;
  own.reduction_unit = [](const char* name, const NicCore::Config&) { return std::make_unique<OddUnit>(name); };
  own.unit_adds_data = true;
  Pair plain("plain", {}), swapped("swapped", own);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run(plain), run(swapped);
  sc_core::sc_start();
  // 64 elements take the model's own unit a cycle of 1 ns; each NIC waits for the other's gather, which waits for the sum.
  for (unsigned n = 0; n < 2; ++n) {
    CHECK(swapped.host.when(n) == plain.host.when(n) + 1'000'000 - 1000);
    for (std::size_t i = 0; i < 2 * chunk / 4; ++i) CHECK(swapped.value(n, i) == 22);
  }
}

TEST_CASE("a memory of the user's own may be bound to the NIC's socket, without direct access", "[block][nic]") {
  Nic::Parts own;
  own.memory = [](const char*, const NicCore::Config&) { return nullptr; };
  Pair plain("plain", {}), swapped("swapped", own);
  ShyMemory memories[] = {ShyMemory("memory0"), ShyMemory("memory1")};
  for (unsigned n = 0; n < 2; ++n) {
    swapped.nodes[n]->nic()->memory_socket.bind(memories[n].socket);
    memories[n].resize(2 * chunk);
    const std::vector<std::int32_t> values(2 * chunk / 4, 10 + static_cast<std::int32_t>(n));
    std::memcpy(memories[n].data(), values.data(), 2 * chunk);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  run(plain);
  for (std::uint16_t n = 0; n < 2; ++n) swapped.nodes[n]->post(program_of(n), t0);
  sc_core::sc_start();
  for (unsigned n = 0; n < 2; ++n) {
    // 70 ns for the chunk of each of the two steps
    CHECK(swapped.host.when(n) == plain.host.when(n) + 140'000);
    CHECK(memories[n].accesses == 5);  // two packets sent, one added (read and write), one stored
    std::int32_t last;
    std::memcpy(&last, memories[n].data() + 2 * chunk - 4, 4);
    CHECK(last == 21);
  }
}

TEST_CASE("table, reduction unit and memory of all NICs of a platform, swapped from outside", "[system][networks]") {
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
    return std::make_unique<ReductionUnit>(name, c.schedule.params.reduction, c.schedule.params.clock);
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
