#pragma once
/// PlainText: the text of a topology file without the marks of the program that saved or printed it.

#include <string>
#include <vector>

namespace tributary::topology {

struct PlainText {
  std::string text;                ///< UTF-8; each line has the number that it has in the file
  std::vector<std::string> notes;  ///< parts of lines that were left out
};

/// Decodes UTF-16, and leaves out a byte order mark, a code fence (``` or ~~~) with everything outside of it, and a prefix
/// that all lines share apart from its digits (`0: ` of srun -l, the time of a log, `> `, `# `). A prefix is left out only
/// if a known form follows it and no line begins with that form. Characters that are no valid UTF-16 become U+FFFD.
PlainText plain_text(const std::string& bytes);

/// True if the line begins with a column or row of nvidia-smi topo -m, such as GPU0, also in a table of Markdown.
bool begins_with_gpu(const std::string& line);

}  // namespace tributary::topology
