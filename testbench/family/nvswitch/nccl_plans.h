#pragma once
/// NCCL 2.21 and later on GPUs around NVSwitches: the choice of its tuner, and the channels that follow
/// (docs/blocks/nccl_protocols.md).

#include <optional>
#include <string>
#include <vector>

#include "platforms/nvswitch/platform_params.h"
#include "testbench/codegen/channel_lowering.h"
#include "testbench/codegen/nccl_tuner.h"
#include "testbench/codegen/nccl_work.h"
#include "testbench/workload/job.h"

namespace tributary {

/// The execution of one message.
struct NcclUse {
  nccl::Choice choice;
  nccl::Work work;
};

/// Returns the servers as NCCL counts them. `params`: resolved; a job of at least two ranks.
nccl::System nccl_system(const JobSpec& job, const NvSwitchPlatformParams& params);
/// Returns nothing for NCCL 2.4, which has no tuner, and for a single rank. Throws ScheduleError if the forced algorithm or
/// protocol does not exist for the collective.
std::optional<NcclUse> nccl_use(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params);
/// Returns the job as it is carried out: by `nvls` where NCCL's tuner chooses NVLS for an all-reduce by `nccl`.
JobSpec carried(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params);
/// True if the algorithm of the job consists of kernels of NCCL, which the host launches.
bool runs_kernels(const JobSpec& job);
/// True if a message of the job is carried out by NVLS.
bool uses_nvls(const JobSpec& job, const NvSwitchPlatformParams& params);
/// Sets what follows from the generation of the GPUs and the release. Throws std::invalid_argument, one line.
void resolve_nccl(NvSwitchPlatformParams& params, unsigned capability, unsigned links);

/// Returns the table of the tuner for the job, one line for each algorithm and protocol that NCCL has; empty with NCCL 2.4.
std::string tuner_text(const JobSpec& job, const NvSwitchPlatformParams& params);

/// Returns the time of an empty message in the network: a step's semaphore follows its data, or their acks.
Tick flight(nccl::Protocol protocol, const NvSwitchPlatformParams& params);
/// Returns the parameters of the protocol, on a ring or on a tree.
const ProtocolParams& protocol_of(const NcclUse& use, const NvSwitchPlatformParams& params);
/// Returns the times of the steps of `use`; on a tree those of a whole thread block.
ChannelTimes channel_times(const NcclUse& use, const NvSwitchPlatformParams& params);
/// Returns the proved channels of a ring. Throws ScheduleError.
ChannelPlan nccl_rings(const JobSpec& job, Bytes message, const NcclUse& use, const NvSwitchPlatformParams& params);

}  // namespace tributary
