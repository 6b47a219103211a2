// The connection lookup table of a NetReduce accelerator: ENTRIES entries, compared in parallel; a request in each clock.
//
// The first packet of a message writes the entry of its connection. Any other packet is located by the distance of its PSN from
// that of the first packet: in message q of the connection, q = 0 to -RANGE. LOOKUP_CYCLES clocks pass from request to answer.
module clt #(
    parameter int ENTRIES = 16,
    parameter int LOOKUP_CYCLES = 2,  // at least 2
    parameter int RANGE = 3           // older messages that are found: 2 N - 1
) (
`include "clt_ports.svh"
);
  localparam logic [1:0] FOUND = 0, UNKNOWN = 1, REFUSED = 2, STALE = 3;
  localparam int W = $clog2(ENTRIES);

  logic        used   [0:ENTRIES-1];
  logic [55:0] keys   [0:ENTRIES-1];
  logic [15:0] rings  [0:ENTRIES-1];
  logic [15:0] ranks  [0:ENTRIES-1];
  logic [15:0] lengths[0:ENTRIES-1];
  logic [31:0] messages[0:ENTRIES-1];
  logic [23:0] firsts [0:ENTRIES-1];
  logic [W:0]  filled;

  assign s_ready = 1;

  // Stage 1: entry of the connection.
  wire [55:0] key = {s_source, s_destination, s_queue_pair};
  logic [W-1:0] hit;
  logic         is_hit;
  always_comb begin
    hit = 0;
    is_hit = 0;
    for (int i = 0; i < ENTRIES; i++)
      if (used[i] && keys[i] == key) begin
        hit = W'(i);
        is_hit = 1;
      end
  end
  // An update of an older message leaves the entry as it is.
  wire [31:0]  ahead = s_message - messages[hit];
  wire         is_older = is_hit && ahead[31];
  wire [W-1:0] target = is_hit ? hit : filled[W-1:0];
  wire         writes = s_valid && s_update && !is_older && (is_hit || !filled[W]);

  logic         valid1, update1, hit1;
  logic [7:0]   id1;
  logic [15:0]  ring1, rank1, length1;
  logic [31:0]  message1;
  logic [23:0]  distance1;
  always_ff @(posedge clk) begin
    valid1 <= s_valid && rst_n;
    update1 <= s_update;
    hit1 <= is_hit;
    id1 <= s_id;
    ring1 <= s_update ? s_ring : rings[hit];
    rank1 <= s_update ? s_rank : ranks[hit];
    message1 <= s_update ? s_message : messages[hit];
    length1 <= lengths[hit];
    distance1 <= s_psn - firsts[hit];
    if (!rst_n) begin
      filled <= 0;
      for (int i = 0; i < ENTRIES; i++) used[i] <= 0;
    end else if (writes) begin
      used[target] <= 1;
      keys[target] <= key;
      rings[target] <= s_ring;
      ranks[target] <= s_rank;
      lengths[target] <= s_message_packets;
      messages[target] <= s_message;
      firsts[target] <= s_psn;
      if (!is_hit) filled <= filled + 1;
    end
  end

  // Stage 2: message and offset. The distance is signed, 24 bits; message -k begins k lengths before the entry's.
  wire signed [39:0] distance = {{16{distance1[23]}}, distance1};
  wire signed [39:0] length = {24'd0, length1};
  logic [1:0]         verdict;
  logic [31:0]        message;
  logic signed [39:0] offset;
  always_comb begin
    verdict = STALE;
    message = message1;
    offset = distance;
    if (update1) begin
      verdict = FOUND;
      offset = 0;
    end else if (!hit1) verdict = UNKNOWN;
    else if (distance >= length) verdict = REFUSED;
    else
      for (int k = RANGE; k >= 0; k--)
        if (distance + 40'(k) * length >= 0) begin
          verdict = FOUND;
          message = message1 - 32'(k);
          offset = distance + 40'(k) * length;
        end
  end

  // Further stages.
  localparam int STAGES = LOOKUP_CYCLES - 1;
  logic [STAGES-1:0] valid;
  logic [105:0] answers [0:STAGES-1];
  always_ff @(posedge clk) begin
    answers[0] <= {offset[15:0], message, rank1, ring1, verdict, 16'd0, id1};
    for (int i = 1; i < STAGES; i++) answers[i] <= answers[i-1];
    valid[0] <= valid1 && rst_n;
    for (int i = 1; i < STAGES; i++) valid[i] <= valid[i-1] && rst_n;
  end
  assign a_valid = valid[STAGES-1];
  assign {a_offset, a_message, a_rank, a_ring, a_verdict} = answers[STAGES-1][105:24];
  assign a_id = answers[STAGES-1][7:0];

  wire unused = &{1'b0, offset[39:16], answers[STAGES-1][23:8], ahead[30:0]};
endmodule
