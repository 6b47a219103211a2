#pragma once
/// Legal sizes of messages.

#include <string>

#include "modules/base/units.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Checks that a message has whole elements and fits into the addresses. Throws InputError that begins with `where`, the
/// place of the size.
void check_size(Bytes size, ElementType type, const std::string& where);
/// Checks the message of a job, whose type and collective are set; a barrier sends one packet. Throws as check_size().
void check_message(const JobSpec& job, Bytes size, const std::string& where);
/// Returns the size of the packet that a rank of a barrier sends unless the user sets one.
Bytes usual_signal(const JobSpec& job);

}  // namespace tributary
