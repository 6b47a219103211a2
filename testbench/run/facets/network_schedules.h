#pragma once

#include <functional>
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
  std::string screen;
  std::function<std::string()> json;  ///< builds the document, which can be much larger than the schedule
};

/// Formats proved schedules of a family's networks, for `tributary schedule`.
class FamilyNetworkSchedules {
 public:
  virtual ~FamilyNetworkSchedules() = default;

  /// The network and the schedule must outlive the text.
  virtual ScheduleText text(const topology::Network& network, const std::string& collective,
                            const collective::NetworkSchedule& schedule) const = 0;
};

}  // namespace tributary
