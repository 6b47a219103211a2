#include <algorithm>
#include <map>

#include "modules/base/nearest.h"
#include "modules/base/text_format.h"
#include "testbench/report/html/page.h"
#include "testbench/report/measured/measured_report.h"
#include "testbench/report/plot/svg.h"

namespace tributary {

using namespace measure;

namespace {

std::string percent(double gain) { return fixed(100 * gain, 1) + "%"; }

std::string times(double factor) { return factor >= 1 ? "x" + print_real(factor) : "/" + print_real(1 / factor); }

/// Returns `nvswitch.link.rate x2`, or `nvswitch.switch.reduction_table.timeout at 2us` for a default.
std::string phrase(const Finding& finding, const Move& move) {
  const std::string& path = finding.parameters[move.parameter].path;
  return move.factor > 0 ? path + " " + times(move.factor) : path + " at " + move.to;
}

std::string phrases(const Finding& finding, const std::vector<Move>& moves) {
  std::string text;
  for (std::size_t i = 0; i < moves.size(); ++i)
    text += (i == 0 ? "" : i == 1 ? " with " : i + 1 == moves.size() ? " and " : ", ") + phrase(finding, moves[i]);
  return text;
}

/// Returns the values of a ladder's rung: `16`, or `50GB/s, 512B`.
std::string values(const std::vector<Move>& moves) {
  std::string text;
  for (const Move& move : moves) text += (text.empty() ? "" : ", ") + move.to;
  return text;
}

std::string ladder_line(const Ladder& ladder) {
  const Ladder::Rung* end = ladder.saturated();
  if (end == nullptr || end->factor <= 2) return "";
  return "#   saturates at x" + print_real(end->factor) + " (" + values(end->moves) + "): " + percent(end->gain) +
         " less time\n";
}

std::string head(const Finding& finding) {
  std::string text = "# bottleneck, measured: " + bottleneck_phrase(finding);
  if (finding.verdict == Verdict::single || finding.verdict == Verdict::together)
    text += ": " + percent(finding.gain) + " less time";
  text += "\n";
  if (!finding.equals.empty()) text += "#   " + join_names(finding.equals, "and") + " gain the same time: one resource\n";
  text += ladder_line(finding.verdict == Verdict::together ? finding.joint_ladder : finding.single_ladder);
  return text;
}

std::string effort(const Finding& finding) {
  std::string text = "#   ";
  if (finding.joint) text += "all rates and rooms x2: " + percent(finding.joint->all) + "; ";
  return text + std::to_string(finding.runs) + " runs, seeds differ by " + percent(finding.spread) + "; gains below " +
         percent(finding.eps) + " are noise\n";
}

std::string row_line(const Finding& finding, const MeasuredRow& row) {
  const std::size_t i = row.step->move.parameter;
  const Parameter& p = finding.parameters[i];
  const Move& move = row.step->move;
  const auto elasticity = finding.elasticity(i);
  const bool climbed = finding.verdict == Verdict::single && finding.bottleneck.front().parameter == i;
  const Ladder::Rung* end = climbed ? finding.single_ladder.saturated() : nullptr;
  std::string line = "#   " + left(p.path, 44) + right(p.value, 10) +
                     right(move.factor > 0 ? times(move.factor) : move.to, 9) + right(percent(row.step->gain), 9) +
                     right(elasticity ? fixed(*elasticity, 2) : "", 12) +
                     (row.worse ? "  worse" : right(end != nullptr ? end->moves.front().to : "", 12)) + "\n";
  for (const std::size_t other : row.equals) line += "#     = " + finding.parameters[other].path + "\n";
  return line;
}

std::string table(const Finding& finding) {
  const std::vector<MeasuredRow> rows = measured_rows(finding);
  if (rows.empty()) return "";
  std::string text = "#   " + left("parameter", 44) + right("now", 10) + right("alone", 9) + right("gain", 9) +
                     right("elasticity", 12) + right("saturates", 12) + "\n";
  for (const MeasuredRow& row : rows) text += row_line(finding, row);
  return text;
}

std::string choices(const Finding& finding) {
  std::string text;
  for (const Step& step : finding.choices)
    if (step.outcome.done() && step.gain >= finding.eps)
      text += "#   choice that gains: " + finding.parameters[step.move.parameter].path + " " + step.move.to +
              " in place of " + finding.parameters[step.move.parameter].value + ": " + percent(step.gain) + "\n";
  return text;
}

/// Returns a line for each shape that gains if the message has one piece less.
std::string shapes(const Finding& finding) {
  std::string text;
  for (const Step& step : finding.steps) {
    if (step.move.pieces == 0 || !step.outcome.done() || step.gain < finding.eps) continue;
    const Parameter& p = finding.parameters[step.move.parameter];
    text += "#   shape that gains: " + p.path + " " + step.move.to + " in place of " + p.value + ": " + percent(step.gain) +
            " (" + std::to_string(step.move.pieces) + (step.move.pieces == 1 ? " piece" : " pieces") + " of the message)\n";
  }
  return text;
}

std::string inert(const Finding& finding) {
  if (finding.inert.empty()) return "";
  std::vector<std::string> groups;
  for (const Parameter& p : finding.parameters)
    if (std::find(finding.inert.begin(), finding.inert.end(), p.path) != finding.inert.end() &&
        std::find(groups.begin(), groups.end(), p.group()) == groups.end())
      groups.push_back(p.group());
  std::string text = "#   inert: " + std::to_string(finding.inert.size()) + " parameters of ";
  for (std::size_t i = 0; i < groups.size() && i < 4; ++i) text += (i == 0 ? "" : ", ") + groups[i];
  return text + (groups.size() > 4 ? ", ..." : "") + "\n";
}

/// Returns the numbers of moves that were refused and that did not end.
std::string left_out(const Finding& finding, const MeasuredContext& context) {
  std::size_t refused = 0, failed = 0;
  for (const auto* steps : {&finding.steps, &finding.choices})
    for (const Step& step : *steps) {
      refused += step.outcome.state == TrialState::refused ? 1 : 0;
      failed += step.outcome.state == TrialState::failed ? 1 : 0;
    }
  std::string text;
  if (refused > 0) text += "#   refused: " + std::to_string(refused) + " values that are not legal with the others\n";
  if (failed > 0) text += "#   not finished: " + std::to_string(failed) + " reruns (deadlock, time limit)\n";
  if (finding.missing > 0)
    text += "#   not run: " + std::to_string(finding.missing) + " reruns" +
            (context.ended.empty() ? "" : ", as " + context.ended) +
            (finding.not_run.empty() ? "" : "; parameters not moved alone: " + std::to_string(finding.not_run.size())) +
            "\n";
  return text;
}

/// Returns a line if the run itself names a parameter that the reruns do not confirm.
std::string disagreement(const Finding& finding, const MeasuredContext& context) {
  std::string text;
  for (const std::string& path : context.named) {
    const bool found = std::any_of(finding.bottleneck.begin(), finding.bottleneck.end(),
                                   [&](const Move& move) { return finding.parameters[move.parameter].path == path; });
    if (found || finding.verdict == Verdict::unknown) continue;
    if (std::find(finding.equals.begin(), finding.equals.end(), path) != finding.equals.end()) continue;
    for (std::size_t i = 0; i < finding.parameters.size(); ++i)
      if (const Step* best = finding.best(i); finding.parameters[i].path == path && best != nullptr)
        text += "#   the run itself names " + path + ", which gains " + percent(best->gain) + " alone\n";
  }
  return text;
}

}  // namespace

std::string bottleneck_phrase(const Finding& finding) {
  if (finding.verdict == Verdict::unknown)
    return "unknown" + (finding.reason.empty() ? std::string() : ": " + one_line(finding.reason));
  const bool cut = finding.missing > 0;
  if (finding.verdict == Verdict::nothing)
    return std::string(cut ? "nothing so far" : "nothing within a factor of 2") + " gains more than " + percent(finding.eps);
  return (cut ? "so far, " : "") + phrases(finding, finding.bottleneck);
}

std::string measured_text(const Finding& finding, const MeasuredContext& context) {
  if (finding.verdict == Verdict::unknown) return head(finding) + left_out(finding, context);
  return head(finding) + effort(finding) + table(finding) + shapes(finding) + choices(finding) + inert(finding) +
         left_out(finding, context) + disagreement(finding, context);
}

std::string measured_section(const Finding& finding, const MeasuredContext& context) {
  const plot::TornadoDrawing drawing = measured_drawing(finding);
  return html::paragraph(bottleneck_phrase(finding)) +
         drawing.svg.element(drawing.width, drawing.height, "gain of each parameter, doubled and halved") + "<pre>" +
         plot::preformatted(measured_text(finding, context)) + "</pre>\n";
}

}  // namespace tributary
