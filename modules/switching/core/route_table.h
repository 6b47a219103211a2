#pragma once
/// RouteTable: deterministic routing: the output port towards a GPU or a switch of the plane, by the trunk that the address
/// selects.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tributary {

/// The trunk index depends on the address only, so unicast paths to all destinations share their upward path, and a
/// multicast (the union of unicast paths) branches only at or below its top switch
/// (docs/systems/klenk.md#multicast-regions).
class RouteTable {
 public:
  RouteTable(unsigned gpus, unsigned switches, unsigned trunks)
      : trunks_(trunks), to_gpu_(gpus * trunks, none), to_switch_(switches * trunks, none) {}

  void set_gpu(unsigned gpu, unsigned trunk, unsigned port) {
    to_gpu_.at(gpu * trunks_ + trunk) = static_cast<std::uint8_t>(port);
  }
  void set_switch(unsigned index, unsigned trunk, unsigned port) {
    to_switch_.at(index * trunks_ + trunk) = static_cast<std::uint8_t>(port);
  }
  unsigned to_gpu(unsigned gpu, unsigned trunk) const { return look_up(to_gpu_, gpu, trunk); }
  unsigned to_switch(unsigned index, unsigned trunk) const { return look_up(to_switch_, index, trunk); }
  unsigned trunks() const { return trunks_; }
  /// Adds the ports towards a GPU, or a switch, over all trunks.
  void add_ports(bool to_switch, unsigned index, std::vector<unsigned>& ports) const {
    for (unsigned trunk = 0; trunk < trunks_; ++trunk)
      if (const std::uint8_t port = (to_switch ? to_switch_ : to_gpu_)[index * trunks_ + trunk]; port != none)
        ports.push_back(port);
  }

 private:
  static constexpr std::uint8_t none = 0xFF;
  unsigned look_up(const std::vector<std::uint8_t>& table, unsigned index, unsigned trunk) const {
    const std::uint8_t port = table[index * trunks_ + trunk];
    if (port == none) throw std::logic_error("no route to node " + std::to_string(index));
    return port;
  }
  unsigned trunks_;
  std::vector<std::uint8_t> to_gpu_, to_switch_;
};

}  // namespace tributary
