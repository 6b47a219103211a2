#include "modules/nvswitch/reduction_table_block.h"

namespace tributary {

tlm::tlm_sync_enum ReductionTableBlock::nb_transport_fw(TableTransaction&, tlm::tlm_phase&, sc_core::sc_time&) {
  SC_REPORT_ERROR("tributary/table", "a reduction table is accessed by b_transport");
  return tlm::TLM_COMPLETED;
}

}  // namespace tributary
