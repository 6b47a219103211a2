#include <algorithm>

#include "modules/base/pin_table.h"

namespace tributary {
namespace {

std::string full_name(const PinChannel& channel, const char* pin) { return std::string(channel.name) + "_" + pin; }

/// Number of bits as an expression of 32 bits.
std::string bits_text(unsigned bits, const char* times) {
  return *times == 0 ? "32'd" + std::to_string(bits) : "32'(" + std::to_string(bits) + "*" + times + ")";
}

/// Names and widths of the columns of a channel, without the edge.
struct Columns {
  std::vector<std::string> names, widths, bits;
};
Columns columns_of(const PinChannel& channel) {
  Columns all;
  const auto add = [&](const char* name, unsigned bits, const char* times) {
    all.names.push_back(full_name(channel, name));
    all.widths.push_back(width_text(bits, times));
    all.bits.push_back(bits_text(bits, times));
  };
  if (channel.last) add("last", 1, "");
  for (const Pin& pin : channel.pins) add(pin.name, pin.bits, pin.times);
  return all;
}

std::string joined(const std::vector<std::string>& all, const char* between) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : between) + one;
  return text;
}

/// A direction with one channel has no name of the channel in its files.
std::string file_of(const PinTable& table, const PinChannel& channel) {
  const auto alike = std::count_if(table.channels.begin(), table.channels.end(),
                                   [&](const PinChannel& c) { return c.to_block == channel.to_block; });
  return std::string(channel.to_block ? "requests" : "answers") + (alike == 1 ? "" : std::string("_") + channel.name) +
         ".txt";
}

std::string instance_of(const PinTable& table, const PinChannel& channel) {
  const Columns columns = columns_of(channel);
  const std::string name = channel.name;
  std::string text = std::string("\n  tributary_") + (channel.to_block ? "source" : "sink") + " #(\n      .WIDTH(" +
                     joined(columns.widths, " + ") + "), .COLUMNS(" + std::to_string(columns.names.size()) +
                     "),\n      .BITS({" + joined(columns.bits, ", ") + "}),\n      .FILE(\"" + file_of(table, channel) +
                     "\"), ";
  if (channel.to_block)
    text += ".MODE(MODE)\n  ) source_" + name + " (";
  else
    text +=
        std::string(".MODE(COMPARE), .STALL(") + (channel.ready ? "STALL" : "0") + "), .SEED(SEED)\n  ) sink_" + name + " (";
  text += ".clk(clk), .rst_n(rst_n), .valid(" + name + "_valid), .ready(" +
          (channel.ready      ? name + "_ready"
           : channel.to_block ? "1'b1"
                              : "") +
          "),\n      .data({" + joined(columns.names, ", ") + "}),\n      ";
  if (!channel.to_block) text += ".beats(" + name + "_beats), .wrong(" + name + "_wrong), ";
  return text + ".done(" + name + "_done));\n";
}

std::string signals_of(const PinTable& table) {
  std::string text;
  for (const FlatPin& pin : flat_pins(table)) {
    if (pin.name == "clk" || pin.name == "rst_n") continue;
    const bool bit = pin.bits == 1 && *pin.times == 0;
    text += "  wire " + (bit ? "" : "[" + width_text(pin.bits, pin.times) + "-1:0] ") + pin.name + ";\n";
  }
  for (const PinChannel& channel : table.channels) {
    text += "  wire " + full_name(channel, "done") + ";\n";
    if (!channel.to_block) text += "  integer " + full_name(channel, "beats") + ", " + full_name(channel, "wrong") + ";\n";
  }
  return text;
}

std::string block_of(const PinTable& table) {
  std::string parameters, pins;
  for (const PinParameter& p : table.parameters)
    parameters += (parameters.empty() ? " #(." : ", .") + std::string(p.name) + "(" + p.name + ")";
  for (const FlatPin& pin : flat_pins(table))
    pins += (pins.empty() ? "      ." : ",\n      .") + pin.name + "(" + pin.name + ")";
  return "\n  " + std::string(table.block) + (parameters.empty() ? "" : parameters + ")") + " block (\n" + pins + ");\n";
}

}  // namespace

std::string test_bench(const PinTable& table) {
  const std::string block = table.block;
  std::string text = "// Replays a record into the block " + block + ", written by `tributary export pins " + block +
                     " --format bench`. Runs in the\n// folder of the record (docs/block_records.md#beats).\nmodule " +
                     block + "_bench #(\n";
  for (const PinParameter& p : table.parameters)
    text += "    parameter int " + std::string(p.name) + " = " + std::to_string(p.value) + ",\n";
  text +=
      "    parameter MODE = \"exact\",    // edges of requests; or \"fast\"\n"
      "    parameter COMPARE = \"data\",  // of answers; or \"exact\", edges as well\n"
      "    parameter int STALL = 0,     // clocks of 100 in which the bench does not accept an answer\n"
      "    parameter int SEED = 1\n);\n"
      "  logic clk = 0, rst_n = 0, held = 0;\n" +
      signals_of(table) + block_of(table);
  std::vector<std::string> done, beats, wrong;
  for (const PinChannel& channel : table.channels) {
    text += instance_of(table, channel);
    done.push_back(full_name(channel, "done"));
    if (channel.to_block) continue;
    beats.push_back(full_name(channel, "beats"));
    wrong.push_back(full_name(channel, "wrong"));
  }
  return text +
         "\n  initial forever #1 clk = !clk;\n  always @(posedge clk) begin\n    held <= 1;\n    rst_n <= held;  // low in "
         "two clocks\n"
         "  end\n  initial begin\n    @(posedge rst_n);\n    @(posedge clk);\n    while (!(" +
         joined(done, " && ") +
         ")) @(posedge clk);\n"
         "    repeat (64) @(posedge clk);  // for beats beyond the record\n"
         "    $display(\"%0d beats, %0d wrong\", " +
         joined(beats, " + ") + ", " + joined(wrong, " + ") + ");\n    $finish;\n  end\nendmodule\n";
}

}  // namespace tributary
