#pragma once
/// PayloadBuffer: payloads of gradients in banks by rank; each bank allows one read and one write in a cycle (Liu et al.,
/// Fig. 8).

#include <cstring>
#include <vector>

#include "modules/netreduce/core/part_port.h"

namespace tributary {

/// All banks are read in parallel, 64 B of each in a cycle. The pipeline counts these cycles, so accesses add no time.
class PayloadBuffer : public PayloadPort {
 public:
  AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick) override {
    if (address + bytes > storage_.size()) storage_.resize(address + bytes);
    std::memcpy(storage_.data() + address, data, bytes);
    return {};
  }
  AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick) override {
    std::memcpy(data, storage_.data() + address, bytes);
    return {};
  }
  const std::byte* direct() const override { return storage_.data(); }
  std::uint64_t size() const { return storage_.size(); }

 private:
  std::vector<std::byte> storage_ = std::vector<std::byte>(64);  // never empty, so that it has an address
};

}  // namespace tributary
