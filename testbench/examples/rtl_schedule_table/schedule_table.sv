// The schedule table of a NIC: a memory with one port. A read takes READ_CYCLES clocks, in which no other request begins; a
// write takes one.
module schedule_table #(
    parameter int ROWS = 1024,
    parameter int READ_CYCLES = 4  // at least 1
) (
`include "schedule_table_ports.svh"
);
  localparam int W = $clog2(ROWS);
  localparam logic [7:0] WAIT = 8'(READ_CYCLES - 1);

  logic [199:0] memory [0:ROWS-1];
  logic [199:0] row;
  logic [7:0]   busy;   // clocks until the next request
  logic         reads;  // a read is in progress

  assign s_ready = busy == 0;
  assign a_valid = reads && busy == 0;
  assign a_rdata = row;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy <= 0;
      reads <= 0;
    end else if (busy != 0) busy <= busy - 1;
    else begin
      reads <= s_valid && !s_write;
      if (s_valid && !s_write) busy <= WAIT;
    end
    if (s_valid && s_ready) begin
      if (s_write) memory[s_row[W-1:0]] <= s_wdata;
      else row <= memory[s_row[W-1:0]];
    end
  end

  wire unused = &{1'b0, s_row};
endmodule
