#include "modules/protocol/flit_code.h"

#include <string>

namespace tributary {
namespace {

class BitWriter {
 public:
  void put(const char* field, unsigned value, unsigned bits) {
    if (value >> bits != 0)
      throw std::out_of_range(std::string(field) + " " + std::to_string(value) + " has more than " + std::to_string(bits) +
                              " bits");
    bits_ |= static_cast<std::uint64_t>(value) << at_;
    at_ += bits;
  }
  std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
  unsigned at_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::uint64_t bits) : bits_(bits) {}
  template <class T>
  T take(unsigned bits) {
    const auto value = static_cast<T>(bits_ & ((std::uint64_t{1} << bits) - 1));
    bits_ >>= bits;
    return value;
  }

 private:
  std::uint64_t bits_;
};

}  // namespace

std::uint64_t FlitFormat::encode(const FlitControl& f) const {
  BitWriter w;
  w.put("vc", f.vc, vc_bits);
  w.put("code", static_cast<unsigned>(f.code), code_bits);
  if (!is_head(f.code)) return w.bits();
  if (is_normal(f.code)) {
    w.put("destination", f.destination, node_bits_);
    w.put("source", f.source, node_bits_);
  } else {
    w.put("next port", f.route.next, port_bits_);
    w.put("eject port", f.route.eject, port_bits_);
    w.put("tree", f.tree, node_bits_);
  }
  return w.bits();
}

FlitControl FlitFormat::decode(std::uint64_t bits) const {
  BitReader r(bits);
  FlitControl f;
  f.vc = r.take<std::uint8_t>(vc_bits);
  f.code = static_cast<FlitCode>(r.take<std::uint8_t>(code_bits));
  if (!is_head(f.code)) return f;
  if (is_normal(f.code)) {
    f.destination = r.take<std::uint16_t>(node_bits_);
    f.source = r.take<std::uint16_t>(node_bits_);
  } else {
    f.route.next = r.take<std::uint8_t>(port_bits_);
    f.route.eject = r.take<std::uint8_t>(port_bits_);
    f.tree = r.take<std::uint16_t>(node_bits_);
  }
  return f;
}

}  // namespace tributary
