#pragma once
/// Embeds scripts and their data in a page that remains well-formed XML.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tributary::html {

/// `attribute`: attribute by which a script finds the data: `id="rows"`.
std::string data_script(const std::string& attribute, const nlohmann::ordered_json& data);
std::string script(const std::string& text);

}  // namespace tributary::html
