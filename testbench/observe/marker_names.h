#pragma once
/// Places the names of markers in a waveform viewer so that none is drawn over another.

#include <string>
#include <vector>

namespace tributary {

/// A marker at a position in pixels from the left edge of the waves.
struct MarkerPlace {
  std::string name;
  double pixel = 0;
};

/// Returns the texts of markers in ascending order of position, for a view of `width` pixels. GTKWave centres a text at its
/// marker; blanks at one end move the name to the other side. A text is empty if its name fits on neither side.
std::vector<std::string> marker_texts(const std::vector<MarkerPlace>& markers, double width);

}  // namespace tributary
