#include "modules/gpu/core/engine_table.h"

namespace tributary {

void EngineTable::attach(unsigned seat, GpuEngine& engine, const std::string& name) {
  entries_.at(seat) = {&engine, name, engine.scope()};
  take(entries_[seat].scope.opcodes, engine);
  if (engine.nic() != nullptr) nic_ = engine.nic();
  for (unsigned k = 0; k < by_kind_.size(); ++k)
    if ((entries_[seat].scope.tasks >> k & 1u) != 0) by_kind_[k] = &engine;
}

void EngineTable::take(std::uint32_t opcodes, GpuEngine& engine) {
  for (unsigned i = 0; i < by_opcode_.size(); ++i)
    if ((opcodes >> i & 1u) != 0) by_opcode_[i] = &engine;
}

void EngineTable::check_kinds(const TaskProgram& program) const {
  for (const DeviceTask& task : program.tasks)
    if (by_kind_[static_cast<std::size_t>(task.kind)] == nullptr)
      throw std::invalid_argument("no engine of this GPU executes tasks of this kind");
}

void EngineTable::load(const GpuProgram& program) {
  if (program.tasks) check_kinds(*program.tasks);
  runner_ = nullptr;
  std::uint32_t opcodes = 0;
  for (const Entry& e : entries_) {
    take(e.scope.opcodes, *e.engine);
    if (e.engine->load(program) && runner_ == nullptr) runner_ = e.engine, opcodes = e.scope.program_opcodes;
  }
  if (runner_ == nullptr) throw std::invalid_argument("no engine of this GPU runs this kind of program");
  take(opcodes | EngineScope::bit_of(Opcode::ack), *runner_);
}

void EngineTable::run(EngineTimer timer, Tick now) {
  for (unsigned seat = 0; seat < entries_.size(); ++seat) {
    if (due(timer)[seat] > now) continue;
    due(timer)[seat] = never;
    entries_[seat].engine->run(now, timer);
  }
}

void EngineTable::add_waiting(std::vector<std::string>& lines) const {
  for (const Entry& e : entries_)
    for (std::string& line : e.engine->waiting()) lines.push_back(std::move(line));
}

void EngineTable::reset() {
  for (const Entry& e : entries_) e.engine->reset();
  for (auto& due : due_) due.fill(never);
  multiprocessors_of_.fill(0);
  offers_ = multiprocessors_ = 0;
}

void EngineTable::reseed(std::uint64_t seed) {
  for (const Entry& e : entries_) e.engine->reseed(seed);
}

void EngineTable::describe(ProbeDirectory& directory, const std::string& gpu) {
  for (const Entry& e : entries_) e.engine->describe(directory, gpu + "." + e.name);
}

void EngineTable::count(std::map<std::string, double>& counters) const {
  for (const Entry& e : entries_) e.engine->count(counters);
}

}  // namespace tributary
