#pragma once
/// Channels: the persistent kernels of a GPU as a module of its device (docs/blocks/nccl_channels.md).

#include <systemc>

#include "modules/streams/core/channel_engine.h"

namespace tributary {

/// Gives the channels a name in the hierarchy. ChannelEngine has the rules and the state.
class Channels : public sc_core::sc_module {
 public:
  Channels(const sc_core::sc_module_name& name, const NcclParams& params, Tick acquire, const ChannelEngine::Around& around,
           unsigned channels = ChannelEngine::standard_channels)
      : sc_module(name), core_(params, acquire, around, channels) {}
  ChannelEngine& core() { return core_; }

 private:
  ChannelEngine core_;
};

}  // namespace tributary
