#pragma once
/// Short forms of SimulatedMachine::post().

#include "testbench/by_name/simulated_machine.h"

namespace tributary {

inline Posted post(SimulatedMachine& machine, const std::string& collective, const std::string& algorithm, Bytes message,
                   const PostOptions& options = {}) {
  return machine.post(collective, algorithm, message, options);
}
/// Every rank receives the sum of all ranks' messages.
inline Posted post_allreduce(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                             const PostOptions& options = {}) {
  return machine.post("allreduce", algorithm, message, options);
}
/// Every rank receives the message of PostOptions::root.
inline Posted post_broadcast(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                             const PostOptions& options = {}) {
  return machine.post("broadcast", algorithm, message, options);
}
/// The ranks of PostOptions::targets receive the message of PostOptions::root.
inline Posted post_multicast(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                             const PostOptions& options) {
  return machine.post("multicast", algorithm, message, options);
}
/// PostOptions::root receives the sum of all ranks' messages.
inline Posted post_reduce(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                          const PostOptions& options = {}) {
  return machine.post("reduce", algorithm, message, options);
}
/// Every rank receives its slice of the sum of all ranks' messages.
inline Posted post_reduce_scatter(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                                  const PostOptions& options = {}) {
  return machine.post("reduce_scatter", algorithm, message, options);
}
/// Every rank receives the slices of all ranks.
inline Posted post_allgather(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                             const PostOptions& options = {}) {
  return machine.post("allgather", algorithm, message, options);
}
/// PostOptions::root receives the slices of all ranks.
inline Posted post_gather(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                          const PostOptions& options = {}) {
  return machine.post("gather", algorithm, message, options);
}
/// Every rank receives a slice from every rank.
inline Posted post_alltoall(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                            const PostOptions& options = {}) {
  return machine.post("alltoall", algorithm, message, options);
}
/// Every rank receives the message of the rank before it.
inline Posted post_sendrecv(SimulatedMachine& machine, const std::string& algorithm, Bytes message,
                            const PostOptions& options = {}) {
  return machine.post("sendrecv", algorithm, message, options);
}
/// No rank ends before every rank has started. `signal`: size of the packet that a rank sends.
inline Posted post_barrier(SimulatedMachine& machine, const std::string& algorithm, const PostOptions& options = {},
                           Bytes signal = 4_B) {
  return machine.post("barrier", algorithm, signal, options);
}

}  // namespace tributary
