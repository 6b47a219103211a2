#pragma once
/// Page: a self-contained HTML file with inline style and scripts. It is also well-formed XML.

#include <string>
#include <vector>

namespace tributary::html {

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  /// Appends a section; `content` is HTML. The page begins with a list of all sections.
  void section(const std::string& id, const std::string& heading, const std::string& content);
  /// Appends HTML after all sections: scripts.
  void ending(const std::string& content) { ending_ += content; }
  std::string text() const;

 private:
  struct Section {
    std::string id, heading, content;
  };
  std::string title_;
  std::vector<Section> sections_;
  std::string ending_;
};

/// Returns a table of texts; numeric cells are right-aligned.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);
std::string paragraph(const std::string& text, const std::string& of_class = "");
/// Returns content that is hidden until the reader unfolds it.
std::string folded(const std::string& summary, const std::string& content);

}  // namespace tributary::html
