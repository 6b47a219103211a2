#pragma once

#include <string>

namespace tributary::topology {
struct Network;
}
namespace tributary::collective {
struct NetworkSchedule;
}

namespace tributary {

/// A proved schedule: the text that `tributary schedule` prints, and the document that it writes.
struct ScheduleText {
  std::string screen, json;
};

/// Formats proved schedules of a family's networks, for `tributary schedule`.
class FamilyNetworkSchedules {
 public:
  virtual ~FamilyNetworkSchedules() = default;

  virtual ScheduleText text(const topology::Network& network, const std::string& collective,
                            const collective::NetworkSchedule& schedule) const = 0;
};

}  // namespace tributary
