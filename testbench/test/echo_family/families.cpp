/// The families of the executable `tributary_echo`: the families of the product, and one more.
#include "testbench/test/echo_family/echo_family.h"

namespace tributary {

const std::vector<const Family*>& families() {
  static const std::vector<const Family*> all = [] {
    std::vector<const Family*> list = product_families();
    list.push_back(&echo_family());
    return list;
  }();
  return all;
}

}  // namespace tributary
