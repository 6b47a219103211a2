#pragma once
/// SignalPins: signals that bind to the ports of a module, and their values as the pins of a block.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <type_traits>
#include <utility>
#include <vector>

#include "modules/base/pin_table.h"
#include "modules/rtl/core/rtl_model.h"

namespace tributary {

/// Converts a value of a signal to bytes, least significant first. Ports are bool, an unsigned integer, sc_uint<N> or
/// sc_bv<N>: those that `verilator --sc` makes, and those of modules that are written by hand.
template <class T>
struct PinValue {
  static_assert(std::is_unsigned_v<T>, "a pin is bool, an unsigned integer, sc_uint<N> or sc_bv<N>");
  static constexpr unsigned bits = std::is_same_v<T, bool> ? 1 : 0;  // 0: the type has any width up to its own
  static T get(const std::uint8_t* bytes, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, std::min(size, sizeof value));
    return static_cast<T>(value);
  }
  static void set(const T& value, std::uint8_t* bytes, std::size_t size) {
    const std::uint64_t word = value;
    std::memcpy(bytes, &word, std::min(size, sizeof word));
  }
};
template <int W>
struct PinValue<sc_dt::sc_uint<W>> {
  static constexpr unsigned bits = W;
  static sc_dt::sc_uint<W> get(const std::uint8_t* bytes, std::size_t size) {
    return PinValue<std::uint64_t>::get(bytes, size);
  }
  static void set(const sc_dt::sc_uint<W>& value, std::uint8_t* bytes, std::size_t size) {
    PinValue<std::uint64_t>::set(value.to_uint64(), bytes, size);
  }
};
template <int W>
struct PinValue<sc_dt::sc_bv<W>> {
  static constexpr unsigned bits = W;
  static sc_dt::sc_bv<W> get(const std::uint8_t* bytes, std::size_t size) {
    sc_dt::sc_bv<W> value;
    for (std::size_t at = 0; at < size; at += 4) {
      sc_dt::sc_digit word = 0;
      std::memcpy(&word, bytes + at, std::min<std::size_t>(4, size - at));
      value.set_word(static_cast<int>(at / 4), word);
    }
    return value;
  }
  static void set(const sc_dt::sc_bv<W>& value, std::uint8_t* bytes, std::size_t size) {
    for (std::size_t at = 0; at < size; at += 4) {
      const sc_dt::sc_digit word = value.get_word(static_cast<int>(at / 4));
      std::memcpy(bytes + at, &word, std::min<std::size_t>(4, size - at));
    }
  }
};

/// Names and widths are those of a pin table. All calls but bind() belong to one process.
class SignalPins {
 public:
  /// `block`: name in errors.
  SignalPins(std::string block, const PinTable& table, PinParameters parameters);

  /// Binds a port of the block: pins("s_id", module.s_id). Makes a signal of that name. Throws std::invalid_argument for a
  /// pin that the table lacks, or of another width or direction.
  template <class T>
  void operator()(const char* name, sc_core::sc_in<T>& port) {
    bind<T>(name, true, port);
  }
  template <class T>
  void operator()(const char* name, sc_core::sc_out<T>& port) {
    bind<T>(name, false, port);
  }

  /// Pins in memory.
  const PinSet& pins() const { return pins_; }
  /// Writes the inputs of the block that have changed in memory. Returns false if there are none.
  bool write();
  /// Reads the outputs of the block into memory.
  void read();
  /// Sets the outputs in memory to 0.
  void clear();

 private:
  struct Pin {
    virtual ~Pin() = default;
    virtual bool write() = 0;
    virtual void read() = 0;
    std::vector<std::uint8_t> bytes;
  };
  template <class T>
  struct TypedPin : Pin {
    TypedPin(const char* name, std::size_t size) : signal(name) { bytes.resize(size), written.resize(size); }
    bool write() override {
      if (bytes == written) return false;
      written = bytes;
      signal.write(PinValue<T>::get(bytes.data(), bytes.size()));
      return true;
    }
    void read() override { PinValue<T>::set(signal.read(), bytes.data(), bytes.size()); }
    sc_core::sc_signal<T> signal;
    std::vector<std::uint8_t> written;
  };

  template <class T, class Port>
  void bind(const char* name, bool to_block, Port& port) {
    const std::size_t size = check(name, to_block, PinValue<T>::bits, 8 * sizeof(T));
    auto pin = std::make_unique<TypedPin<T>>(name, size);
    port.bind(pin->signal);
    pins_.add(name, pin->bytes.data(), size);
    (to_block ? inputs_ : outputs_).push_back(std::move(pin));
  }
  /// Returns the bytes of a pin in memory. `bits`: width of the port; 0: any up to `most`.
  std::size_t check(const char* name, bool to_block, unsigned bits, std::size_t most) const;

  std::string block_;
  const PinTable& table_;
  PinParameters parameters_;
  PinSet pins_;
  std::vector<std::unique_ptr<Pin>> inputs_, outputs_;
};

}  // namespace tributary
