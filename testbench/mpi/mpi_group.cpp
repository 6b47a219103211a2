#include "testbench/mpi/mpi_group.h"

#define OMPI_SKIP_MPICXX 1  // the interface of C is enough
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace tributary {
namespace {

int number(std::size_t n) {
  if (n > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw std::length_error("processes exchange more than 2 GB at once");
  return static_cast<int>(n);
}

constexpr int tag = 1;

}  // namespace

MpiGroup::MpiGroup(int& argc, char**& argv) {
  int provided = 0, rank = 0, size = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank_ = static_cast<unsigned>(rank), size_ = static_cast<unsigned>(size);
}

MpiGroup::~MpiGroup() { MPI_Finalize(); }

void MpiGroup::end_all(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

// Messages of one process arrive in their order, so that one tag is enough.
void MpiGroup::exchange(const std::vector<ByteRow>& out, std::vector<ByteRow>& in) {
  std::vector<MPI_Request> sent;
  for (unsigned p = 0; p < size_; ++p)
    if (p != rank_)
      MPI_Isend(out[p].data(), number(out[p].size()), MPI_BYTE, static_cast<int>(p), tag, MPI_COMM_WORLD,
                &sent.emplace_back());
  for (unsigned p = 0; p < size_; ++p) {
    if (p == rank_) continue;
    MPI_Status status;
    int bytes = 0;
    MPI_Probe(static_cast<int>(p), tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    in[p].resize(static_cast<std::size_t>(bytes));
    MPI_Recv(in[p].data(), bytes, MPI_BYTE, static_cast<int>(p), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(number(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
}

void MpiGroup::least(std::uint64_t* values, std::size_t count) {
  MPI_Allreduce(MPI_IN_PLACE, values, number(count), MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
}

std::vector<ByteRow> MpiGroup::gather(const ByteRow& own) {
  std::vector<int> sizes(size_), places(size_);
  const int here = number(own.size());
  MPI_Allgather(&here, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::size_t total = 0;
  for (unsigned p = 0; p < size_; ++p) places[p] = number(total), total += static_cast<std::size_t>(sizes[p]);
  ByteRow all(total);
  MPI_Allgatherv(own.data(), here, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
  std::vector<ByteRow> rows;
  for (unsigned p = 0; p < size_; ++p) rows.emplace_back(all.begin() + places[p], all.begin() + places[p] + sizes[p]);
  return rows;
}

}  // namespace tributary
