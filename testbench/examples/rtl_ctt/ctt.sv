// The connection translation table of a NetReduce accelerator in a tree: ENTRIES connections, compared in parallel, each with up
// to TARGETS connections over which a sum or result continues.
//
// Preset and learn add a target, and store the first packet of its connection. A translation returns a target in each clock, the
// first one LOOKUP_CYCLES clocks after the request. The next request is accepted with its last target.
module ctt #(
    parameter int ENTRIES = 16,
    parameter int TARGETS = 8,
    parameter int LOOKUP_CYCLES = 2  // at least 1
) (
`include "ctt_ports.svh"
);
  localparam logic [1:0] PRESET = 0, TRANSLATE = 2;
  localparam int W = $clog2(ENTRIES), V = $clog2(TARGETS);
  localparam int FIRST = 153;  // valid, message, PSN, address, rank, port

  logic        used      [0:ENTRIES-1];
  logic [55:0] keys      [0:ENTRIES-1];
  logic        directions[0:ENTRIES-1];
  logic        presets   [0:ENTRIES-1];
  logic [V:0]  counts    [0:ENTRIES-1];
  logic [55:0] targets   [0:ENTRIES*TARGETS-1];
  logic [FIRST-1:0] firsts [0:ENTRIES*TARGETS-1];
  logic [W:0]  filled;

  // Entry of the connection, and the target in it; otherwise the next free ones.
  wire [W-1:0] free_entry = filled[W-1:0];
  logic [W-1:0] hit;
  logic         is_hit;
  always_comb begin
    hit = free_entry;
    is_hit = 0;
    for (int i = 0; i < ENTRIES; i++)
      if (used[i] && keys[i] == s_from) begin
        hit = W'(i);
        is_hit = 1;
      end
  end
  wire [V:0] count = is_hit ? counts[hit] : '0;
  wire [V-1:0] free_place = count[V-1:0];
  logic [V-1:0] place;
  logic         is_known;
  always_comb begin
    place = free_place;
    is_known = 0;
    for (int i = 0; i < TARGETS; i++)
      if ((V+1)'(i) < count && targets[{hit, V'(i)}] == s_to) begin
        place = V'(i);
        is_known = 1;
      end
  end
  wire has_room = (is_hit || !filled[W]) && (is_known || !count[V]);

  // The request in progress: a beat in each clock.
  logic        busy, translates, found;
  logic [7:0]  number;
  logic [W-1:0] row;
  logic [V:0]   left;
  logic [V-1:0] beat;
  wire          is_last = left <= 1;
  assign s_ready = !busy || is_last;

  // Its beats pass LOOKUP_CYCLES - 1 registers.
  localparam int BEAT = 69 + FIRST;
  wire [BEAT-1:0] beats[0:LOOKUP_CYCLES-1];
  assign beats[0] = {busy, is_last, found, directions[row], presets[row], targets[{row, beat}],
                     translates ? firsts[{row, beat}] : {FIRST{1'b0}}, number};
  generate
    for (genvar k = 1; k < LOOKUP_CYCLES; k++) begin : stage
      logic [BEAT-1:0] held;
      always_ff @(posedge clk) held <= rst_n ? beats[k-1] : '0;
      assign beats[k] = held;
    end
  endgenerate
  assign {m_valid, m_last, m_known, m_direction, m_preset, m_to,
          m_first_valid, m_first_message, m_first_psn, m_first_address, m_first_rank, m_first_port, m_id} =
         beats[LOOKUP_CYCLES-1];

  wire [FIRST-1:0] s_first = {s_first_valid, s_first_message, s_first_psn, s_first_address, s_first_rank, s_first_port};
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy <= 0;
      filled <= 0;
      for (int i = 0; i < ENTRIES; i++) used[i] <= 0;
    end else if (busy && !is_last) begin
      beat <= beat + 1;
      left <= left - 1;
    end else if (!s_valid) busy <= 0;
    else begin
      busy <= 1;
      number <= s_id;
      translates <= s_command == TRANSLATE;
      found <= s_command == TRANSLATE ? is_hit : has_room && !is_known;
      row <= hit;
      beat <= 0;
      left <= s_command == TRANSLATE ? count : 1;
      if (s_command != TRANSLATE && has_room) begin
        used[hit] <= 1;
        keys[hit] <= s_from;
        if (!is_hit) begin
          filled <= filled + 1;
          directions[hit] <= s_direction;
          presets[hit] <= s_command == PRESET;
        end
        if (!is_known) begin
          counts[hit] <= count + 1;
          targets[{hit, place}] <= s_to;
        end
        if (s_first_valid || !is_known) firsts[{hit, place}] <= s_first;
      end
    end
  end

  wire unused = &{1'b0, s_messages};
endmodule
