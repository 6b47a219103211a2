// Rows of ASTRA-sim's text workloads.
#include <catch2/catch.hpp>
#include <sstream>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/text_workload.h"

namespace tributary::test_text_workload {

using namespace tributary::training;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

TextWorkload rows_of(const std::string& text) {
  std::istringstream file(text);
  return read_text_workload(file, "FILE");
}

std::string refusal(const std::string& text) {
  try {
    rows_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("rows of an ASTRA-sim text workload are read", "[pure][training]") {
  const auto all = rows_of(
      "DATA\t\t\r\n2\n\nconv1\t-1\t13003\tNONE\t0\t12864\tALLTOALL\t5\t32291\tALLREDUCE\t37632\t3229\n"
      "fc -1 1 ALLGATHER 2  3 REDUCESCATTER 4  5 NONE 0 7 \n");
  CHECK(all.kind == TextKind::data);
  REQUIRE(all.rows.size() == 2);
  CHECK(all.rows[0].name == "conv1");
  CHECK(all.rows[0].line == 4);
  CHECK(all.rows[0].steps[text_forward].time == 13003);
  CHECK(all.rows[0].steps[text_forward].collective.empty());
  CHECK(all.rows[0].steps[text_input_gradient].time == 12864);
  CHECK(all.rows[0].steps[text_input_gradient].collective == "alltoall");
  CHECK(all.rows[0].steps[text_weight_gradient].time == 32291);
  CHECK(all.rows[0].steps[text_weight_gradient].collective == "allreduce");
  CHECK(all.rows[0].steps[text_weight_gradient].bytes == 37632);
  CHECK(all.rows[0].update == 3229);
  CHECK(all.rows[1].steps[text_forward].collective == "allgather");
  CHECK(all.rows[1].steps[text_input_gradient].collective == "reduce_scatter");
  CHECK(all.rows[1].update == 7);
}

TEST_CASE("first lines of ASTRA-sim text workloads are recognised", "[pure][training]") {
  const std::string row = "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1\n";
  CHECK(rows_of("HYBRID_TRANSFORMER\tmodel_parallel_NPU_group: 4\n1\n" + row).model_group == 4u);
  CHECK(rows_of("HYBRID_DLRM\t1\n2\n" + row + row).last_bottom == 1);
  const auto repeated = rows_of(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 2 0 1 checkpoint_initiates: 1 2\n3\n" + row +
      row + row);
  CHECK(repeated.checkpoints == std::vector<std::size_t>{0, 1});
  CHECK(repeated.initiators == std::vector<std::size_t>{2});
  CHECK(rows_of("HYBRID_CUSTOMIZED\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MODEL\n").rows[0].kind == TextKind::model);
  CHECK(begins_text_workload("MICRO\r"));
  CHECK(begins_text_workload("\xEF\xBB\xBFHYBRID_DLRM 4"));
  CHECK_FALSE(begins_text_workload("MICROS"));
  CHECK(begins_text_workload("DATA_REORDER\n1\n"));  // reported as an unknown kind, not as an unknown format
  CHECK_FALSE(begins_text_workload("DATA_REORDER\nx 1\n"));
  CHECK_FALSE(begins_text_workload("12\n1\n"));
  CHECK_FALSE(begins_text_workload(""));
}

TEST_CASE("first lines and rows of SimAI are read", "[pure][training]") {
  const TextWorkload all = rows_of(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 16 pp: 12 vpp: 8 ga: 24 all_gpus: 9216 "
      "checkpoints: 0 checkpoint_initiates: 0 pp_comm 50331648\n1\n"
      "grad\t-1\t1\tALLTOALL_EP\t8\t1\tREDUCESCATTER_DP_EP\t16\t1\tBROADCAST\t32\t100\n");
  CHECK(all.model_group == 2u);
  REQUIRE(all.simai.has_value());
  CHECK(all.simai->experts == 16);
  CHECK(all.simai->stages == 12);
  CHECK(all.simai->all_ranks == 9216);
  CHECK(all.simai->stage_bytes == 50331648);
  const TextRow& row = all.rows.at(0);
  CHECK(row.steps[text_forward].collective == "alltoall");
  CHECK(row.steps[text_forward].group == TextGroup::experts);
  CHECK(row.steps[text_input_gradient].collective == "reduce_scatter");
  CHECK(row.steps[text_input_gradient].group == TextGroup::same_experts);
  CHECK(row.steps[text_weight_gradient].collective == "broadcast");
  CHECK(row.steps[text_weight_gradient].group == TextGroup::of_pass);
  const std::string kind = "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1\n1\n";
  const TextStep both = rows_of(kind + "norm -1 1 NONE 0 1 ALLREDUCEALLTOALL_EP 4 1 NONE 0 1\n").rows.at(0).steps.at(1);
  CHECK(both.collective == "allreduce");
  CHECK(both.group == TextGroup::experts);
  CHECK_THAT(refusal(kind + "norm -1 1 NONE 0 1 SENDRECV_EP 4 1 NONE 0 1\n"),
             Contains("FILE:3: row 'norm' has 'SENDRECV_EP', which is not a collective that can run (legal: NONE, "));
  CHECK_THAT(refusal(kind + "norm -1 1 NONE_EP 0 1 NONE 0 1 NONE 0 1\n"), Contains("FILE:3: row 'norm' has 'NONE_EP'"));
  CHECK_THAT(refusal("HYBRID_TRANSFORMER ep: 0\n1\n"), Contains("FILE:1: ep: 0 (legal: from 1)"));
}

TEST_CASE("invalid content of an ASTRA-sim text workload is rejected with its line", "[pure][training]") {
  const std::string row = "a -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1\n";
  CHECK_THAT(refusal(""), Contains("FILE:1: no kind of parallelism (legal: DATA, MODEL,"));
  CHECK_THAT(refusal("DATAX\n1\n" + row), Contains("FILE:1: 'DATAX' is not a kind of parallelism (legal: DATA,"));
  CHECK_THAT(refusal("DATA\n"), Contains("line 2 is not a number of rows"));
  CHECK_THAT(refusal("DATA\nx\n"), Equals("FILE:2: the number of rows is 'x' (legal: a whole number from 0)"));
  CHECK_THAT(refusal("DATA\n0\n"), Contains("FILE:2: 0 rows (legal: 1 to 1000000)"));
  CHECK_THAT(refusal("DATA\n2\n" + row), Equals("FILE:3: 1 rows, but line 2 says 2"));
  CHECK_THAT(refusal("DATA\n1\n" + row + row), Equals("FILE:4: more rows than the 1 of line 2"));
  CHECK_THAT(refusal("DATA\n1\na -1 1\n"), Contains("FILE:3: 3 columns (legal: 12: name, -1,"));
  CHECK_THAT(refusal("DATA\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUC 8 1\n"),
             Contains("'ALLREDUC', which is not a collective that can run (legal: NONE, ALLREDUCE,"));
  CHECK_THAT(refusal("DATA\n1\na -1 1.5 NONE 0 1 NONE 0 1 NONE 8 1\n"),
             Contains("FILE:3: the time of the forward is '1.5'"));
  CHECK_THAT(refusal("DATA\n1\na x 1 NONE 0 1 NONE 0 1 NONE 8 1\n"), Contains("FILE:3: column 2 is 'x'"));
  CHECK_THAT(refusal("HYBRID_DLRM\n1\n" + row), Contains("without the number of its last bottom row"));
  CHECK_THAT(refusal("HYBRID_DLRM 1\n1\n" + row), Contains("FILE:1: the last bottom row is row 1 (legal: 0 to 0)"));
  CHECK_THAT(refusal("HYBRID_TRANSFORMER group: 4\n1\n" + row), Contains("FILE:1: 'group:' after the kind"));
  CHECK_THAT(refusal("HYBRID_TRANSFORMER checkpoints: 3 0\n1\n" + row), Contains("but fewer rows follow"));
  CHECK_THAT(refusal("HYBRID_TRANSFORMER_FWD_IN_BCKWD checkpoint_initiates: 1 0\n1\n" + row),
             Contains("no checkpoint precedes it"));
  CHECK_THAT(refusal("HYBRID_CUSTOMIZED\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 MICRO\n"),
             Contains("FILE:3: 'MICRO' as the kind of a row"));
}

}  // namespace tributary::test_text_workload
