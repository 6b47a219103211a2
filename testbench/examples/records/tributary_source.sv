// Drives a channel of a block with the beats of a record (docs/block_records.md#beats): at the recorded edges, or, with MODE
// "fast", as soon as the block is ready. Edge 0 is the second one after the reset.
module tributary_source #(
    parameter int WIDTH = 1,                         // bits of all columns after the edge
    parameter int COLUMNS = 1,
    parameter logic [32*COLUMNS-1:0] BITS = WIDTH,   // bits of each column, the first one in the highest 32 bits
    parameter FILE = "requests.txt",
    parameter MODE = "exact"
) (
    input  logic             clk,
    input  logic             rst_n,
    output logic             valid,
    input  logic             ready,
    output logic [WIDTH-1:0] data,                   // columns, the first one in the highest bits
    output logic             done                    // all beats have been accepted
);
  // verilator lint_off BLKSEQ
  // verilator lint_off UNUSEDSIGNAL
  // verilator lint_off WIDTH
  localparam bit FAST = MODE == "fast";
  integer file, code, bits;
  logic loaded;
  logic [63:0] at, now, number;
  logic [WIDTH-1:0] line, column;

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
        if (code != 1) begin
          $display("%s: a column is missing", FILE);
          $finish;
        end
      end
    end
  endtask

  initial begin
    file = $fopen(FILE, "r");
    if (file == 0) begin
      $display("%s: cannot be read", FILE);
      $finish;
    end
    valid = 0;
    read_line;
  end

  assign done = !loaded && !valid;
  always @(posedge clk)
    if (!rst_n) begin
      now <= 0;
      valid <= 0;
    end else begin
      now <= now + 1;
      if (!valid || ready) begin
        valid <= loaded && (FAST || at <= now);
        if (loaded && (FAST || at <= now)) begin
          data <= line;
          read_line;
        end
      end
    end
endmodule
