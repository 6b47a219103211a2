/// Routers with more than 16 links and interfaces.

#include "modules/switching/core/router_core_impl.h"

namespace tributary {

template class BasicRouterCore<64>;

}  // namespace tributary
