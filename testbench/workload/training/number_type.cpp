#include "testbench/workload/training/number_type.h"

namespace tributary {
namespace {

const char* const fp8_name = "fp8";

}  // namespace

std::vector<std::string> FieldType<training::NumberType>::choices() {
  std::vector<std::string> names = FieldType<ElementType>::choices();
  names.emplace_back(fp8_name);
  return names;
}

training::NumberType FieldType<training::NumberType>::parse(const std::string& text) {
  if (text != fp8_name) return FieldType<ElementType>::parse(text);
  training::NumberType type = ElementType::bf16;
  type.fp8 = true;
  return type;
}

std::string FieldType<training::NumberType>::print(const training::NumberType& x) {
  return x.fp8 ? fp8_name : FieldType<ElementType>::print(x.element);
}

}  // namespace tributary
