#pragma once
/// StagedWork: a job of several servers in stages by packets: operations of the servers, and work of the NICs between them.

#include <cstdint>
#include <functional>
#include <vector>

#include "modules/gpu/core/gpu_program.h"
#include "testbench/workload/job.h"

namespace tributary {

class StagedWork {
 public:
  /// Returns the queue pair of a rank to another one.
  using Pair = std::function<std::uint32_t(std::size_t from, std::size_t to)>;
  /// Number of a ring, and the queue pairs of its members to the next one and from the one before, by server.
  struct Ring {
    std::uint16_t number = 0;
    std::vector<std::uint32_t> send, receive;
  };

  virtual ~StagedWork() = default;
  /// Returns the operations within the servers, with the tasks of each rank; without operations, the tasks alone.
  const JobSpec& operations() const { return operations_; }
  virtual bool has_operations() const = 0;
  /// Returns the programs of a job without operations.
  std::vector<GpuProgram> programs() const;
  /// Returns the bytes of the message in the memory of each GPU.
  virtual std::uint64_t buffer_bytes() const = 0;
  /// Returns the bytes that each GPU needs beside those of the operations.
  virtual std::uint64_t mailbox_bytes() const = 0;
  /// Adds the work of the NIC of each rank to its program. `mailboxes`: address of the mailboxes in the memory of each GPU.
  virtual void add_rails(std::vector<GpuProgram>& programs, std::uint64_t mailboxes, const Pair& pair) const = 0;
  /// Returns the number of GPUs of a server, each with a ring of its own if accelerators add; else 0.
  virtual std::size_t rings() const { return 0; }
  /// As add_rails(), where rings() is not 0; `rings`: by place in a server.
  virtual void add_rings(std::vector<GpuProgram>& /*programs*/, std::uint64_t /*mailboxes*/,
                         const std::vector<Ring>& /*rings*/) const {}

 protected:
  explicit StagedWork(const JobSpec& job) : operations_(job) {}

  JobSpec operations_;
};

}  // namespace tributary
