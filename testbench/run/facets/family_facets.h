#pragma once
/// FamilyFacets: the optional abilities of a family. Each is a small interface; a null pointer means that the family lacks
/// the ability, and options that need it are refused. The objects live as long as the family.

namespace tributary {

class FamilyAlgorithms;
class FamilyBackground;
class FamilyBlocks;
class FamilyCapture;
class FamilyCost;
class FamilyEnergy;
class FamilyFiles;
class FamilyFrames;
class FamilyJobHardware;
class FamilyKernels;
class FamilyLinkFaults;
class FamilyNetworkSchedules;
class FamilyPlacement;
class FamilyScheduleFiles;
class FamilySearches;
class FamilyTasks;
class FamilyTrace;
class FamilyTuner;

struct FamilyFacets {
  const FamilyAlgorithms* algorithms = nullptr;               ///< defaults and checks other than the standard ones
  const FamilyPlacement* placement = nullptr;                 ///< placement other than the standard one
  const FamilyFiles* files = nullptr;                         ///< platforms in files: `file:FILE`
  const FamilyBlocks* blocks = nullptr;                       ///< modules that a user may replace: `--plugin`
  const FamilyLinkFaults* link_faults = nullptr;              ///< faults of links: `--fault`
  const FamilyFrames* frames = nullptr;                       ///< links carry Ethernet frames: faults of frames
  const FamilyCapture* capture = nullptr;                     ///< frames can be written as bytes: `--pcap`
  const FamilyBackground* background = nullptr;               ///< random traffic in addition to the jobs: `--background`
  const FamilyJobHardware* job_hardware = nullptr;            ///< hardware that follows from the jobs
  const FamilyKernels* kernels = nullptr;                     ///< kernels that a host launches: `--back-to-back`
  const FamilyTrace* trace = nullptr;                         ///< one block, chunk or slot can be followed: `--trace-block`
  const FamilyTasks* tasks = nullptr;                         ///< endpoints execute tasks: `--fidelity full`
  const FamilyScheduleFiles* schedule_files = nullptr;        ///< endpoints execute schedules of files: `msccl:FILE`
  const FamilyNetworkSchedules* network_schedules = nullptr;  ///< `tributary schedule` on networks
  const FamilyCost* cost = nullptr;                           ///< hardware cost: `--cost`
  const FamilyEnergy* energy = nullptr;                       ///< energy and area of the hardware: `--energy`
  const FamilySearches* searches = nullptr;                   ///< searches whose results several runs share: a sweep
  const FamilyTuner* tuner = nullptr;                         ///< the choice of a library's tuner: `--print-tuner`
};

}  // namespace tributary
