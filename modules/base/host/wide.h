#pragma once
/// 128-bit intermediate products.

namespace tributary {

__extension__ typedef unsigned __int128 Wide;

}  // namespace tributary
