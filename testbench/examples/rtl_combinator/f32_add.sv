// Adder of two binary32 numbers of IEEE 754, with 11 registers from input to output. It rounds to nearest, ties to even, and
// keeps subnormal numbers. A NaN, or infinities of different signs, give the quiet NaN 0x7FC00000.
module f32_add (
    input  logic        clk,
    input  logic        move,  // low: all registers hold their values
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] sum
);
  localparam logic [7:0] SPECIAL = 8'hFF;  // exponent of infinities and NaNs

  // 1, 2: the operand with the larger magnitude, and the smaller one.
  logic [31:0] a1, b1, large2, small2;
  logic        swap1;
  always_ff @(posedge clk)
    if (move) begin
      a1 <= a;
      b1 <= b;
      swap1 <= b[30:0] > a[30:0];
      large2 <= swap1 ? b1 : a1;
      small2 <= swap1 ? a1 : b1;
    end

  // 3: significands with their hidden bit. A subnormal number has none, and the exponent 1.
  wire  [7:0]  large_exponent = large2[30:23] == 0 ? 8'd1 : large2[30:23];
  wire  [7:0]  small_exponent = small2[30:23] == 0 ? 8'd1 : small2[30:23];
  wire         differ = large2[31] != small2[31];
  logic [23:0] large3, small3;
  logic [7:0]  distance3;
  logic [7:0]  exponent3, exponent4, exponent5, exponent6, exponent7, exponent8;
  // Bit n is that of stage n.
  logic [10:3] sign, subtract, nan, infinity;
  always_ff @(posedge clk)
    if (move) begin
      large3 <= {large2[30:23] != 0, large2[22:0]};
      small3 <= {small2[30:23] != 0, small2[22:0]};
      distance3 <= large_exponent - small_exponent;
      exponent3 <= large_exponent;
      exponent4 <= exponent3;
      exponent5 <= exponent4;
      exponent6 <= exponent5;
      exponent7 <= exponent6;
      exponent8 <= exponent7;
      sign <= {sign[9:3], large2[31]};
      subtract <= {subtract[9:3], differ};
      nan <= {nan[9:3], large2[30:23] == SPECIAL && (large2[22:0] != 0 || (small2[30:23] == SPECIAL && differ))};
      infinity <= {infinity[9:3], large2[30:23] == SPECIAL};
    end

  // 4, 5: the smaller significand moves right, first by multiples of 8. The sticky bit is the OR of all bits that are lost.
  wire  [49:0] coarse = {small3, 26'd0} >> {distance3[4:3], 3'd0};
  wire  [32:0] fine = {small4, 7'd0} >> distance4;
  logic [23:0] large4, large5;
  logic [25:0] small4, small5;
  logic [2:0]  distance4;
  logic        sticky4, sticky5;
  always_ff @(posedge clk)
    if (move) begin
      large4 <= large3;
      large5 <= large4;
      distance4 <= distance3[2:0];
      if (distance3[7:5] != 0) begin
        small4 <= 26'd0;
        sticky4 <= small3 != 0;
      end else begin
        small4 <= coarse[49:24];
        sticky4 <= coarse[23:0] != 0;
      end
      small5 <= fine[32:7];
      sticky5 <= sticky4 || fine[6:0] != 0;
    end

  // 6, 7: sum or difference, with guard, round and sticky bit: the lower 14 bits, then the upper 13. A difference is never
  // negative; its carry is no part of it.
  wire  [26:0] first = {large5, 3'd0};
  wire  [26:0] second = {small5, sticky5} ^ {27{subtract[5]}};
  wire  [13:0] upper = {1'b0, first6} + {1'b0, second6} + {13'd0, lower6[14]};
  logic [14:0] lower6;
  logic [12:0] first6, second6;
  logic [27:0] total7, total8, total9;
  always_ff @(posedge clk)
    if (move) begin
      lower6 <= {1'b0, first[13:0]} + {1'b0, second[13:0]} + {14'd0, subtract[5]};
      first6 <= first[26:14];
      second6 <= second[26:14];
      total7 <= {upper[13] && !subtract[6], upper[12:0], lower6[13:0]};
      total8 <= total7;
      total9 <= total8;
    end

  // 8: zeros above the leading one.
  logic [4:0] zeros, zeros8;
  always_comb begin
    zeros = 5'd28;
    for (int i = 0; i < 28; i++) if (total7[i]) zeros = 5'(27 - i);
  end
  always_ff @(posedge clk) if (move) zeros8 <= zeros;

  // 9, 10: the leading one moves to bit 27. A sum below 2^-126 moves as far as the exponent 1.
  wire        is_normal = {3'd0, zeros8} <= exponent8;
  wire [4:0]  shift = is_normal ? zeros8 : exponent8[4:0];
  logic [4:0]  shift9;
  logic [7:0]  exponent9, exponent10;
  logic [27:0] total10;
  always_ff @(posedge clk)
    if (move) begin
      shift9 <= shift;
      exponent9 <= exponent8 + 8'd1 - {3'd0, shift};
      exponent10 <= exponent9;
      total10 <= total9 << shift9;
    end

  // 11: rounding, which may carry into the exponent. Equal numbers of different signs give +0.
  wire        round = total10[3] && (total10[4] || total10[2:0] != 0);
  wire [30:0] rounded = {total10[27] ? exponent10 : 8'd0, total10[26:4]} + {30'd0, round};
  wire        is_zero = total10 == 0;
  always_ff @(posedge clk)
    if (move) begin
      if (nan[10]) sum <= 32'h7FC00000;
      else if (infinity[10] || exponent10 == SPECIAL) sum <= {sign[10], SPECIAL, 23'd0};
      else sum <= {sign[10] && !(is_zero && subtract[10]), rounded};
    end
endmodule
