#include "testbench/report/html/page.h"

#include <algorithm>

#include "testbench/report/html/shades.h"
#include "testbench/report/plot/svg.h"

namespace tributary::html {
namespace {

const char* const style = R"css(
:root{--paper:#fff;--ink:#222;--soft:#666;--line:#ccc;--empty:#f0f0f2;--device:#fff;--good:#0a6b3d;--bad:#a3181b;
color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--paper:#16181c;--ink:#e4e4e4;--soft:#a0a0a0;--line:#444;--empty:#24272d;
--device:#2b2f36;
--good:#5fd39a;--bad:#ff8a80}}
body{background:var(--paper);color:var(--ink);font:14px/1.45 Helvetica,Arial,"Liberation Sans",sans-serif;
margin:24px auto;max-width:1100px;
padding:0 16px}
h1{font-size:21px;margin:0 0 4px}h2{font-size:16px;margin:30px 0 6px;border-bottom:1px solid var(--line);padding-bottom:3px}
nav{margin:10px 0;color:var(--soft)}nav a{margin-right:14px}a{color:inherit}
p{margin:6px 0}.soft{color:var(--soft)}.good{color:var(--good);font-weight:bold}.bad{color:var(--bad);font-weight:bold}
code,pre{font:12px/1.4 "DejaVu Sans Mono","Liberation Mono",Menlo,monospace}
pre{overflow-x:auto;background:var(--empty);padding:8px}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:12.5px}
th,td{padding:2px 10px 2px 0;text-align:left;white-space:nowrap}
th{color:var(--soft);font-weight:normal;border-bottom:1px solid var(--line)}td.number,th.number{text-align:right}
summary{cursor:pointer;color:var(--soft);margin:6px 0}
svg{display:block;max-width:100%;height:auto}svg text,svg text[fill]{fill:var(--ink)}.paper{fill:var(--paper)}
.empty{fill:var(--empty)}
.axis{stroke:var(--soft)}svg .grid{stroke:var(--line)}svg .tick{stroke:var(--soft)}
.strips path{stroke-width:9;fill:none}.topology .link{fill:none}.topology .link:hover{stroke-width:7}
.device{fill:var(--device);stroke:var(--ink);stroke-width:1.2}.halo{paint-order:stroke;stroke:var(--paper);stroke-width:3px}
.frame{fill:var(--empty);stroke:var(--line)}.bar{fill:#31688e}.dead{fill:none;stroke:var(--bad);stroke-width:3}
.key span{margin-right:16px}.key i{display:inline-block;width:18px;height:3px;vertical-align:middle}
@media print{nav{display:none}body{max-width:none}details{display:block}}
)css";

/// True for a number, with or without a unit.
bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,-+eE% ") == std::string::npos &&
         cell.find_first_of("0123456789") != std::string::npos;
}

}  // namespace

void Page::section(const std::string& id, const std::string& heading, const std::string& content) {
  sections_.push_back({id, heading, content});
}

std::string Page::text() const {
  std::string text =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
      plot::xml_text(title_) + "</title>\n<style>" + style + shade_rules() + "</style>\n</head>\n<body>\n<h1>" +
      plot::xml_text(title_) + "</h1>\n<nav>";
  for (const Section& s : sections_) text += "<a href=\"#" + s.id + "\">" + plot::xml_text(s.heading) + "</a>";
  text += "</nav>\n";
  for (const Section& s : sections_)
    text += "<section id=\"" + s.id + "\">\n<h2>" + plot::xml_text(s.heading) + "</h2>\n" + s.content + "</section>\n";
  return text + ending_ + "<script>document.body.setAttribute('data-ready','1');</script>\n</body>\n</html>\n";
}

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> numbers(head.size(), !rows.empty());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < head.size(); ++i) numbers[i] = numbers[i] && (row.at(i).empty() || is_number(row[i]));
  const auto line = [&](const char* cell, const std::vector<std::string>& cells) {
    std::string text = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
      text +=

          std::string("<") + cell + (numbers[i] ? " class=\"number\">" : ">") + plot::xml_text(cells[i]) + "</" + cell + ">";
    return text + "</tr>\n";
  };
  std::string text = "<div class=\"wide\"><table>\n" + line("th", head);
  for (const auto& row : rows) text += line("td", row);
  return text + "</table></div>\n";
}

std::string paragraph(const std::string& text, const std::string& of_class) {
  return (of_class.empty() ? "<p>" : "<p class=\"" + of_class + "\">") + plot::xml_text(text) + "</p>\n";
}

std::string folded(const std::string& summary, const std::string& content) {
  return "<details><summary>" + plot::xml_text(summary) + "</summary>\n" + content + "</details>\n";
}

}  // namespace tributary::html
