#include "testbench/run/energy/area.h"

#include <algorithm>
#include <cmath>

#include "modules/base/text_format.h"
#include "testbench/run/energy/prices.h"

namespace tributary {
namespace {

constexpr double mm2_of_um2 = 1e-6;

/// Returns three significant digits: 0.0111, 44.8.
std::string significant(double x) {
  if (x <= 0) return "0";
  const int decimals = 2 - static_cast<int>(std::floor(std::log10(x)));
  return fixed(x, decimals < 0 ? 0 : decimals);
}

}  // namespace

AreaPrices::AreaPrices(const PriceParams& params) : params_(params.area), scale_(area_at_node(params.technology.node)) {}

double AreaPrices::sram(double bytes) const { return bytes * params_.sram_byte * scale_ * mm2_of_um2; }

double AreaPrices::adder(ElementType type, ReduceOp op) const {
  const double wide = element_size(type) == 8 ? 2 : 1;
  const bool half = type == ElementType::f16 || type == ElementType::bf16;
  const double um2 = op != ReduceOp::sum || is_integer(type) ? params_.adder_int32
                     : half                                  ? params_.adder_fp16
                                                             : params_.adder_fp32;
  return um2 * wide * scale_ * mm2_of_um2;
}

double AreaPrices::dsp_blocks(ElementType type, ReduceOp op) const {
  const DspParams& dsp = params_.dsp;
  if (op != ReduceOp::sum || is_integer(type)) return dsp.int32 * (element_size(type) == 8 ? 2 : 1);
  return type == ElementType::f64 ? dsp.fp64 : type == ElementType::f32 ? dsp.fp32 : dsp.fp16;
}

double AreaPrices::lanes(Bandwidth rate) const {
  if (params_.lanes) return *params_.lanes;
  if (params_.clock <= 0) return 1;
  const double needed = std::ceil(static_cast<double>(rate.value) / (params_.clock * 1e9 * 4));
  return std::exp2(std::ceil(std::log2(std::max(needed, 1.0))));
}

double AreaPrices::cam(double bits) const { return bits * params_.cam_bit * scale_ * mm2_of_um2; }

double AreaPrices::crossbar(double ports) const {
  const double side = ports * params_.crossbar_width * params_.crossbar_pitch;
  return side * side * scale_ * mm2_of_um2;
}

double AreaPrices::serdes(Bandwidth rate) const {
  return std::ceil(static_cast<double>(rate.value) * 8 / 25e9) * params_.serdes_lane;
}

void AreaParts::add(const char* name, double mm2, unsigned sums) {
  parts_.emplace_back(name, mm2);
  total_ += mm2;
  if ((sums & of_reduction) != 0) reduction_ += mm2;
  if ((sums & is_sram) != 0) sram_ += mm2;
}

AreaReport AreaParts::report(const std::string& device, const std::string& not_modelled) const {
  AreaReport report{parts_, "# area: "};
  for (const auto& part : parts_)
    report.text += (&part == &parts_.front() ? "" : "  ") + part.first + " " + significant(part.second);
  report.text +=
      " mm2 of a " + device + "; reduction " + significant(reduction_) + " mm2\n#   not modelled: " + not_modelled + "\n";
  for (const auto& [name, mm2] : {std::pair{"reduction", reduction_}, {"sram", sram_}, {"total", total_}})
    report.values.emplace_back(name, mm2);
  return report;
}

}  // namespace tributary
