#pragma once
/// RtlBlock: a block in RTL as a plug-in delivers it: a model, the parameters of its widths, and the elements that it adds.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/element.h"
#include "modules/base/pin_table.h"
#include "modules/base/rtl_traces.h"
#include "modules/rtl/core/rtl_model.h"

namespace tributary {

struct RtlBlock {
  std::function<std::unique_ptr<RtlModel>()> make;
  PinParameters parameters = {};
  std::vector<ElementType> types = {};          ///< empty: all
  std::vector<ReduceOp> ops = {};               ///< empty: all
  std::string places = "*";                     ///< hierarchical names of the instances in RTL, as a glob
  std::shared_ptr<RtlTraces> traces = nullptr;  ///< instances that write all of their signals; null: none
};

/// Returns an RtlBlock from the texts of a build: parameters "RANKS=6 ADD_CYCLES=11", types "i32 f32", operations "sum",
/// places
/// "*.switch0_2.*". Throws std::invalid_argument for a text of another form.
RtlBlock rtl_block(std::function<std::unique_ptr<RtlModel>()> make, const std::string& parameters, const std::string& types,
                   const std::string& ops, const std::string& places = "*", std::shared_ptr<RtlTraces> traces = nullptr);

/// Makes the model of an instance. It writes its trace to the file that `block.traces` returns.
std::unique_ptr<RtlModel> make_model(const RtlBlock& block, const std::string& name);

/// Throws UnfitBlock if the block does not compute this operation on this type.
void require_element(const std::string& name, const RtlBlock& block, ElementType type, ReduceOp op);

/// Returns the parameter of a block, or its default.
std::uint64_t parameter(const PinTable& table, const RtlBlock& block, const char* name);

/// Fills `bytes` bytes with the element that no operation changes: -0 or 0 of a sum, the largest of a minimum.
void fill_identity(ReduceOp op, ElementType type, std::uint8_t* data, std::size_t bytes);

}  // namespace tributary
