#pragma once
/// in_parts: work on the blocks of a buffer, divided among threads.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace tributary::workload {

/// Calls `part(first, end, index)` for consecutive parts of the blocks 0 to blocks - 1: part 0 on this thread, each other
/// one on a thread of its own. There are at most `threads` parts, with at least `least` blocks each. Rethrows the exception
/// of the first part that has thrown.
template <class Part>
void in_parts(std::uint64_t blocks, unsigned threads, std::uint64_t least, Part&& part) {
  const std::uint64_t parts = std::max<std::uint64_t>(1, std::min<std::uint64_t>(threads, blocks / least));
  std::vector<std::exception_ptr> errors(parts);
  const auto run = [&](std::uint64_t i) {
    try {
      part(blocks * i / parts, blocks * (i + 1) / parts, static_cast<unsigned>(i));
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::uint64_t i = 1; i < parts; ++i) others.emplace_back(run, i);
  run(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace tributary::workload
