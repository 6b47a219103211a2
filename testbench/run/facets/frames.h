#pragma once

#include <optional>
#include <string>

#include "modules/base/units.h"

namespace tributary {

namespace topology {
class Graph;
}

struct FrameFormat;
struct RunSpec;
class RunParameters;

/// A link that a rule of RunSpec::frame_faults takes down.
struct LinkDown {
  std::string link;
  Time after;  ///< from the start of each run
};

/// Scripted faults of Ethernet frames. RunSpec::frame_faults holds the rules as texts; Family::resolve() checks that their
/// links, ranks and messages exist.
class FamilyFrames {
 public:
  virtual ~FamilyFrames() = default;

  /// Returns true if a fault concerns frames, and false if it concerns packets of a link of another protocol, which
  /// FamilyLinkFaults reads. Throws std::invalid_argument, one line.
  virtual bool concerns(const std::string& /*fault*/, const topology::Graph& /*graph*/) const { return true; }
  /// Returns the canonical text of a rule, with the full name of a link of `graph`. Throws std::invalid_argument, one line
  /// with the legal forms.
  virtual std::string canonical(const std::string& rule, const topology::Graph& graph) const;
  /// Returns the link that a canonical rule takes down, if it does.
  virtual std::optional<LinkDown> link_down(const std::string& rule) const;
};

/// Capture of frames as bytes: `--pcap`.
class FamilyCapture {
 public:
  virtual ~FamilyCapture() = default;

  /// Returns the fields that the headers of the model leave open. `params`: without automatic values.
  virtual FrameFormat frame_format(const RunSpec& spec, const RunParameters& params) const = 0;
};

}  // namespace tributary
