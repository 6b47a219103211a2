// The arbiter of a switch's crossbar: for each output the resources take turns, and in each of them the requesters.
//
// A requester is a queue of an input: queue x INPUTS + input. The grant is valid in the clock of the requests. Turns move when a
// grant is taken; with FIXED they stay, and the lowest requester of the lowest resource has priority.
module arbiter #(
    parameter int REQUESTERS = 48,
    parameter int INPUTS = REQUESTERS / 3,
    parameter int RESOURCES = 4,
    parameter int FIXED = 0
) (
`include "arbiter_ports.svh"
);
  localparam int O = $clog2(INPUTS);  // bits of an output's number: as many outputs as inputs
  localparam int R = $clog2(RESOURCES);

  // By output: the first resource, and in each of its resources the first requester.
  logic [R-1:0] turns [0:INPUTS-1];
  logic [7:0]   firsts[0:INPUTS*RESOURCES-1];

  // The resource with the turn, of those with a request. The last one never lacks room.
  wire [O-1:0] output_number = s_output[O-1:0];
  wire [R-1:0] turn = turns[output_number];
  logic [RESOURCES-1:0] requested;
  wire [RESOURCES-1:0] grantable = requested & {1'b1, s_room};
  logic [R-1:0] resource;
  always_comb begin
    requested = '0;
    for (int i = 0; i < REQUESTERS; i++)
      if (s_req[i]) requested[s_resource[2*i+:2]] = 1;
    resource = turn;
    for (int k = RESOURCES - 1; k >= 0; k--)
      if (grantable[turn+R'(k)]) resource = turn + R'(k);
  end

  // Its first requester from the turn on, or else its lowest.
  wire [7:0] first = firsts[{output_number, resource}];
  logic [7:0] lowest, next;
  logic       is_next;
  always_comb begin
    lowest = 0;
    next = 0;
    is_next = 0;
    for (int i = REQUESTERS - 1; i >= 0; i--)
      if (s_req[i] && s_resource[2*i+:2] == resource) begin
        lowest = 8'(i);
        if (8'(i) >= first) begin
          next = 8'(i);
          is_next = 1;
        end
      end
  end
  assign grant_valid = s_valid && grantable != 0;
  assign grant_requester = is_next ? next : lowest;

  generate
    for (genvar o = 0; o < INPUTS; o++) begin : turn_of_output
      wire takes = take_valid && FIXED == 0 && take_output[O-1:0] == O'(o);
      always_ff @(posedge clk)
        if (!rst_n) turns[o] <= '0;
        else if (takes) turns[o] <= take_resource + 1;
      for (genvar r = 0; r < RESOURCES; r++) begin : first_of_resource
        always_ff @(posedge clk)
          if (!rst_n) firsts[RESOURCES*o+r] <= '0;
          else if (takes && take_resource == R'(r)) firsts[RESOURCES*o+r] <= take_requester + 1;
      end
    end
  endgenerate

  wire unused = &{1'b0, s_output, take_output};
endmodule
