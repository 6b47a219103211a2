/// Alone in its file, so that an executable with families of its own can define it instead (testbench/run/family.h).
#include "testbench/run/family.h"

namespace tributary {

const std::vector<const Family*>& families() { return product_families(); }

}  // namespace tributary
