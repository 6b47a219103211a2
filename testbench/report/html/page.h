#pragma once
/// Page: an HTML file that stands alone: style and script within, nothing fetched. Well-formed as XML, too.

#include <string>
#include <vector>

namespace tributary::html {

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  /// `content` is HTML. Sections follow each other, and are listed at the top.
  void section(const std::string& id, const std::string& heading, const std::string& content);
  /// HTML behind all sections: scripts.
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

/// A table of texts; cells of numbers stand to the right.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);
std::string paragraph(const std::string& text, const std::string& of_class = "");
/// What is seen when it is unfolded.
std::string folded(const std::string& summary, const std::string& content);

}  // namespace tributary::html
