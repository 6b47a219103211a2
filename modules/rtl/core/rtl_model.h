#pragma once
/// RtlModel: a block in RTL as C++ calls it: pins in memory, and a function that settles the logic.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace tributary {

/// Storage of a pin, little-endian; bits above the pin's width are 0.
struct PinBytes {
  std::uint8_t* data = nullptr;
  std::size_t size = 0;

  explicit operator bool() const { return data != nullptr; }
};

/// Pins of a model by name.
class PinSet {
 public:
  /// Adds a pin that is kept in an integer or in an array of words, as Verilator declares them.
  template <class Storage>
  void operator()(const char* name, Storage& pin) {
    static_assert(std::is_trivially_copyable_v<Storage>, "a pin is an integer or an array of words");
    add(name, reinterpret_cast<std::uint8_t*>(&pin), sizeof pin);
  }
  void add(const char* name, std::uint8_t* data, std::size_t size) { pins_[name] = {data, size}; }
  /// Returns an empty pin if there is none of that name.
  PinBytes find(const std::string& name) const {
    const auto found = pins_.find(name);
    return found == pins_.end() ? PinBytes{} : found->second;
  }

 private:
  std::map<std::string, PinBytes> pins_;
};

class RtlModel {
 public:
  RtlModel() = default;
  virtual ~RtlModel() = default;
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;

  PinSet pins;

  /// Settles the logic after pins have changed; registers follow a rising edge of `clk`.
  virtual void eval() = 0;
  /// Writes the state of all registers to `state`. Returns false if the model cannot do that.
  virtual bool save(std::vector<std::uint8_t>& state) const {
    state.clear();
    return false;
  }
  /// Restores a state that save() has written.
  virtual void restore(const std::vector<std::uint8_t>&) {}

  /// True if the model was built with a trace of all signals within it.
  virtual bool can_trace() const { return false; }
  /// Opens the trace. Throws std::invalid_argument if the file cannot be written.
  virtual void open_trace(const std::string& /*file*/) {}
  virtual bool traces() const { return false; }
  /// Writes the signals at `time`, in ps, to the trace. Earlier times than before are ignored.
  virtual void trace(std::uint64_t /*time*/) {}
};

}  // namespace tributary
