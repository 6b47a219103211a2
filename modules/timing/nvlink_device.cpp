/// Instantiates devices with NVLink-like links.

#include "modules/protocol/nvlink.h"
#include "modules/timing/windowed_device_impl.h"

namespace tributary {

template class BasicWindowedDevice<NvLink>;

}  // namespace tributary
