// A copy engine: it fetches the descriptor of a copy, divides the copy among up to LANES links, requests its data, and sends bursts of
// packets, on each lane up to two that have not begun to leave.
//
// A burst of all lanes leaves FETCH_CYCLES + 2 x BITS + LANES + 3 clocks after the descriptor, if the memory has no latency.
module copy_engine #(
    parameter int LANES = 6,
    parameter int FETCH_CYCLES = 400,  // 1 to 65536
    parameter int BITS = 40            // of the length of a copy
) (
`include "copy_engine_ports.svh"
);
  typedef enum logic [2:0] {IDLE, FETCH, PACKETS, SHARES, RANGES, REQUEST, WAIT, SEND} state_t;
  state_t state;
  logic [15:0] count;  // clocks left in the state

  // Descriptor.
  logic [31:0]     copy;
  logic [63:0]     source;
  logic [BITS-1:0] bytes;
  logic [7:0]      lanes;
  logic [15:0]     payload, overhead, burst;
  wire  [31:0]     burst_bytes = 32'(burst) * 32'(payload);

  // A divider of a bit in each clock: packets of the copy, then packets of each lane.
  logic [BITS-1:0] quotient;
  logic [16:0]     rest;
  wire  [15:0]     divisor = state == PACKETS ? payload : 16'(lanes);
  wire  [16:0]     shifted = {rest[15:0], quotient[BITS-1]};
  wire             fits = shifted >= 17'(divisor);
  wire  [BITS-1:0] divided = {quotient[BITS-2:0], fits};
  wire  [16:0]     remainder = fits ? shifted - 17'(divisor) : shifted;

  // The range of a lane in each clock; the first lanes have a packet more.
  logic [BITS-1:0] start;
  wire  [7:0]      lane = 8'(LANES) - count[7:0];
  wire  [31:0]     share = lane >= lanes ? '0 : quotient[31:0] + 32'(17'(lane) < rest);
  wire  [BITS-1:0] end_of_share = start + BITS'(share) * BITS'(payload);
  wire  [BITS-1:0] stop = end_of_share < bytes ? end_of_share : bytes;

  logic [LANES-1:0] pending;  // lanes whose last burst has not left
  wire  [LANES-1:0] still_pending = left_valid ? pending & ~left_lanes : pending;
  wire  accepts = s_valid && s_ready;

  assign rd_valid = state == REQUEST;
  assign rd_address = source;
  assign rd_bytes = 64'(bytes);
  assign m_copy = copy;
  assign m_valid = m_lanes != 0;
  assign done_valid = state == SEND && still_pending == 0;
  assign done_copy = copy;
  assign s_ready = state == IDLE || done_valid;

  generate
    for (genvar k = 0; k < LANES; k++) begin : each
      logic [31:0]     packets;  // the rest of the range
      logic [BITS-1:0] left, at;
      logic [3:0]      slack;  // bytes of its last flit that are free
      logic [1:0]      held;   // bursts that have not begun to leave
      wire             is_last = packets <= 32'(burst);
      wire  [15:0]     size = is_last ? packets[15:0] : burst;
      wire  [31:0]     length = is_last ? left[31:0] : burst_bytes;
      wire  [31:0]     on_wire = length + 32'(size) * 32'(overhead) + 32'd15 - 32'(slack);
      wire             sends = state == SEND && packets != 0 && held != 2;
      wire             begins = room_valid && room_lanes[k];
      assign m_lanes[k] = sends;
      assign m_end[k] = is_last;
      assign m_flits[16*k+:16] = on_wire[19:4];
      assign m_bytes[32*k+:32] = length;
      assign m_offset[64*k+:64] = 64'(at);

      always_ff @(posedge clk)
        if (state == RANGES && lane == 8'(k)) begin
          packets <= share;
          left <= stop - start;
          at <= start;
          slack <= 0;
          held <= 0;
        end else begin
          held <= held + 2'(sends) - 2'(begins);
          if (sends) begin
            packets <= packets - 32'(size);
            left <= left - BITS'(length);
            at <= at + BITS'(length);
            slack <= 4'd15 - on_wire[3:0];
          end
        end
      wire unused = &{1'b0, on_wire[31:20]};
    end
  endgenerate

  always_ff @(posedge clk) begin
    pending <= still_pending;
    count <= count - 1;
    if (!rst_n) state <= IDLE;
    else if (accepts) begin
      state <= FETCH;
      count <= 16'(FETCH_CYCLES);
      copy <= s_copy;
      source <= s_source;
      bytes <= s_bytes[BITS-1:0];
      lanes <= s_lanes;
      payload <= s_payload;
      overhead <= s_overhead;
      burst <= s_burst;
    end else
      case (state)
        FETCH:
          if (count == 1) begin
            state <= PACKETS;
            count <= 16'(BITS);
            quotient <= bytes + BITS'(payload) - 1;
            rest <= 0;
          end
        PACKETS, SHARES: begin
          quotient <= divided;
          rest <= remainder;
          if (count == 1) begin
            state <= state == PACKETS ? SHARES : RANGES;
            count <= state == PACKETS ? 16'(BITS) : 16'(LANES);
            if (state == PACKETS) rest <= 0;
            start <= 0;
          end
        end
        RANGES: begin
          start <= stop;
          if (count == 1) state <= REQUEST;
        end
        REQUEST: begin
          pending <= ~('1 << lanes);
          if (rd_ready) state <= WAIT;
        end
        WAIT: if (mem_valid) state <= SEND;
        SEND: if (done_valid) state <= IDLE;
        default: ;
      endcase
  end

  wire unused = &{1'b0, s_destination, s_bytes, mem_copy};
endmodule
