#include "modules/switching/core/router_core.h"

#include "modules/switching/core/router_core_impl.h"

namespace tributary {

template class BasicRouterCore<16>;

}  // namespace tributary
