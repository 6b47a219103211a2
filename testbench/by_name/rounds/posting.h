#pragma once
/// Posting: a posted collective, from the call to its result.

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "testbench/by_name/post_options.h"
#include "testbench/run/run_spec.h"
#include "testbench/workload/given_operands.h"

namespace tributary {

class MachineRounds;

struct Posting {
  enum class State { waits, runs, done };

  JobSpec job;
  Bytes message;
  Time asked;                             ///< earliest start
  bool alone = false;                     ///< shares its round with no other collective
  std::optional<GivenOperands> operands;  ///< empty: generated data
  MachineRounds* machine = nullptr;       ///< null once the machine is destroyed
  State state = State::waits;
  Tick start = 0, end = 0;
  std::vector<Tick> end_of;  ///< by rank
  std::string failure;       ///< report of the first endpoint that has failed
  sc_core::sc_event finished;
  std::optional<std::uint64_t> wrong;  ///< known once it has been asked for, or the memories have been reused
  std::optional<std::vector<std::vector<std::byte>>> results;  ///< by rank, once the memories have been reused
};

}  // namespace tributary
