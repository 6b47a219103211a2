#pragma once
/// ProgramAgent: base class of the host agents of a NetReducePlatform.

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "platforms/netreduce/host_program.h"

namespace tributary {

/// A connection of a GPU, as the programs of that GPU number it.
struct GpuConnection {
  static constexpr int by_nic = -1;
  int gpu = by_nic;        ///< GPU of the same host at the other end; by_nic: the other end is in another host
  unsigned pair = 0;       ///< queue pair of the NIC, or number of this connection in the programs of the other GPU
  std::uint64_t base = 0;  ///< start of the other end's memory in the memory of its host
  bool ring = false;       ///< carries messages of NetReduce
};

/// Carries out the programs of the endpoints of one host. The platform holds agents of all roles by this class; what one
/// role alone needs has a default here.
class ProgramAgent {
 public:
  virtual ~ProgramAgent() = default;
  ProgramAgent(const ProgramAgent&) = delete;
  ProgramAgent& operator=(const ProgramAgent&) = delete;

  /// Carries out `program` as GPU `gpu` of the host, from exactly `t0` on. Throws std::logic_error on a stage that this
  /// agent does not have.
  virtual void post(unsigned gpu, HostProgram program, Tick t0) = 0;
  /// Adds a connection over the NIC. Returns its number in the programs of `gpu`: here the number of its queue pair.
  virtual unsigned add_connection(unsigned /*gpu*/, const GpuConnection& connection) { return connection.pair; }
  /// Connects two GPUs of the host. Returns the number of the connection in the programs of each. Throws std::logic_error if
  /// the agent has one GPU.
  virtual std::pair<unsigned, unsigned> connect_gpus(unsigned /*from*/, unsigned /*to*/) {
    throw std::logic_error("an agent of one GPU has no connections inside of its host");
  }
  /// Returns what the host's software has added since the last reset.
  virtual HostAdditions additions() const { return {}; }
  /// GPU g has the memory from g times `bytes` on.
  virtual void set_stride(std::uint64_t /*bytes*/) {}

 protected:
  ProgramAgent() = default;
};

}  // namespace tributary
