#include "platforms/observed_blocks.h"

namespace tributary {

void visit_parameters(FieldVisitor& v, const ParameterSet& parameters) {
  for (const ParameterField& field : parameters.fields()) {
    std::string text = field.print();
    v.text(field.path.c_str(), text);
    if (!v.sets()) continue;
    try {
      field.set(text);
    } catch (const ParameterError& error) {
      throw FieldError(error.what());
    }
  }
}

}  // namespace tributary
