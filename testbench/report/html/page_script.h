#pragma once
/// Scripts and their data within a page, which stays well-formed XML.

#include <nlohmann/json.hpp>
#include <string>

namespace tributary::html {

/// `attribute`: by which a script finds them: `id="rows"`.
std::string data_script(const std::string& attribute, const nlohmann::ordered_json& data);
std::string script(const std::string& text);

}  // namespace tributary::html
