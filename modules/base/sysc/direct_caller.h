#pragma once
/// DirectCaller: a device that calls parts by pointer although they have sockets.

namespace sc_core {
class sc_object;
}

namespace tributary {

/// The netlist asks each device for its parts. A part without a socket to its device needs no answer: there is no other way
/// to call it.
class DirectCaller {
 public:
  virtual ~DirectCaller() = default;
  /// True if the device calls `part`, a module below it, by pointer during a run.
  virtual bool calls_directly(const sc_core::sc_object& part) const = 0;
};

}  // namespace tributary
