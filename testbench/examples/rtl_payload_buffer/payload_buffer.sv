// A bank of the payload buffer of a NetReduce accelerator: a memory with a write port and a read port, for one rank. A row is
// valid READ_CYCLES clocks after its request. A row that is written in the clock of its request has the new data.
module payload_buffer #(
    parameter int RANKS = 6,        // instances
    parameter int BEATS = 16,       // rows of a payload
    parameter int ROWS = 16384,
    parameter int READ_CYCLES = 1   // at least 1
) (
`include "payload_buffer_ports.svh"
);
  localparam int W = $clog2(ROWS);

  logic [511:0] memory [0:ROWS-1];
  logic [511:0] rows [0:READ_CYCLES-1];
  logic [READ_CYCLES-1:0] valid;

  assign w_ready = 1;
  assign r_ready = 1;
  assign m_valid = valid[READ_CYCLES-1];
  assign m_data = rows[READ_CYCLES-1];

  always_ff @(posedge clk) begin
    if (w_valid) memory[w_row[W-1:0]] <= w_data;
    rows[0] <= w_valid && w_row[W-1:0] == r_row[W-1:0] ? w_data : memory[r_row[W-1:0]];
    for (int i = 1; i < READ_CYCLES; i++) rows[i] <= rows[i-1];
    valid[0] <= r_valid && rst_n;
    for (int i = 1; i < READ_CYCLES; i++) valid[i] <= valid[i-1] && rst_n;
  end

  wire unused = &{1'b0, w_row, r_row, RANKS != 0, BEATS != 0};
endmodule
