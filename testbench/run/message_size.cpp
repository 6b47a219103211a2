#include "testbench/run/message_size.h"

#include <algorithm>

#include "modules/base/field_type.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

constexpr std::uint64_t usual_packet = 4, largest_packet = 128;
constexpr Bytes largest_message = bytes(std::uint64_t{1} << 48);  // addresses have 48 bits

std::string element_name(ElementType type) { return FieldType<ElementType>::print(type); }

}  // namespace

void check_size(Bytes size, ElementType type, const std::string& where) {
  const std::uint64_t element = element_size(type);
  const std::string what = where + ": a message of " + to_string(size) + " ";
  if (size.value == 0) throw InputError(what + "is too small (legal: at least " + std::to_string(element) + "B)");
  if (size > largest_message) throw InputError(what + "is too large (legal: up to " + to_string(largest_message) + ")");
  if (size.value % element != 0)
    throw InputError(what + "is not a multiple of " + element_name(type) + " elements (legal: multiples of " +
                     std::to_string(element) + "B)");
}

void check_message(const JobSpec& job, Bytes size, const std::string& where) {
  check_size(size, job.type, where);
  if (collective_of(job.collective).signals() && size.value > largest_packet)
    throw InputError(where + ": a " + job.collective + " sends one packet, which cannot hold " + to_string(size) +
                     " (legal: up to " + std::to_string(largest_packet) + "B)");
}

Bytes usual_signal(const JobSpec& job) { return bytes(std::max<std::uint64_t>(usual_packet, element_size(job.type))); }

}  // namespace tributary
