#pragma once
/// Wide: an unsigned 128-bit integer for intermediate products.

namespace tributary {

__extension__ typedef unsigned __int128 Wide;

}  // namespace tributary
