// A reduction table in RTL: tags, counts, four 32-bit integer adders, completion, eviction; one flit per clock.
//
// The pins are those of BeatTable (modules/nvswitch/core/beat_table.h): a header, then its beats. The answer is valid one edge after
// the header, and each output beat one edge after its input beat.
module reduction_table #(
    parameter int ENTRIES = 32,
    parameter longint unsigned TIMEOUT = 2_000_000  // ps
) (
    input  logic         clk,
    input  logic         reset,
    input  logic         header_valid,
    input  logic [2:0]   command,
    input  logic [40:0]  tag,
    input  logic [15:0]  requester,
    input  logic [15:0]  operands,
    input  logic [15:0]  expected,
    input  logic [3:0]   beats,
    input  logic [63:0]  now,
    input  logic         data_valid,
    input  logic [127:0] data,
    output logic         answer_valid,
    output logic [2:0]   answer,
    output logic [15:0]  entry,
    output logic         evicts,
    output logic [15:0]  evicted_entry,
    output logic [15:0]  leaving_operands,
    output logic [63:0]  deadline,
    output logic         out_valid,
    output logic [127:0] out_data,
    output logic [15:0]  occupancy
);
  localparam int W = $clog2(ENTRIES);  // bits of an entry's index; ENTRIES >= 2

  typedef enum logic [2:0] {PUSH, ALLOCATE, COLLECT, EXPIRE, FINISH} command_t;
  typedef enum logic [2:0] {INSERTED, MERGED, COMPLETED, REFUSED, MISSED, BYPASSED, NOTHING} answer_t;
  typedef enum logic [1:0] {FREE, PUSHED, PULLED, COMPLETING} state_t;

  state_t       state     [ENTRIES];
  logic         fresh     [ENTRIES];  // no operand yet
  logic [40:0]  tags      [ENTRIES];
  logic [15:0]  requesters[ENTRIES];
  logic [15:0]  counts    [ENTRIES];
  logic [15:0]  wanted    [ENTRIES];
  logic [3:0]   lengths   [ENTRIES];
  logic [63:0]  stamps    [ENTRIES];
  logic [63:0]  used      [ENTRIES];
  logic [127:0] memory    [ENTRIES * 8];
  logic [63:0]  uses;

  // The entry with the tag, a free entry, and the least recently used push entry.
  logic [W-1:0] hit, vacant, oldest;
  logic         is_hit, is_vacant, is_oldest;
  always_comb begin
    hit = 0; vacant = 0; oldest = 0;
    is_hit = 0; is_vacant = 0; is_oldest = 0;
    for (int i = ENTRIES - 1; i >= 0; i--) begin
      if (tags[i] == tag && ((command == PUSH && state[i] == PUSHED) ||
                             (command == COLLECT && state[i] == PULLED && requesters[i] == requester))) begin
        hit = W'(i); is_hit = 1;
      end
      if (state[i] == FREE) begin
        vacant = W'(i); is_vacant = 1;
      end
      if (state[i] == PUSHED && (!is_oldest || used[i] < used[oldest])) begin
        oldest = W'(i); is_oldest = 1;
      end
    end
  end
  wire         evict_for_room = !is_vacant && is_oldest;
  wire [W-1:0] target = is_vacant ? vacant : oldest;
  wire [15:0]  sum_of_counts = counts[hit] + operands;
  wire         completes = sum_of_counts >= wanted[hit];
  wire         overdue = is_oldest && stamps[oldest] + TIMEOUT <= now;

  // The command whose beats are passing.
  logic [W-1:0] into, from;
  logic         adding, completing, leaving;
  logic [3:0]   beat, left, to_leave;
  wire [W+2:0]  into_at = {into, beat[2:0]}, from_at = {from, left[2:0]};
  logic [127:0] sum;
  always_comb
    for (int lane = 0; lane < 4; lane++)
      sum[32*lane+:32] = (adding ? memory[into_at][32*lane+:32] : 32'd0) + data[32*lane+:32];

  always_ff @(posedge clk) begin
    answer_valid <= header_valid;
    out_valid <= 0;
    evicts <= 0;
    if (reset) begin
      for (int i = 0; i < ENTRIES; i++) state[i] <= FREE;
      uses <= 0;
      leaving <= 0;
      answer_valid <= 0;
    end else if (header_valid) begin
      beat <= 0; left <= 0;
      leaving <= 0; adding <= 0; completing <= 0;
      answer <= NOTHING;
      leaving_operands <= 0;
      case (command)
        PUSH, COLLECT:
          if (is_hit) begin
            into <= hit; entry <= 16'(hit);
            adding <= !fresh[hit]; fresh[hit] <= 0;
            if (fresh[hit]) lengths[hit] <= beats;
            counts[hit] <= sum_of_counts;
            stamps[hit] <= now; used[hit] <= uses; uses <= uses + 1;
            completing <= completes;
            answer <= completes ? COMPLETED : MERGED;
            if (completes) begin
              state[hit] <= COMPLETING;
              leaving_operands <= sum_of_counts;
            end
          end else if (command == COLLECT) answer <= MISSED;
          else if (!is_vacant && !is_oldest) answer <= BYPASSED;
          else begin
            into <= target; entry <= 16'(target);
            state[target] <= PUSHED; fresh[target] <= 0;
            tags[target] <= tag; requesters[target] <= 16'hFFFF;
            counts[target] <= operands; wanted[target] <= expected;
            lengths[target] <= beats;
            stamps[target] <= now; used[target] <= uses; uses <= uses + 1;
            answer <= INSERTED;
            if (evict_for_room) begin
              evicts <= 1; evicted_entry <= 16'(oldest);
              leaving_operands <= counts[oldest];
              leaving <= 1; from <= oldest; to_leave <= lengths[oldest];
            end
          end
        ALLOCATE:
          if (is_vacant) begin
            entry <= 16'(vacant);
            state[vacant] <= PULLED; fresh[vacant] <= 1;
            tags[vacant] <= tag; requesters[vacant] <= requester;
            counts[vacant] <= 0; wanted[vacant] <= expected;
            answer <= INSERTED;
          end else answer <= REFUSED;
        EXPIRE:
          if (overdue) begin
            evicts <= 1; entry <= 16'(oldest); evicted_entry <= 16'(oldest);
            leaving_operands <= counts[oldest];
            leaving <= 1; from <= oldest; to_leave <= lengths[oldest];
            state[oldest] <= FREE;
            answer <= INSERTED;
          end
        default:
          for (int i = 0; i < ENTRIES; i++)
            if (state[i] == COMPLETING && tags[i] == tag && requesters[i] == requester) state[i] <= FREE;
      endcase
    end else begin
      if (data_valid) begin
        memory[into_at] <= sum;
        beat <= beat + 1;
        if (completing) begin
          out_valid <= 1; out_data <= sum;
        end
      end
      if (leaving && left < to_leave) begin
        out_valid <= 1; out_data <= memory[from_at];  // before the operand's beat overwrites it
        left <= left + 1;
      end
    end
  end

  // Valid after the edge: time of the next eviction by timeout.
  always_comb begin
    deadline = '1;
    occupancy = 0;
    for (int i = 0; i < ENTRIES; i++) begin
      if (state[i] == PUSHED && stamps[i] + TIMEOUT < deadline) deadline = stamps[i] + TIMEOUT;
      if (state[i] != FREE) occupancy = occupancy + 1;
    end
  end
endmodule
