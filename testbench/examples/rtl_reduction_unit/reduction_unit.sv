// The reduction unit of a NIC: UNITS x WIDTH adders of i32. A pass takes CYCLES clocks, in which no other pass begins.
module reduction_unit #(
    parameter int UNITS = 4,
    parameter int WIDTH = 16,
    parameter int CYCLES = 2  // at least 1
) (
`include "reduction_unit_ports.svh"
);
  localparam int ELEMENTS = UNITS * WIDTH;
  localparam logic [7:0] WAIT = 8'(CYCLES - 1);

  logic [7:0] busy;    // clocks until the pass has ended
  logic       passes;  // a pass is in progress, or its sums wait
  logic       last;
  logic [ELEMENTS*32-1:0] sums;

  assign m_valid = passes && busy == 0;
  assign m_last = last;
  assign m_data = sums;
  assign s_ready = busy == 0 && (!passes || m_ready);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy <= 0;
      passes <= 0;
    end else if (busy != 0) busy <= busy - 1;
    else if (s_ready) begin
      passes <= s_valid;
      if (s_valid) busy <= WAIT;
    end
    if (s_valid && s_ready) begin
      last <= s_last;
      for (int i = 0; i < ELEMENTS; i++) sums[32*i+:32] <= s_sum[32*i+:32] + (s_keep[i] ? s_operand[32*i+:32] : 32'd0);
    end
  end

  wire unused = &{1'b0, s_type, s_op};
endmodule
