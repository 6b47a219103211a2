// The combinator of a NetReduce accelerator: a tree of adders of i32 or f32, 16 lanes of each rank in a clock. The sum is
// ((0+1)+(2+3))+..., by number of rank.
//
// An input register is followed by ceil(log2 RANKS) levels of adders, each with ADD_CYCLES registers.
module combinator #(
    parameter int RANKS = 6,        // at least 2
    parameter int ADD_CYCLES = 11,  // at least 1; 11 with FLOAT
    parameter int FLOAT = 0         // 1: elements are f32
) (
`include "combinator_ports.svh"
);
  localparam int LEVELS = $clog2(RANKS);
  localparam int DEPTH = 1 + LEVELS * ADD_CYCLES;
  localparam int LANES = 16;

  function logic [511:0] add(input logic [511:0] a, input logic [511:0] b);
    for (int lane = 0; lane < LANES; lane++) add[32*lane+:32] = a[32*lane+:32] + b[32*lane+:32];
  endfunction

  if (FLOAT != 0 && ADD_CYCLES != 11) begin : check
    f32_needs_add_cycles_11 error ();
  end

  // The pipeline stands still while its last beat is not accepted.
  wire move = m_ready || !m_valid;
  assign s_ready = move;

  // Node n of a level; level 0 holds the operands.
  wire [511:0] node [0:LEVELS][0:RANKS-1];
  logic [RANKS*512-1:0] operands;
  always_ff @(posedge clk) if (move) operands <= s_data;

  for (genvar n = 0; n < RANKS; n++) begin : operand
    assign node[0][n] = operands[512*n+:512];
  end
  for (genvar level = 1; level <= LEVELS; level++) begin : tree
    localparam int NODES = (RANKS + (1 << level) - 1) >> level;
    localparam int BELOW = (RANKS + (1 << (level - 1)) - 1) >> (level - 1);
    for (genvar n = 0; n < RANKS; n++) begin : column
      if (n < NODES) begin : adder
        wire [511:0] sum;
        if (FLOAT != 0 && 2 * n + 1 < BELOW) begin : floats
          wire [511:0] a = node[level-1][2*n];
          wire [511:0] b = node[level-1][2*n+1];
          for (genvar i = 0; i < LANES; i++) begin : lane
            f32_add f32 (.clk(clk), .move(move), .a(a[32*i+:32]), .b(b[32*i+:32]), .sum(sum[32*i+:32]));
          end
        end else begin : words
          logic [511:0] stages [0:ADD_CYCLES-1];
          wire [511:0] first;
          if (2 * n + 1 < BELOW) begin : pair
            assign first = add(node[level-1][2*n], node[level-1][2*n+1]);
          end else begin : single
            assign first = node[level-1][2*n];
          end
          always_ff @(posedge clk)
            if (move) begin
              stages[0] <= first;
              for (int i = 1; i < ADD_CYCLES; i++) stages[i] <= stages[i-1];
            end
          assign sum = stages[ADD_CYCLES-1];
        end
        assign node[level][n] = sum;
      end else begin : none
        assign node[level][n] = 512'd0;
      end
    end
  end
  assign m_data = node[LEVELS][0];

  // Beats keep their fields in registers of equal depth.
  logic [DEPTH-1:0] valid, last;
  logic [15:0] ids [0:DEPTH-1];
  always_ff @(posedge clk) begin
    if (!rst_n) valid <= 0;
    else if (move) valid <= {valid[DEPTH-2:0], s_valid};
    if (move) begin
      last <= {last[DEPTH-2:0], s_last};
      ids[0] <= s_id;
      for (int i = 1; i < DEPTH; i++) ids[i] <= ids[i-1];
    end
  end
  assign m_valid = valid[DEPTH-1];
  assign m_last = last[DEPTH-1];
  assign m_id = ids[DEPTH-1];

  // Bytes that are no elements may hold anything; there is one ring, one type and one operation.
  wire unused = &{1'b0, s_skip, s_ring, s_type, s_op};
endmodule
