#include "testbench/run/energy/prices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <variant>

#include "modules/base/parameter_set.h"

namespace tributary {
namespace {

constexpr double coarse = 45, fine = 7;                                                         // published nodes, nm
constexpr std::uint64_t small_bytes = 8 << 10, medium_bytes = 32 << 10, large_bytes = 1 << 20;  // published arrays

/// A price at the two published nodes.
struct Published {
  double at_45, at_7;
  double at(double node) const { return at_node(at_45, at_7, node); }
};
// Horowitz, ISSCC 2014; Jouppi et al., ISCA 2021, Table 2. bf16 has no price at 45 nm, and is scaled as fp16.
constexpr Published fp32{0.9, 0.38}, fp16{0.4, 0.16}, bf16{0.11 * 0.4 / 0.16, 0.11}, int32{0.1, 0.03};
// Accesses of 64 bits, per byte.
constexpr Published sram_8K{1.25, 0.94}, sram_32K{2.5, 1.06}, sram_1M{12.5, 1.75};

/// Interpolates in the logarithm of `x`; `y` changes linearly.
double between(double x, double x0, double y0, double x1, double y1) {
  return y0 + (y1 - y0) * std::log(x / x0) / std::log(x1 / x0);
}

double number(const ParameterValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

double end_of(const ParameterField& field, EnergyPrices::End end) {
  const double stated = number(field.value());
  if (end == EnergyPrices::End::stated || !field.is_default()) return stated;
  for (const PriceRange& range : price_ranges())
    if (field.path == range.parameter) return end == EnergyPrices::End::low ? range.low : range.high;
  return stated;
}

}  // namespace

const std::vector<PriceRange>& price_ranges() {
  static const std::vector<PriceRange> ranges{
      {"energy.link.nvlink", 1.2, 10},  {"energy.link.ethernet", 1.2, 10},    {"energy.link.pcie", 5, 12},
      {"energy.link.network", 1.2, 10}, {"energy.nvswitch.standing", 30, 70}, {"energy.nvswitch.copy", 0.1, 3.9},
      {"energy.fpga.ram", 1, 4},        {"energy.gpu.sm_byte", 10, 40}};
  return ranges;
}

bool is_price(const std::string& path) {
  for (const char* group : {"energy.", "area.", "technology."})
    if (path.rfind(group, 0) == 0) return true;
  return false;
}

double at_node(double at_45, double at_7, double node) {
  return at_45 * std::pow(at_7 / at_45, std::log(coarse / node) / std::log(coarse / fine));
}

/// Stillmaker and Baas, Integration 58, 2017, with the authors' corrigendum: areas relative to 45 nm.
double area_at_node(double node) {
  constexpr std::array<std::pair<double, double>, 7> table{
      {{7, 0.059}, {10, 0.10}, {14, 0.17}, {16, 0.19}, {20, 0.21}, {32, 0.46}, {45, 1}}};
  constexpr double at_16 = 0.19;
  std::size_t i = 1;
  while (i + 1 < table.size() && node > table[i].first) ++i;
  const auto [n0, a0] = table[i - 1];
  const auto [n1, a1] = table[i];
  return std::exp(between(node, n0, std::log(a0), n1, std::log(a1))) / at_16;
}

EnergyPrices::EnergyPrices(const PriceParams& params, End end)
    : asic_(technology_at(params.energy, params.technology.node)),
      fpga_(technology_at(params.energy, params.technology.fpga_node)) {
  PriceParams copy = params;
  const ParameterSet set(copy);
  for (const ParameterField& field : set.fields()) prices_[field.path] = end_of(field, end);
}

EnergyPrices::Technology EnergyPrices::technology_at(const EnergyParams& energy, double node) {
  const auto price = [node](const std::optional<double>& own, const Published& published) {
    return own.value_or(published.at(node));
  };
  const AddPrices& add = energy.add;
  const SramPrices& sram = energy.sram;
  return {price(add.fp32, fp32),      price(add.fp16, fp16),        price(add.bf16, bf16),     price(add.int32, int32),
          price(sram.small, sram_8K), price(sram.medium, sram_32K), price(sram.large, sram_1M)};
}

double EnergyPrices::add(ElementType type, ReduceOp op, bool fpga) const {
  const Technology& t = technology(fpga);
  const double logic = fpga ? at("energy.fpga.logic") : 1;
  const double wide = element_size(type) == 8 ? 2 : 1;  // two sums of half the width
  if (op != ReduceOp::sum || is_integer(type)) return logic * wide * t.int32;
  if (type == ElementType::f16) return logic * t.fp16;
  if (type == ElementType::bf16) return logic * t.bf16;
  return logic * wide * t.fp32;
}

double EnergyPrices::sram_byte(std::uint64_t array_bytes, bool fpga) const {
  const Technology& t = technology(fpga);
  const auto bytes = static_cast<double>(array_bytes);
  const double price = bytes <= small_bytes    ? t.small
                       : bytes <= medium_bytes ? between(bytes, small_bytes, t.small, medium_bytes, t.medium)
                       : bytes < large_bytes   ? between(bytes, medium_bytes, t.medium, large_bytes, t.large)
                                               : t.large;
  return price * (fpga ? at("energy.fpga.ram") : 1);
}

double EnergyPrices::at(const std::string& path) const {
  const auto found = prices_.find(path);
  if (found == prices_.end()) throw std::logic_error(path + " is no price");
  return found->second;
}

double EnergyPrices::of(const Action& a) const {
  switch (a.kind) {
    case Action::Kind::bit:
    case Action::Kind::byte:
      return at(a.price);
    case Action::Kind::add:
      return add(a.type, a.op, a.fpga);
    case Action::Kind::read:
    case Action::Kind::write:
      return sram_byte(a.array_bytes, a.fpga);
    case Action::Kind::search:
      return at("energy.cam_bit") * 1e-3;
  }
  return 0;
}

std::vector<std::pair<std::string, double>> EnergyPrices::parameters_of(const Action& a) const {
  const Technology& t = technology(a.fpga);
  if (a.kind == Action::Kind::bit || a.kind == Action::Kind::byte) return {{a.price, at(a.price)}};
  if (a.kind == Action::Kind::search) return {{"energy.cam_bit", at("energy.cam_bit")}};
  std::vector<std::pair<std::string, double>> all;
  if (a.kind == Action::Kind::add) {
    const bool integer = a.op != ReduceOp::sum || is_integer(a.type);
    all.push_back(integer                       ? std::pair<std::string, double>{"energy.add.int32", t.int32}
                  : a.type == ElementType::f16  ? std::pair<std::string, double>{"energy.add.fp16", t.fp16}
                  : a.type == ElementType::bf16 ? std::pair<std::string, double>{"energy.add.bf16", t.bf16}
                                                : std::pair<std::string, double>{"energy.add.fp32", t.fp32});
    if (a.fpga) all.emplace_back("energy.fpga.logic", at("energy.fpga.logic"));
    return all;
  }
  if (a.array_bytes < medium_bytes) all.emplace_back("energy.sram.small", t.small);
  if (a.array_bytes > small_bytes && a.array_bytes < large_bytes) all.emplace_back("energy.sram.medium", t.medium);
  if (a.array_bytes > medium_bytes) all.emplace_back("energy.sram.large", t.large);
  if (a.fpga) all.emplace_back("energy.fpga.ram", at("energy.fpga.ram"));
  return all;
}

}  // namespace tributary
