#pragma once
/// trace(): shows a sc_signal of the user's own in the waveform of a run, next to the signals of the model.

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <type_traits>
#include <vector>

#include "testbench/observe/waveform.h"

namespace tributary {

/// Width and bits of the values of a signal. bool, integers, enumerations, float, double, sc_int, sc_uint, sc_bigint,
/// sc_biguint and sc_bv have them; a user may specialise it for another type.
template <class T, class = void>
struct SignalValue;

template <class T>
struct SignalValue<T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>> {
  static constexpr SignalKind kind = SignalKind::level;
  static constexpr unsigned width = std::is_same_v<T, bool> ? 1 : 8 * sizeof(T);
  static std::uint64_t word(const T& value, unsigned) {
    return static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - width));
  }
};

template <class T>
struct SignalValue<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr SignalKind kind = SignalKind::real;
  static constexpr unsigned width = 64;
  static std::uint64_t word(const T& value, unsigned) { return VcdWriter::bits_of(static_cast<double>(value)); }
};

template <int bits>
struct SignalValue<sc_dt::sc_uint<bits>> {
  static constexpr SignalKind kind = SignalKind::level;
  static constexpr unsigned width = bits;
  static std::uint64_t word(const sc_dt::sc_uint<bits>& value, unsigned) { return value.to_uint64(); }
};

template <int bits>
struct SignalValue<sc_dt::sc_int<bits>> {
  static constexpr SignalKind kind = SignalKind::level;
  static constexpr unsigned width = bits;
  static std::uint64_t word(const sc_dt::sc_int<bits>& value, unsigned) {
    return static_cast<std::uint64_t>(value.to_int64()) & (~std::uint64_t{0} >> (64 - bits));
  }
};

/// Vectors of any width: word n has the bits from 64 n on.
template <class Vector, int bits>
struct VectorValue {
  static constexpr SignalKind kind = SignalKind::level;
  static constexpr unsigned width = bits;
  static std::uint64_t word(const Vector& value, unsigned n) {
    std::uint64_t all = 0;
    for (int bit = 0; bit < 64 && static_cast<int>(64 * n) + bit < bits; ++bit)
      all |= static_cast<std::uint64_t>(bool(value[static_cast<int>(64 * n) + bit].to_bool())) << bit;
    return all;
  }
};
template <int bits>
struct SignalValue<sc_dt::sc_bv<bits>> : VectorValue<sc_dt::sc_bv<bits>, bits> {};
template <int bits>
struct SignalValue<sc_dt::sc_biguint<bits>> : VectorValue<sc_dt::sc_biguint<bits>, bits> {};
template <int bits>
struct SignalValue<sc_dt::sc_bigint<bits>> : VectorValue<sc_dt::sc_bigint<bits>, bits> {};

/// Records the changes of a signal.
template <class T>
class SignalTrace : public sc_core::sc_module {
 public:
  SignalTrace(const sc_core::sc_module_name& name, Waveform& waveform, const sc_core::sc_signal_in_if<T>& signal,
              const std::string& shown)
      : sc_module(name), waveform_(waveform), signal_(signal) {
    constexpr unsigned width = SignalValue<T>::width, words = (width + 63) / 64;
    for (unsigned n = 0; n < words; ++n)
      words_.push_back(waveform.add(words == 1 ? shown : shown + "_" + std::to_string(n), SignalValue<T>::kind,
                                    n + 1 < words ? 64 : width - 64 * n));
    SC_HAS_PROCESS(SignalTrace);
    SC_METHOD(record);
    sensitive << signal.value_changed_event();
  }

 private:
  void record() {
    for (unsigned n = 0; n < words_.size(); ++n)
      waveform_.change(words_[n], sc_core::sc_time_stamp().value(), SignalValue<T>::word(signal_.read(), n));
  }

  Waveform& waveform_;
  const sc_core::sc_signal_in_if<T>& signal_;
  std::vector<VcdWriter::Signal> words_;
};

/// Shows `signal` under its hierarchical name, or `name`. A signal of more than 64 bits has a wire NAME_n for each 64 bits
/// from 64 n on. Call it during elaboration; the signal must outlive the waveform's last change.
template <class T>
void trace(Waveform& waveform, const sc_core::sc_signal_in_if<T>& signal, const std::string& name = {}) {
  const auto* const object = dynamic_cast<const sc_core::sc_object*>(&signal);
  const std::string shown = !name.empty() ? name : object != nullptr ? object->name() : "signal";
  waveform.keep(std::make_shared<SignalTrace<T>>(sc_core::sc_gen_unique_name("signal_trace"), waveform, signal, shown));
}

}  // namespace tributary
