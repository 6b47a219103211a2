// Accepts the beats of a channel of a block, and compares them with those of a record (docs/block_records.md#beats): contents,
// with MODE "exact" edges as well. `ready` is low in STALL clocks of 100, at random.
module tributary_sink #(
    parameter int WIDTH = 1,                         // bits of all columns between edge and mask
    parameter int COLUMNS = 1,
    parameter logic [32*COLUMNS-1:0] BITS = WIDTH,   // bits of each column, the first one in the highest 32 bits
    parameter FILE = "answers.txt",
    parameter MODE = "data",
    parameter int STALL = 0,
    parameter int SEED = 1,
    parameter int PATIENCE = 65536                   // clocks without a beat that end the comparison
) (
    input  logic             clk,
    input  logic             rst_n,
    input  logic             valid,
    output logic             ready,
    input  logic [WIDTH-1:0] data,                   // columns, the first one in the highest bits
    output integer           beats,
    output integer           wrong,
    output logic             done                    // all beats of the record have been compared
);
  // verilator lint_off BLKSEQ
  // verilator lint_off UNSIGNED
  // verilator lint_off UNUSEDSIGNAL
  // verilator lint_off WIDTH
  localparam bit EXACT = MODE == "exact";
  integer file, code, bits, waited;
  logic loaded;
  logic [31:0] chance;
  logic [63:0] at, now, number;
  logic [WIDTH-1:0] line, column, mask;

  task read_line;
    begin
      code = $fscanf(file, "%d", at);
      loaded = code == 1;
      for (int i = COLUMNS - 1; i >= 0 && loaded; i--) begin
        bits = BITS[32*i+:32];
        if (bits < 64) begin
          code = $fscanf(file, "%d", number);
          column = WIDTH'(number);
        end else code = $fscanf(file, "%h", column);
        line = (line << bits) | column;
      end
      if (loaded) code = $fscanf(file, "%h", mask);
      if (loaded && code != 1) begin
        $display("%s: a column is missing", FILE);
        $finish;
      end
    end
  endtask

  task compare;
    begin
      beats = beats + 1;
      if (!loaded || ((data ^ line) & mask) !== 0 || (EXACT && at != now)) begin
        if (wrong == 0) begin
          if (loaded) $display("%s: beat %0d differs\n  edge %0d, record %0d\n  block  %h\n  record %h\n  mask   %h", FILE, beats - 1, now, at, data, line, mask);
          else $display("%s: beat %0d leaves at edge %0d beyond the record", FILE, beats - 1, now);
        end
        wrong = wrong + 1;
      end
    end
  endtask

  initial begin
    file = $fopen(FILE, "r");
    beats = 0;
    wrong = 0;
    waited = 0;
    loaded = 0;
    chance = SEED == 0 ? 1 : SEED;
    if (file != 0) read_line;
  end

  assign done = !loaded;
  always @(posedge clk)
    if (!rst_n) begin
      now <= ~64'd0;
      ready <= STALL == 0;
    end else begin
      now <= now + 1;
      // A generator of random numbers that all simulators have.
      chance = chance ^ (chance << 13);
      chance = chance ^ (chance >> 17);
      chance = chance ^ (chance << 5);
      ready <= chance % 100 >= STALL;
      waited = waited + 1;
      if (valid && ready) begin
        compare;
        waited = 0;
        if (loaded) read_line;
      end else if (loaded && waited > PATIENCE) begin
        $display("%s: beat %0d is missing after %0d clocks", FILE, beats, PATIENCE);
        wrong = wrong + 1;
        loaded = 0;
      end
    end
endmodule
