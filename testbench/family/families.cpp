/// The only list of the families of the executable `tributary`.
#include "testbench/family/blink/family.h"
#include "testbench/family/cluster/family.h"
#include "testbench/family/netreduce/family.h"
#include "testbench/family/nvswitch/family.h"
#include "testbench/family/schedule_nic/family.h"
#include "testbench/family/tofino/family.h"

namespace tributary {

const std::vector<const Family*>& product_families() {
  static const std::vector<const Family*> all{&nvswitch_family(), &schedule_nic_family(), &netreduce_family(),
                                              &tofino_family(),   &blink_family(),        &cluster_family()};
  return all;
}

}  // namespace tributary
