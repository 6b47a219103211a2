#pragma once
/// WrongBlock: the error of a block that breaks a rule of its page.

#include <stdexcept>
#include <string>
#include <string_view>

namespace tributary {

/// One line: `PLACE breaks the rule `RULE` at TIME ps: ...`. The kernel turns exceptions of processes into reports, so
/// names_breach() recognises the text.
class WrongBlock : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// True if a text is that of a WrongBlock, or of an error with the same words.
inline bool names_breach(std::string_view text) { return text.find(" breaks the rule `") != std::string_view::npos; }

}  // namespace tributary
