// A reduction table: ENTRIES blocks of 128 B, four adders of 32 bits; a header or a beat of 16 B enters in each clock.
//
// A sum leaves ADD_CYCLES clocks after the last beats of its operands, and a partial sum is written at the same time: an operand of
// the same entry waits until its first beat finds it. The least recently used entry is evicted for room, or after TIMEOUT.
module reduction_table #(
    parameter int ENTRIES = 32,         // at least 2
    parameter int TIMEOUT = 2_000_000,  // ps
    parameter int ADD_CYCLES = 1        // registers from an operand's beat to that of its sum
) (
`include "reduction_table_ports.svh"
);
  localparam int W = $clog2(ENTRIES);         // bits of an entry's number
  localparam int F = $clog2(ADD_CYCLES + 17); // bits of a place in the queues of beats that leave
  localparam logic [2:0] PUSH = 0, ALLOCATE = 1, COLLECT = 2, EXPIRE = 3;
  localparam logic [2:0] INSERTED = 0, MERGED = 1, COMPLETED = 2, REFUSED = 3, MISSED = 4, BYPASSED = 5, NOTHING = 6;
  localparam logic [1:0] FREE = 0, PUSHED = 1, PULLED = 2, COMPLETING = 3;

  logic [1:0]   state     [0:ENTRIES-1];
  logic         fresh     [0:ENTRIES-1];  // no operand yet
  logic [40:0]  tags      [0:ENTRIES-1];
  logic [15:0]  requesters[0:ENTRIES-1];
  logic [15:0]  counts    [0:ENTRIES-1];
  logic [15:0]  wanted    [0:ENTRIES-1];
  logic [3:0]   lengths   [0:ENTRIES-1];
  logic [63:0]  stamps    [0:ENTRIES-1];  // of push entries: the latest operand
  logic [127:0] memory    [0:ENTRIES*8-1];

  // The entry of the header, a free entry, and the least recently used push entry.
  logic [W-1:0] hit, vacant, oldest;
  logic         is_hit, is_vacant, is_oldest;
  always_comb begin
    hit = 0;
    is_hit = 0;
    for (int i = 0; i < ENTRIES; i++)
      if (tags[i] == s_tag && ((s_command == PUSH && state[i] == PUSHED) ||
                               (s_command == COLLECT && state[i] == PULLED && requesters[i] == s_requester))) begin
        hit = W'(i);
        is_hit = 1;
      end
  end
  always_comb begin
    vacant = 0;
    is_vacant = 0;
    oldest = 0;
    is_oldest = 0;
    for (int i = ENTRIES - 1; i >= 0; i--) begin
      if (state[i] == FREE) begin
        vacant = W'(i);
        is_vacant = 1;
      end
      if (state[i] == PUSHED && (!is_oldest || stamps[i] < stamps[oldest])) begin
        oldest = W'(i);
        is_oldest = 1;
      end
    end
  end
  wire [63:0]  due = stamps[oldest] + 64'(TIMEOUT);
  wire         overdue = s_command == EXPIRE && is_oldest && due <= s_now;
  wire         evicts = overdue || (s_command == PUSH && !is_hit && !is_vacant && is_oldest);
  wire [15:0]  count = counts[hit] + s_operands;
  wire         completes = is_hit && count >= wanted[hit];
  wire [W-1:0] target = is_vacant ? vacant : oldest;

  // A header waits until the entry that it uses has been written, and until there is room for the beats that leave because of it.
  localparam int YOUNG = ADD_CYCLES < 2 ? 1 : ADD_CYCLES - 1;
  logic [YOUNG-1:0] young;  // bit i: a header was accepted i + 1 clocks ago
  logic [W-1:0]     young_entry[0:YOUNG-1];
  wire [W-1:0]      used = evicts ? oldest : hit;
  logic             unwritten;
  always_comb begin
    unwritten = 0;
    for (int i = 0; i < ADD_CYCLES - 1; i++) unwritten = unwritten || (young[i] && young_entry[i] == used);
  end
  logic         reads;  // an entry leaves
  logic [W-1:0] from;
  logic [3:0]   left, length;
  wire          reads_on = reads && left + 1 != length;
  logic [F:0]   owed;  // beats that will leave
  wire          emits = completes || evicts;
  wire          waits = (unwritten && (is_hit || evicts)) || (evicts && reads_on) || (emits && owed + 8 >= (F + 1)'(1 << F));
  assign s_ready = !s_header || !waits;
  wire          takes = s_valid && s_header && !waits;
  wire [3:0]    emitted = evicts ? lengths[oldest] : s_beats;

  // The operand whose beats pass.
  logic [W-1:0] into;
  logic         keeps, adds, sums;
  logic [2:0]   beat;
  wire          passes = s_valid && !s_header && keeps;

  always_ff @(posedge clk) begin
    a_valid <= takes && rst_n;
    if (!rst_n) begin
      for (int i = 0; i < ENTRIES; i++) state[i] <= FREE;
      keeps <= 0;
    end else if (takes) begin
      a_id <= s_id;
      a_answer <= NOTHING;
      a_entry <= 0;
      a_evicts <= evicts;
      a_evicted_entry <= 16'(oldest);
      a_operands <= evicts ? counts[oldest] : completes ? count : 0;
      beat <= 0;
      keeps <= 0;
      adds <= is_hit && !fresh[hit];
      sums <= completes;
      case (s_command)
        PUSH, COLLECT:
          if (is_hit) begin
            keeps <= 1;
            into <= hit;
            a_entry <= 16'(hit);
            a_answer <= completes ? COMPLETED : MERGED;
            if (completes) state[hit] <= COMPLETING;
            if (fresh[hit]) lengths[hit] <= s_beats;
            fresh[hit] <= 0;
            counts[hit] <= count;
            stamps[hit] <= s_now;
          end else if (s_command == COLLECT) a_answer <= MISSED;
          else if (!is_vacant && !is_oldest) a_answer <= BYPASSED;
          else begin
            keeps <= 1;
            into <= target;
            a_entry <= 16'(target);
            a_answer <= INSERTED;
            state[target] <= PUSHED;
            fresh[target] <= 0;
            tags[target] <= s_tag;
            requesters[target] <= 16'hFFFF;
            counts[target] <= s_operands;
            wanted[target] <= s_expected;
            lengths[target] <= s_beats;
            stamps[target] <= s_now;
          end
        ALLOCATE:
          if (is_vacant) begin
            a_entry <= 16'(vacant);
            a_answer <= INSERTED;
            state[vacant] <= PULLED;
            fresh[vacant] <= 1;
            tags[vacant] <= s_tag;
            requesters[vacant] <= s_requester;
            counts[vacant] <= 0;
            wanted[vacant] <= s_expected;
          end else a_answer <= REFUSED;
        EXPIRE:
          if (overdue) begin
            a_entry <= 16'(oldest);
            a_answer <= INSERTED;
            state[oldest] <= FREE;
          end
        default:  // finish
          for (int i = 0; i < ENTRIES; i++)
            if (state[i] == COMPLETING && tags[i] == s_tag && requesters[i] == s_requester) state[i] <= FREE;
      endcase
    end else if (passes) beat <= beat + 1;
  end
  assign a_deadline = is_oldest ? due : '1;

  always_ff @(posedge clk) begin
    young[0] <= takes && rst_n && (s_command == PUSH || is_hit);
    young_entry[0] <= is_hit ? hit : target;
    for (int i = 1; i < YOUNG; i++) begin
      young[i] <= young[i-1] && rst_n;
      young_entry[i] <= young_entry[i-1];
    end
  end

  // The adders. The last register of a partial sum is the memory.
  wire [W+2:0] into_at = {into, beat};
  wire [127:0] partial = memory[into_at];
  logic [127:0] sum;
  always_comb
    for (int lane = 0; lane < 4; lane++)
      sum[32*lane+:32] = s_data[32*lane+:32] + (adds ? partial[32*lane+:32] : 32'd0);

  localparam int STAGES = ADD_CYCLES < 2 ? 0 : ADD_CYCLES - 1;
  wire [W+132:0] entering = {passes, sums, into_at, sum};
  wire [W+132:0] written;
  generate
    if (STAGES == 0) begin : at_once
      assign written = entering;
    end else begin : pipeline
      logic [W+132:0] stages[0:STAGES-1];
      always_ff @(posedge clk) begin
        stages[0] <= rst_n ? entering : '0;
        for (int i = 1; i < STAGES; i++) stages[i] <= rst_n ? stages[i-1] : '0;
      end
      assign written = stages[STAGES-1];
    end
  endgenerate
  wire ends = written[W+132] && written[W+131];  // a beat of a complete sum
  always_ff @(posedge clk) if (written[W+132] && !ends) memory[written[W+130:128]] <= written[127:0];

  wire         sum_valid;
  wire [127:0] sum_data;
  generate
    if (ADD_CYCLES == 0) begin : not_registered
      assign sum_valid = ends;
      assign sum_data = written[127:0];
    end else begin : registered
      logic         valid;
      logic [127:0] data;
      always_ff @(posedge clk) begin
        valid <= ends && rst_n;
        data <= written[127:0];
      end
      assign sum_valid = valid;
      assign sum_data = data;
    end
  endgenerate

  // An entry that leaves is read as the operand that replaces it enters.
  wire [127:0] old_data = memory[{from, left[2:0]}];
  always_ff @(posedge clk) begin
    left <= left + 1;
    if (!reads_on) reads <= 0;
    if (takes && evicts) begin
      reads <= 1;
      from <= oldest;
      left <= 0;
      length <= lengths[oldest];
    end
    if (!rst_n) reads <= 0;
  end

  // Sums and evicted entries leave in the order of their headers, whole. Beats that cannot leave at once wait in two queues.
  logic [127:0] waiting_sums[0:2**F-1], waiting_olds[0:2**F-1];
  logic [F-1:0] sum_in, sum_out, old_in, old_out;
  logic [12:0]  order[0:2**F-1];  // evicted, beats, id
  logic [F-1:0] order_in, order_out;
  logic [3:0]   sent;
  wire          is_old = order[order_out][12];
  wire          sum_waits = sum_in != sum_out, old_waits = old_in != old_out;
  assign m_valid = order_in != order_out && (is_old ? old_waits || reads : sum_waits || sum_valid);
  assign m_data = is_old ? (old_waits ? waiting_olds[old_out] : old_data) : sum_waits ? waiting_sums[sum_out] : sum_data;
  assign m_last = sent + 1 == order[order_out][11:8];
  assign m_id = order[order_out][7:0];
  wire leaves = m_valid && m_ready;
  wire sum_leaves = leaves && !is_old, old_leaves = leaves && is_old;
  always_ff @(posedge clk)
    if (!rst_n) begin
      {sum_in, sum_out, old_in, old_out, order_in, order_out} <= '0;
      sent <= 0;
      owed <= 0;
    end else begin
      if (sum_valid && !(sum_leaves && !sum_waits)) begin
        waiting_sums[sum_in] <= sum_data;
        sum_in <= sum_in + 1;
      end
      if (reads && !(old_leaves && !old_waits)) begin
        waiting_olds[old_in] <= old_data;
        old_in <= old_in + 1;
      end
      if (sum_leaves && sum_waits) sum_out <= sum_out + 1;
      if (old_leaves && old_waits) old_out <= old_out + 1;
      if (takes && emits) begin
        order[order_in] <= {evicts, emitted, s_id};
        order_in <= order_in + 1;
      end
      if (leaves) sent <= m_last ? 0 : sent + 1;
      if (leaves && m_last) order_out <= order_out + 1;
      owed <= owed + (takes && emits ? (F + 1)'(emitted) : 0) - (F + 1)'(leaves);
    end

  wire unused = &{1'b0, s_last, s_first_hop, s_type, s_op, young, young_entry[YOUNG-1], left[3]};
endmodule
