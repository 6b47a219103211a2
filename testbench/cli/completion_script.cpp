#include "modules/base/nearest.h"
#include "testbench/cli/completion.h"
#include "testbench/workload/input_error.h"

namespace tributary {

std::string completion_script(const std::string& shell) {
  if (shell == "bash")
    return R"(# Completion of tributary for bash: source it, or put it into bash_completion.d.
_tributary() {
  local word line=${COMP_LINE:0:COMP_POINT} words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=${words[${#words[@]} - 1]}
  mapfile -t COMPREPLY < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${COMPREPLY[0]} == *[=:./] ]] && compopt -o nospace
  # Bash treats the text before = or : as words of their own, which are not repeated.
  local cut=${word%"${word##*[=:]}"}
  [[ $cut && $COMP_WORDBREAKS == *[=:]* ]] && COMPREPLY=("${COMPREPLY[@]#"$cut"}")
  return 0
}
complete -o default -F _tributary tributary
)";
  if (shell == "zsh")
    return R"(#compdef tributary
# Completion of tributary for zsh: put it into a folder of fpath as _tributary, or source it.
_tributary() {
  local -a found
  found=("${(@f)$(${words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n ${found[1]} ]]; then
    compadd -S '' -- ${(M)found:#*[=:./]}
    compadd -- ${found:#*[=:./]}
  else
    _files
  fi
}
compdef _tributary tributary
)";
  if (shell == "fish")
    return R"(# Completion of tributary for fish: put it into ~/.config/fish/completions/tributary.fish, or source it.
function __tributary_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c tributary -a '(__tributary_complete)'
)";
  throw InputError(unknown_name("shell", shell, {"bash", "zsh", "fish"}));
}

}  // namespace tributary
