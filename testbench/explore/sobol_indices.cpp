#include "testbench/explore/sobol_indices.h"

#include <cmath>

#include "modules/base/random.h"
#include "testbench/explore/sampling.h"

namespace tributary::explore {
namespace {

constexpr std::size_t bootstrap_samples = 1000;
using Rows = std::vector<std::vector<double>>;  // values of A, B, A with each column of B

double mean_of(const Rows& rows) {
  double sum = 0;
  for (const auto& row : rows) sum += row[0] + row[1];
  return sum / (2 * static_cast<double>(rows.size()));
}

/// Returns S1 and ST of each variable over a sample of rows, one after another.
std::vector<double> indices_over(const Rows& rows, const std::vector<std::size_t>& sample) {
  const std::size_t variables = rows.front().size() - 2;
  const auto count = static_cast<double>(sample.size());
  std::vector<double> sums(2 * variables, 0);
  double sum = 0, squares = 0;
  for (const std::size_t r : sample) {
    const double a = rows[r][0], b = rows[r][1];
    sum += a + b, squares += a * a + b * b;
    for (std::size_t v = 0; v < variables; ++v) {
      const double mixed = rows[r][2 + v];
      sums[2 * v] += b * (mixed - a);
      sums[2 * v + 1] += (a - mixed) * (a - mixed) / 2;
    }
  }
  const double mean = sum / (2 * count), variance = squares / (2 * count) - mean * mean;
  for (double& s : sums) s = variance > 0 ? s / count / variance : 0;
  return sums;
}

}  // namespace

SobolIndices::SobolIndices(Space space, std::size_t rows, std::uint64_t seed)
    : space_(std::move(space)), rows_(rows), seed_(seed), indices_(space_.dimensions()) {
  if (rows < 2 || (rows & (rows - 1)) != 0)
    throw PlanError("points: " + std::to_string(rows) + " rows (legal: a power of two, from 2)");
  const std::size_t variables = space_.dimensions();
  const SobolSequence sequence(2 * variables, rows, seed);
  for (std::size_t r = 0; r < rows; ++r) {
    Point a(variables), b(variables);
    for (std::size_t v = 0; v < variables; ++v) {
      a[v] = static_cast<std::uint32_t>(below(sequence.fractions(r)[v], space_.values(v)));
      b[v] = static_cast<std::uint32_t>(below(sequence.fractions(r)[variables + v], space_.values(v)));
    }
    points_.push_back(a), points_.push_back(b);
    for (std::size_t v = 0; v < variables; ++v) {
      points_.push_back(a);
      points_.back()[v] = b[v];
    }
  }
}

std::vector<Candidate> SobolIndices::ask() { return done_ ? std::vector<Candidate>{} : as_candidates(points_); }

void SobolIndices::tell(const std::vector<Score>& scores) {
  done_ = true;
  const std::size_t width = space_.dimensions() + 2;
  Rows rows;
  for (std::size_t r = 0; r < rows_; ++r) {
    std::vector<double> row;
    for (std::size_t c = 0; c < width && scores.at(r * width + c).of; ++c) row.push_back(*scores[r * width + c].of);
    if (row.size() == width) rows.push_back(std::move(row));
  }
  missing_ = rows_ - rows.size();
  if (rows.empty()) return;
  const double mean = mean_of(rows);  // centred values estimate S1 with less noise
  std::vector<std::size_t> all;
  for (auto& row : rows) {
    for (double& value : row) value -= mean;
    all.push_back(all.size());
  }
  const std::vector<double> found = indices_over(rows, all);
  const std::vector<Interval> within =
      bootstrap(rows.size(), bootstrap_samples, seed_, [&](const auto& sample) { return indices_over(rows, sample); });
  for (std::size_t v = 0; v < indices_.size(); ++v)
    indices_[v] = {found[2 * v], found[2 * v + 1], within[2 * v], within[2 * v + 1]};
}

}  // namespace tributary::explore
