#pragma once
/// LifeTable: the life of a traced object as text.

#include <string>
#include <vector>

#include "testbench/observe/life_trace.h"

namespace tributary {

/// Lines begin with `# `: a title, then time in ns from `epoch`, name and event of each row, then the markers.
class LifeTable {
 public:
  /// `event`: heading of the last column.
  LifeTable(std::string title, Tick epoch, std::string event = "event");
  void add(Tick time, std::string place, std::string event);
  std::string text(const std::vector<LifeMarker>& markers) const;

 private:
  struct Row {
    Tick time;
    std::string place, event;
  };
  std::string stamp(Tick time) const;

  std::string title_, event_;
  Tick epoch_;
  std::size_t width_ = 5;  ///< width of names
  std::vector<Row> rows_;
};

}  // namespace tributary
