#pragma once
/// TechnologyParams, EnergyParams, AreaParams: prices of actions and structures, which change no run (docs/energy.md).

#include <optional>

#include "modules/base/parameters.h"

namespace tributary {

struct TechnologyParams {
  double node = 16, fpga_node = 20;
};
template <class V>
void visit(V& v, TechnologyParams& p) {
  v.field("node", p.node,
          Note("node of switches, NICs and GPUs, nm: prices of adders and SRAM lie between those at 45 and 7 nm")
              .role(ParameterRole::shape)
              .source("Klenk IV-G [P]")
              .range("7", "45"));
  v.field("fpga_node", p.fpga_node,
          Note("node of FPGAs, nm")
              .role(ParameterRole::shape)
              .source("Virtex UltraScale [F]; docs/energy.md#adders-and-sram")
              .range("7", "45"));
}

struct AddPrices {
  std::optional<double> fp32, fp16, bf16, int32;
};
template <class V>
void visit(V& v, AddPrices& p) {
  const auto add = [&](const char* name, std::optional<double>& x, const char* help, const char* ends) {
    v.field(name, x,
            Note(help)
                .role(ParameterRole::shape)
                .source("Horowitz, ISSCC 2014; Jouppi et al., ISCA 2021, Table 2 [F]")
                .range("0", "1000")
                .automatic(ends));
  };
  add("fp32", p.fp32, "sum of two f32, pJ", "0.9 at 45 nm, 0.38 at 7 nm");
  add("fp16", p.fp16, "sum of two f16, pJ", "0.4 at 45 nm, 0.16 at 7 nm");
  add("bf16", p.bf16, "sum of two bf16, pJ", "0.11 at 7 nm; scaled as f16");
  add("int32", p.int32, "sum of two i32, and minimum or maximum of any type, pJ", "0.1 at 45 nm, 0.03 at 7 nm");
}

struct SramPrices {
  std::optional<double> small, medium, large;
};
template <class V>
void visit(V& v, SramPrices& p) {
  const auto add = [&](const char* name, std::optional<double>& x, const char* help, const char* ends) {
    v.field(name, x,
            Note(help)
                .role(ParameterRole::shape)
                .source("Horowitz, ISSCC 2014; Jouppi et al., ISCA 2021, Table 2 [F]")
                .range("0", "1000")
                .automatic(ends));
  };
  add("small", p.small, "access to an array of 8 KiB or less, pJ per byte", "1.25 at 45 nm, 0.94 at 7 nm");
  add("medium", p.medium, "access to an array of 32 KiB, pJ per byte", "2.5 at 45 nm, 1.06 at 7 nm");
  add("large", p.large, "access to an array of 1 MiB or more, pJ per byte", "12.5 at 45 nm, 1.75 at 7 nm");
}

/// A price of the groups below; all have the role `shape`.
template <class V>
void price_field(V& v, const char* name, double& x, const char* help, const char* source, const char* most = "1000000") {
  v.field(name, x, Note(help).role(ParameterRole::shape).source(source).range("0", most));
}

struct LinkPrices {
  double nvlink = 10, ethernet = 10, pcie = 10, network = 10, idle_share = 0;
};
template <class V>
void visit(V& v, LinkPrices& p) {
  price_field(v, "nvlink", p.nvlink, "bit on an NVLink, both ends, pJ",
              "links of a board in Arunkumar et al., ISCA 2017 [G 1.2 to 10]");
  price_field(v, "ethernet", p.ethernet, "bit on passive copper, both ends, pJ", "as energy.link.nvlink [G 1.2 to 10]");
  price_field(v, "pcie", p.pcie, "bit on PCIe, both ends, pJ", "docs/energy.md#links [G 5 to 12]");
  price_field(v, "network", p.network, "bit on a link of schedule NICs, both ends, pJ",
              "as energy.link.nvlink [G 1.2 to 10]");
  price_field(v, "idle_share", p.idle_share, "share of a link's full power that it draws without traffic",
              "docs/energy.md#links [G]", "1");
}

/// A device: its power whatever happens, and a bit that it moves.
struct DevicePrices {
  double standing = 0, bit = 0;
};

struct EnergyParams {
  AddPrices add;
  SramPrices sram;
  double cam_bit = 0.6;
  double fpga_logic = 14, fpga_ram = 2;
  LinkPrices link;
  DevicePrices nvswitch{50, 3.9}, ethernet_switch{6.6, 18}, tofino{6.6, 18}, nic{10.4, 20}, fpga{17, 8};
  double nvswitch_copy = 0.1, crossbar_bit = 0.1;
  double memory_bit = 3.92;
  double sm_byte = 21, gpu_standing = 0;
};
template <class V>
void visit(V& v, EnergyParams& p) {
  v.group("add", p.add);
  v.group("sram", p.sram);
  price_field(v, "cam_bit", p.cam_bit, "bit that a search of an associative table compares, fJ",
              "ternary CAM of 2021 at 65 nm [F]; not scaled [G]");
  v.group("link", p.link);
  price_field(v, "nvswitch.standing", p.nvswitch.standing, "power of an NVSwitch whatever happens, W",
              "half of the 100 W of WikiChip [G 30 to 70]");
  price_field(v, "nvswitch.bit", p.nvswitch.bit, "bit that enters an NVSwitch, pJ",
              "(100 W - 50 W) / 3.6 Tb/s - energy.link.nvlink [D]");
  price_field(v, "nvswitch.copy", p.nvswitch_copy, "bit of each further copy that crosses the crossbar of an NVSwitch, pJ",
              "wires of 1 mm [G 0.1 to 3.9]");
  price_field(v, "ethernet_switch.standing", p.ethernet_switch.standing, "power of a port of an Ethernet switch, W",
              "70 % [G] of 9.4 W, Liu Table 10 [P]");
  price_field(v, "ethernet_switch.bit", p.ethernet_switch.bit, "bit that enters an Ethernet switch, pJ",
              "(2.8 W - 1 W of link) / 100 Gb/s [D]");
  price_field(v, "tofino.standing", p.tofino.standing, "power of a port of a programmable switch, W",
              "as energy.ethernet_switch.standing [G]");
  price_field(v, "tofino.bit", p.tofino.bit, "bit of a frame that passes a pipeline of a programmable switch, pJ",
              "as energy.ethernet_switch.bit [G]");
  price_field(v, "nic.standing", p.nic.standing, "power of a NIC of a host, W",
              "80 % of 12.95 W, typical of a ConnectX-5 with 2 x 25 GbE [G]");
  price_field(v, "nic.bit", p.nic.bit, "bit that enters or leaves a NIC of a host, pJ", "20 % of 12.95 W [G]");
  price_field(v, "fpga.standing", p.fpga.standing, "power of an accelerator's FPGA, W",
              "60 % [G] of 28.3 W, Liu Table 10 [P]");
  price_field(v, "fpga.bit", p.fpga.bit, "bit that enters an accelerator's FPGA, pJ", "rest of 28.3 W at 600 Gb/s [D]");
  price_field(v, "fpga.logic", p.fpga_logic, "energy of logic in an FPGA, as a multiple of that in an ASIC",
              "Kuon and Rose, TCAD 26(2), 2007 [F]");
  price_field(v, "fpga.ram", p.fpga_ram, "energy of a block RAM of an FPGA, as a multiple of an SRAM of its size",
              "docs/energy.md#adders-and-sram [G 1 to 4]");
  price_field(v, "crossbar.bit", p.crossbar_bit, "bit that crosses the crossbar of a router, 1 mm, pJ", "0.1 pJ/bit/mm [G]");
  price_field(v, "memory.bit", p.memory_bit, "bit that is read from or written to memory (HBM2), pJ",
              "O'Connor et al., MICRO 2017 [F]");
  price_field(v, "gpu.sm_byte", p.sm_byte, "byte that a kernel or a copy moves through the L2 of a GPU, pJ",
              "two accesses to 1 MiB of SRAM, 20 mm of wire [G 10 to 40]");
  price_field(v, "gpu.standing", p.gpu_standing, "power of a GPU that waits, W; 300 of a V100 by Liu Table 10 [P]",
              "docs/energy.md#not-included [G]");
}

/// DSP blocks of an FPGA in one adder.
struct DspParams {
  double fp64 = 3, fp32 = 2, fp16 = 2, int32 = 0;
};
template <class V>
void visit(V& v, DspParams& p) {
  constexpr const char* most = "16";
  price_field(v, "fp64", p.fp64, "DSP blocks of an adder of f64 in an FPGA; 0: logic alone",
              "AMD PG060, DS335; docs/energy.md#dsp-blocks [G 0 to 3]", most);
  price_field(v, "fp32", p.fp32, "DSP blocks of an adder of f32 in an FPGA; 0: logic alone",
              "AMD PG060, DS335; docs/energy.md#dsp-blocks [G 0 to 2]", most);
  price_field(v, "fp16", p.fp16, "DSP blocks of an adder of f16 or bf16 in an FPGA; 0: logic alone",
              "docs/energy.md#dsp-blocks [G 0 to 2]", most);
  price_field(v, "int32", p.int32, "DSP blocks of an integer adder, or of a minimum or maximum, in an FPGA; 0: logic alone",
              "docs/energy.md#dsp-blocks [G 0 to 1]", most);
}

struct AreaParams {
  double sram_byte = 2.713;
  double adder_fp32 = 795, adder_fp16 = 258, adder_int32 = 26;
  std::optional<double> lanes;
  double clock = 1;
  double cam_bit = 1.5;
  double crossbar_width = 256, crossbar_pitch = 0.16;
  double serdes_lane = 0.35;
  DspParams dsp;
};
template <class V>
void visit(V& v, AreaParams& p) {
  price_field(v, "sram_byte", p.sram_byte, "SRAM in small macros at 16 nm, um2 per byte",
              "0.05 mm2 for 18 KiB, Klenk IV-G [P]");
  price_field(v, "adder.fp32", p.adder_fp32, "adder of f32 at 16 nm, um2", "4184 um2 at 45 nm [F] x 0.19");
  price_field(v, "adder.fp16", p.adder_fp16, "adder of f16 or bf16 at 16 nm, um2", "1360 um2 at 45 nm [F] x 0.19");
  price_field(v, "adder.int32", p.adder_int32, "adder of integers at 16 nm, um2", "137 um2 at 45 nm [F] x 0.19");
  v.field("adder.lanes", p.lanes,
          Note("adders of a port")
              .role(ParameterRole::shape)
              .source("docs/energy.md#area [G]")
              .range("0", "4096")
              .automatic("the rate of the link at area.clock, up to a power of two"));
  price_field(v, "clock", p.clock, "clock of the adders, GHz", "docs/energy.md#area [G]");
  price_field(v, "cam_bit", p.cam_bit, "bit of an associative tag at 16 nm, um2", "docs/energy.md#area [G]");
  price_field(v, "crossbar.width", p.crossbar_width, "bits of a port of a crossbar", "docs/energy.md#area [G]");
  price_field(v, "crossbar.pitch", p.crossbar_pitch, "wires of a crossbar, um from one to the next",
              "two tracks of 80 nm [G]");
  price_field(v, "serdes_lane", p.serdes_lane, "sender and receiver of 25 Gb/s, mm2; the same at every node",
              "docs/energy.md#area [G 0.2 to 0.5]");
  v.group("dsp", p.dsp);
}

/// All prices of a run.
struct PriceParams {
  TechnologyParams technology;
  EnergyParams energy;
  AreaParams area;
};
template <class V>
void visit(V& v, PriceParams& p) {
  v.group("technology", p.technology);
  v.group("energy", p.energy);
  v.group("area", p.area);
}

}  // namespace tributary
