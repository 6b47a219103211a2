#include "modules/rtl/core/payload_places.h"

#include <stdexcept>
#include <utility>

#include "modules/netreduce/core/payload_buffer_pins.h"

namespace tributary {

PayloadPlaces::PayloadPlaces(std::string name, const RtlBlock& block, const AcceleratorParams& params)
    : name_(std::move(name)),
      ranks_(parameter(payload_buffer_pins(), block, "RANKS")),
      beats_(parameter(payload_buffer_pins(), block, "BEATS")),
      rows_(block.parameters.count("ROWS") != 0 ? block.parameters.at("ROWS") : std::uint64_t{1} << 32) {
  if (params.beat.value != row_bytes)
    throw std::invalid_argument(name_ + ": a payload buffer in RTL has rows of 64 B (netreduce.accelerator.beat is " +
                                to_string(params.beat) + ")");
}

PayloadPlaces::Place PayloadPlaces::find(std::uint64_t address, unsigned rows) const {
  const std::uint64_t payload = address / (beats_ * row_bytes), row = payload / ranks_ * beats_;
  if (address % (beats_ * row_bytes) != 0 || rows > beats_ || row + rows > rows_)
    throw std::invalid_argument(name_ + ": the payload buffer in RTL has no payload of " + std::to_string(rows) +
                                " rows at address " + std::to_string(address) + " (legal: " + std::to_string(beats_) +
                                " rows of 64 B, below row " + std::to_string(rows_) + ")");
  return {static_cast<unsigned>(payload % ranks_), row};
}

}  // namespace tributary
