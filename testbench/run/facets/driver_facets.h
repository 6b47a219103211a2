#pragma once
/// DriverFacets: the optional abilities of a driver. A null pointer means that the driver lacks the ability. The objects
/// live as long as the driver.

namespace tributary {

class DriverBackground;
class DriverFluid;
class DriverServers;
class DriverTimeline;
class DriverTrace;
class DriverTuning;

struct DriverFacets {
  DriverTrace* trace = nullptr;            ///< follows one block, chunk or slot (with FamilyTrace)
  DriverTimeline* timeline = nullptr;      ///< assigns packets to trails by a rule other than the address
  DriverTuning* tuning = nullptr;          ///< chooses settings by itself and learns from iterations
  DriverFluid* fluid = nullptr;            ///< runs jobs as flows: `--mode fluid`
  DriverBackground* background = nullptr;  ///< random traffic (with FamilyBackground)
  DriverServers* servers = nullptr;        ///< endpoints without ranks: parameter servers
};

}  // namespace tributary
