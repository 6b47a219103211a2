#pragma once
/// A transaction as a line of a record: one JSON object (docs/block_records.md).

#include <string>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {

/// Appends one line.
void append_line(const BlockAccess& access, std::string& text);
/// Appends `{"command":"push", ...}`.
void append_object(const FieldValues& values, std::string& text);
/// Returns `command push, address 7936, ...`: the fields without data, for messages.
std::string fields_text(const FieldValues& values);

}  // namespace tributary
