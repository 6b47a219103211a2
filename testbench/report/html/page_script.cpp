#include "testbench/report/html/page_script.h"

#include <nlohmann/json.hpp>

namespace tributary::html {

std::string data_script(const std::string& attribute, const nlohmann::ordered_json& data) {
  std::string text = "<script type=\"application/json\" " + attribute + ">";
  for (const char c : data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else if (c == '&')
      text += "\\u0026";
    else
      text += c;
  }
  return text + "</script>";
}

std::string script(const std::string& text) { return "<script>//<![CDATA[\n" + text + "\n//]]></script>\n"; }

}  // namespace tributary::html
