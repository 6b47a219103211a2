#pragma once
/// The points of a sweep, which are read one by one: a point costs time only when it is needed.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/cli/requests/input_files.h"
#include "testbench/cli/requests/run_request.h"
#include "testbench/cli/requests/scenario.h"
#include "testbench/cli/requests/train_request.h"

namespace tributary {

/// One run of a sweep, with or without training.
struct SweepPoint {
  std::string id;                              ///< 16 hexadecimal digits: a digest of everything that affects the results
  std::map<std::string, std::string> content;  ///< options and parameters that the file sets
};

/// The request of a point.
struct PointRun {
  RunRequest request;
  std::optional<TrainRequest> training;  ///< set for a training run; `request` then equals `training->run`
};

/// Makes a point of the settings of a run, and its request, with the checks that do not require the elaborated platform.
/// Throws InputError, SetupError or std::invalid_argument.
std::pair<SweepPoint, PointRun> point_of_settings(const Settings& settings, InputFiles& files);

class Sweep {
 public:
  Sweep() = default;
  /// Reads the file. Throws InputError. A point is not checked before run() or check().
  explicit Sweep(const std::string& file);

  /// Lists in the order of the file, then other differences between points.
  const std::vector<std::string>& axes() const { return axes_; }
  /// Number of points. A point that several documents contain counts once.
  std::size_t size() const { return size_; }
  SweepPoint point(std::size_t number) const;
  /// Makes the checks of a run, except those that require the elaborated platform. Throws InputError.
  PointRun run(std::size_t number) const;

  /// Parameters that a file sets by old names, with their present names.
  using Renamed = std::map<std::string, std::string>;
  /// Makes the checks of run() for the points that `holds` selects.
  Renamed check(const std::function<bool(std::size_t)>& holds) const;
  /// Makes the checks of run() for a few points of each document that together contain each value of each axis, or 256
  /// values of a longer axis. Values that are wrong only in combination pass.
  void check_values() const;
  /// Returns the settings of these points that make a run read files.
  Settings inputs() const;

  /// Returns the point's value of an axis or setting; empty if the point's document does not set it.
  static std::string value(const SweepPoint& point, const std::string& axis);

 private:
  struct Position {
    std::size_t document = 0, number = 0;
  };

  Position position(std::size_t number) const;
  ScenarioPoint read(Position at) const { return file_->point(at.document, at.number); }
  SweepPoint point_of(const ScenarioPoint& read) const;
  PointRun run_of(const ScenarioPoint& read) const;
  /// True if the points of a document differ in their content, because each axis appears there under its name.
  bool all_differ(std::size_t document) const;
  /// Reads every point, to find points that are contained twice and differences between documents.
  void read_all();
  std::vector<Position> sample() const;

  std::string path_;
  std::shared_ptr<SweepFile> file_;
  std::shared_ptr<InputFiles> files_;                            ///< shared by all points
  std::shared_ptr<std::map<std::string, std::string>> digests_;  ///< by path
  std::vector<std::string> axes_;
  std::size_t size_ = 0;
  std::vector<Position> positions_;  ///< by point; empty: the points of the only document
};

}  // namespace tributary
