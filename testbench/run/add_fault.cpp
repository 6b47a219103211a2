#include "testbench/run/add_fault.h"

#include "testbench/run/facets/frames.h"
#include "testbench/run/facets/link_faults.h"
#include "testbench/run/family.h"

namespace tributary {

void add_fault(RunSpec& spec, const std::string& text, const topology::Graph& graph) {
  const FamilyFacets can = family_of(spec.platform).facets();
  if (can.frames != nullptr && (can.link_faults == nullptr || can.frames->concerns(text, graph)))
    spec.frame_faults.push_back(can.frames->canonical(text, graph));  // Family::resolve checks ranks and messages
  else
    spec.faults.push_back((can.link_faults != nullptr ? *can.link_faults : FamilyLinkFaults()).parse(text, graph));
}

}  // namespace tributary
