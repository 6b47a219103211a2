#include "modules/nic/nic.h"

#include "modules/base/element_limits.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include "modules/base/sysc/wait_error.h"
#include "modules/link/link_protocol.h"

namespace tributary {
namespace {

template <class Module, class Make>
std::unique_ptr<Module> make(const Nic::Factory<Module>& factory, const char* name, const NicCore::Config& config,
                             Make own) {
  return factory ? factory(name, config) : std::unique_ptr<Module>(own());
}

/// Returns the latency: the time that the access adds to a delay that begins at `now`.
template <class Socket, class Transaction>
Tick transport(Socket& socket, Transaction& transaction, Tick now) {
  sc_core::sc_time delay = to_sc_time(ahead_of_kernel(now));
  const sc_core::sc_time before = delay;
  try {
    socket->b_transport(transaction, delay);
  } catch (const sc_core::sc_report& report) {
    report_wait(report, "module", socket.name());
  }
  return (delay - before).value();
}

template <class Own, class Module>
bool is_own(const Module* module) {
  return module != nullptr && typeid(*module) == typeid(Own);
}
/// Returns true if the data of the module's answers follow.
bool defers_data(const sc_core::sc_module* module) {
  const auto* const deferring = dynamic_cast<const DeferringBlock*>(module);
  return deferring != nullptr && deferring->may_defer();
}

}  // namespace

Nic::Nic(const sc_core::sc_module_name& name, const NicCore::Config& config, const Parts& parts, PacketPool& pool,
         PayloadViews& views, CompletionListener& listener)
    : sc_module(name),
      compute_(config.steps ? make(parts.compute, "compute", config, [] { return new NicComputeEngine("compute"); })
                            : nullptr),
      reduction_(config.schedule.params.reduction, config.schedule.params.clock, static_cast<ReductionUnitPort*>(this)),
      rows_(this->name(), table_socket),
      late_sums_(std::string(this->name()) + ".reduction"),
      late_(std::string("the memory bound to ") + memory_socket.name()),
      core_(config, pool, views, listener,
            {rows_,
             reduction_,
             *this,
             parts.unit_adds_data,
             compute_ ? &compute_->unit() : nullptr,
             {&rows_.late(), &late_sums_, &late_}}),
      table_(make(parts.table, "table", config, [&] { return new ScheduleTable("table", config.table_entries); })),
      memory_(make(parts.memory, "memory", config,
                   [&] { return new DirectMemory("memory", config.schedule.params.memory.latency, config.schedule.node); })),
      reduction_unit_(make(parts.reduction_unit, "reduction", config,
                           [&] { return new ReductionUnit("reduction", config.schedule.params.reduction); })),
      own_memory_(dynamic_cast<MemoryModule*>(memory_.get())) {
  access_.offer(late_);
  table_socket.bind(*this);
  reduction_socket.bind(*this);
  memory_socket.bind(*this);
  if (table_) table_socket.bind(table_->socket);
  if (reduction_unit_) reduction_socket.bind(reduction_unit_->socket);
  if (memory_) memory_socket.bind(memory_->socket);
  if (!is_own<ScheduleTable>(table_.get())) rows_.set_foreign(defers_data(table_.get()));
  own_unit_ = is_own<ReductionUnit>(reduction_unit_.get());
  sums_follow_ = parts.unit_adds_data && defers_data(reduction_unit_.get());
}

void Nic::post(NicProgram program, Tick t0) {
  find_memory();
  if (program.table.reduces != 0) check_elements(reduction_unit_.get(), program.type, program.op, 2);
  program.table.loaded = kernel_now();
  rows_.clear();  // other initiators may load the table, too
  core_.post(std::move(program), t0);
}

void Nic::post_step(NicStep step, Tick t0) {
  find_memory();
  core_.post_step(std::move(step), t0);
}

void Nic::resize_memory(std::uint64_t bytes) {
  if (own_memory_ == nullptr) return;
  core_.set_memory(nullptr, false);
  own_memory_->resize(bytes);
}

/// Uses direct access if the memory grants it to all of its bytes.
void Nic::find_memory() {
  const bool holds_data = own_memory_ == nullptr || own_memory_->size() != 0;
  std::byte* const direct = holds_data ? access_.direct_memory(memory_socket) : nullptr;
  if (sums_follow_ && holds_data && direct == nullptr)
    throw std::invalid_argument(std::string(name()) +
                                ".reduction writes its sums later (legal: a memory that grants direct access)");
  core_.set_memory(direct, holds_data);
}

// ---- reduction unit

AccessTime Nic::add(Tick start, std::uint64_t elements, std::uint64_t number, AnswerListener& listener) {
  ReductionOperand chunk{elements, core_.type(), core_.op()};
  chunk.chunk = number;
  if (!own_unit_) chunk.late.ticket = late_sums_.count(), chunk.late.listener = &late_sums_;
  const Tick latency = transport(reduction_socket, chunk, start);
  if (__builtin_expect(chunk.late.part == nullptr, 1)) return {latency, chunk.timing.interval};
  const bool interval_follows = chunk.late.interval_follows;
  late_sums_.defer(*chunk.late.part, start, listener, false, interval_follows);
  return {never, interval_follows ? never : chunk.timing.interval};
}

void Nic::combine(std::byte* sum, const std::byte* data, std::uint64_t elements, ElementType type, ReduceOp op,
                  std::uint64_t chunk) {
  ReductionOperand operand{elements, type, op, sum, data};
  operand.chunk = chunk;
  transport(reduction_socket, operand, 0);
}

// ---- memory

AccessTime Nic::request(std::uint64_t address, std::uint64_t bytes, Tick now, AnswerListener& listener) {
  const AccessTime time =
      access_.transport(memory_socket, tlm::TLM_READ_COMMAND, address, nullptr, bytes, ahead_of_kernel(now));
  if (__builtin_expect(time.pending(), 0))
    late_.defer(*access_.part(), now, listener);
  else
    access_.check(memory_socket, "the request of a chunk");
  return time;
}

void Nic::read(std::uint64_t address, std::byte* data, unsigned bytes) {
  access_.transport(memory_socket, tlm::TLM_READ_COMMAND, address, data, bytes, 0);
  access_.check(memory_socket, "a read");
}

void Nic::write(std::uint64_t address, const std::byte* data, unsigned bytes) {
  access_.transport(memory_socket, tlm::TLM_WRITE_COMMAND, address, const_cast<std::byte*>(data), bytes, 0);
  access_.check(memory_socket, "a write");
}

// ---- reports

std::vector<std::string> Nic::waiting() const {
  std::vector<std::string> lines = core_.waiting();
  const auto add = [&](const char* part, const std::vector<std::string>& all) {
    for (const std::string& line : all) lines.push_back(std::string(part) + ": " + line);
  };
  if (table_) add("table", table_->waiting());
  if (reduction_unit_) add("reduction", reduction_unit_->waiting());
  if (memory_) add("memory", memory_->waiting());
  return lines;
}

void Nic::reset() {
  core_.reset();
  if (table_) table_->reset();
  if (reduction_unit_) reduction_unit_->reset();
  if (memory_) memory_->reset();
  late_.reset();
  late_sums_.reset();
  rows_.reset();
  reduction_.reset();
}

void Nic::describe(ProbeDirectory& directory) {
  core_.describe(directory, name());
  reduction_.describe(directory, std::string(name()) + ".reduction.");
  if (table_) table_->describe(directory);
  if (reduction_unit_) reduction_unit_->describe(directory);
  if (memory_) memory_->describe(directory);
}

}  // namespace tributary
