// Replays a record into the block combinator, written by `tributary export pins combinator --format bench`. Runs in the
// folder of the record (docs/block_records.md#beats).
module combinator_bench #(
    parameter int RANKS = 6,
    parameter MODE = "exact",    // edges of requests; or "fast"
    parameter COMPARE = "data",  // of answers; or "exact", edges as well
    parameter int STALL = 0,     // clocks of 100 in which the bench does not accept an answer
    parameter int SEED = 1
);
  logic clk = 0, rst_n = 0, held = 0;
  wire s_valid;
  wire s_ready;
  wire s_last;
  wire [512*RANKS-1:0] s_data;
  wire [7-1:0] s_skip;
  wire [16-1:0] s_ring;
  wire [16-1:0] s_id;
  wire [3-1:0] s_type;
  wire [2-1:0] s_op;
  wire m_valid;
  wire m_ready;
  wire m_last;
  wire [512-1:0] m_data;
  wire [16-1:0] m_id;
  wire s_done;
  wire m_done;
  integer m_beats, m_wrong;

  combinator #(.RANKS(RANKS)) block (
      .clk(clk),
      .rst_n(rst_n),
      .s_valid(s_valid),
      .s_ready(s_ready),
      .s_last(s_last),
      .s_data(s_data),
      .s_skip(s_skip),
      .s_ring(s_ring),
      .s_id(s_id),
      .s_type(s_type),
      .s_op(s_op),
      .m_valid(m_valid),
      .m_ready(m_ready),
      .m_last(m_last),
      .m_data(m_data),
      .m_id(m_id));

  tributary_source #(
      .WIDTH(1 + 512*RANKS + 7 + 16 + 16 + 3 + 2), .COLUMNS(7),
      .BITS({32'd1, 32'(512*RANKS), 32'd7, 32'd16, 32'd16, 32'd3, 32'd2}),
      .FILE("requests.txt"), .MODE(MODE)
  ) source_s (.clk(clk), .rst_n(rst_n), .valid(s_valid), .ready(s_ready),
      .data({s_last, s_data, s_skip, s_ring, s_id, s_type, s_op}),
      .done(s_done));

  tributary_sink #(
      .WIDTH(1 + 512 + 16), .COLUMNS(3),
      .BITS({32'd1, 32'd512, 32'd16}),
      .FILE("answers.txt"), .MODE(COMPARE), .STALL(STALL), .SEED(SEED)
  ) sink_m (.clk(clk), .rst_n(rst_n), .valid(m_valid), .ready(m_ready),
      .data({m_last, m_data, m_id}),
      .beats(m_beats), .wrong(m_wrong), .done(m_done));

  initial forever #1 clk = !clk;
  always @(posedge clk) begin
    held <= 1;
    rst_n <= held;  // low in two clocks
  end
  initial begin
    @(posedge rst_n);
    @(posedge clk);
    while (!(s_done && m_done)) @(posedge clk);
    repeat (64) @(posedge clk);  // for beats beyond the record
    $display("%0d beats, %0d wrong", m_beats, m_wrong);
    $finish;
  end
endmodule
