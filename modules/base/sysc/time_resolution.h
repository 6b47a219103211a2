#pragma once
/// require_picoseconds(): the time resolution of SystemC must be 1 ps, as times are converted without a factor.

namespace tributary {

/// Ends the process with exit code 2 and one line on standard error if the time resolution is not 1 ps. It may be called at
/// any time, and does not fix the resolution. Devices, sockets and waveforms call it when they are constructed, and devices
/// and sockets again before the simulation starts, because the resolution may be set in between.
void require_picoseconds();

}  // namespace tributary
