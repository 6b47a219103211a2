#include "modules/streams/core/program_check.h"

#include <stdexcept>
#include <string>

namespace tributary {
namespace {

class Check {
 public:
  Check(const StreamProgram& program, const ProgramLimits& limits) : program_(program), limits_(limits) {}

  void step(const ChannelStep& s) const {
    if (s.reads_own || s.stores) memory(s.own, s.bytes);
    if (s.reads_input) memory(s.input, s.bytes);
    if (s.arrivals != 0) semaphore(s.arrived);
    if (s.grants != 0) semaphore(s.granted);
    if (s.peer != ChannelStep::none) route(s.peer, s.path);
    if (s.giver != ChannelStep::none) route(s.giver, s.arrived_by);
    if (s.reads_own && s.reads_input) whole_elements("a sum", s.bytes);
  }
  void command(const StreamCommand& c) const {
    using Kind = StreamCommand::Kind;
    if (c.kind == Kind::copy) route(c.peer, c.path), memory(c.reads ? c.destination : c.source, c.bytes);
    if (c.kind == Kind::record && c.peer != limits_.gpu) route(c.peer, c.path);
    if (c.kind == Kind::wait || (c.kind == Kind::record && c.peer == limits_.gpu)) semaphore(c.semaphore);
    if (c.kind == Kind::kernel) kernel(c);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument("gpu" + std::to_string(limits_.gpu) + ": " + why);
  }
  void memory(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t size = limits_.memory;
    if (size != 0 && (address > size || bytes > size - address))
      refuse(std::to_string(bytes) + " B at address " + std::to_string(address) + " of a memory of " + std::to_string(size) +
             " B");
  }
  void semaphore(std::uint32_t number) const {
    if (number >= program_.semaphores)
      refuse("semaphore " + std::to_string(number) + " of " + std::to_string(program_.semaphores));
  }
  void route(std::uint16_t peer, CopyPath path) const {
    constexpr const char* paths[] = {"NVLink", "PCIe", "the network"};
    if (!limits_.reaches(peer, path))
      refuse("no path to gpu" + std::to_string(peer) + " over " + paths[static_cast<unsigned>(path)]);
  }
  void whole_elements(const char* what, std::uint64_t bytes) const {
    if (bytes % element_size(program_.type) != 0)
      refuse(std::string(what) + " of " + std::to_string(bytes) + " B (legal: whole elements)");
  }
  void kernel(const StreamCommand& c) const {
    if (c.input_count == 0 || c.input_count > StreamCommand::max_inputs)
      refuse("a kernel of " + std::to_string(c.input_count) + " inputs (legal: 1 to " +
             std::to_string(StreamCommand::max_inputs) + ")");
    whole_elements("a kernel", c.bytes);
    memory(c.destination, c.bytes);
    for (unsigned i = 0; i < c.input_count; ++i) memory(c.inputs[i], c.bytes);
  }

  const StreamProgram& program_;
  const ProgramLimits& limits_;
};

}  // namespace

void check_program(const StreamProgram& program, const ProgramLimits& limits) {
  const Check check(program, limits);
  for (const ChannelStep& s : program.steps) check.step(s);
  for (const StreamCommand& c : program.commands) check.command(c);
}

}  // namespace tributary
