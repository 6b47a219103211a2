#pragma once
/// MpiGroup: the processes that mpirun has started.

#include "modules/base/host/process_group.h"

namespace tributary {

/// Initialises MPI; one object in a process. An error of MPI ends all processes.
class MpiGroup : public ProcessGroup {
 public:
  MpiGroup(int& argc, char**& argv);
  ~MpiGroup() override;
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }
  void exchange(const std::vector<ByteRow>& out, std::vector<ByteRow>& in) override;
  void least(std::uint64_t* values, std::size_t count) override;
  std::vector<ByteRow> gather(const ByteRow& own) override;

  /// Ends all processes with that exit code, although they may wait for this one.
  [[noreturn]] static void end_all(int code);

 private:
  unsigned rank_ = 0, size_ = 1;
};

}  // namespace tributary
