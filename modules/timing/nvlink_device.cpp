/// Instantiates devices with NVLink-like links.

#include "modules/timing/windowed_device_impl.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

template class BasicWindowedDevice<NvLink>;

}  // namespace tributary
