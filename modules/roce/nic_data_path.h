#pragma once
/// NicDataPath: facet of a host agent whose memory is not the host's: it supplies the payloads of the NIC and accepts those
/// received.

#include "modules/roce/core/host_memory_port.h"
#include "modules/roce/core/nic_feed.h"

namespace tributary {

/// The host connects its NIC when the agent has been made.
class NicDataPath {
 public:
  virtual ~NicDataPath() = default;
  virtual HostMemoryPort& nic_memory() = 0;
  virtual NicFeed& nic_feed() = 0;
  virtual void connect(NicFeedListener& nic) = 0;
};

}  // namespace tributary
