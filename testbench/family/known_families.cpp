/// This function has a file of its own, so that an executable with other families can define it instead
/// (testbench/run/family.h).
#include "testbench/run/family.h"

namespace tributary {

const std::vector<const Family*>& families() { return product_families(); }

}  // namespace tributary
