#include "modules/nic/core/schedule_rows.h"

#include <algorithm>

namespace tributary {

bool ScheduleRows::write(std::uint64_t address, const std::byte* data, std::uint64_t bytes, Tick now) {
  if (!holds(address, bytes)) return false;
  if (bytes_.size() < address + bytes) bytes_.resize(address + bytes);
  std::copy_n(data, bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(address));
  written_(now, address / sizeof(EntryCode));
  return true;
}

bool ScheduleRows::read(std::uint64_t address, std::byte* data, std::uint64_t bytes, Tick now) const {
  if (!holds(address, bytes)) return false;
  std::fill_n(data, bytes, std::byte{0});
  if (address < bytes_.size())
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(address), std::min(bytes, bytes_.size() - address), data);
  read_(now, address / sizeof(EntryCode));
  return true;
}

void ScheduleRows::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "written", written_, SignalKind::strobe, counter_bits, "a row is written (its number)");
  directory.add_signal(prefix + "read", read_, SignalKind::strobe, counter_bits, "a row is read (its number)");
}

}  // namespace tributary
