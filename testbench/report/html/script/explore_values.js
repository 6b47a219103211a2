// The points of an exploration: values, scales, ticks and texts for its page.
'use strict';
const exploration = (function () {
  const started = performance.now();
  const data = JSON.parse(document.getElementById('exploration').textContent);
  const columns = data.columns, count = data.generation.length;
  const is_front = new Uint8Array(count);
  for (const id of data.front) is_front[id] = 1;
  const is_feasible = id => data.feasible[id] === 1;
  const has_values = id => data.rung[id] === 0 && columns.every(c => c.data[id] !== null);

  const title = c => c.unit ? c.name + ' (' + c.unit + ')' : c.name;
  const short = v => v === null ? '' : Math.abs(v) >= 1e5 && Math.abs(v) < 1e15 ? String(Math.round(v)) : String(Number(v.toPrecision(6)));
  const text = (c, id) => c.values ? c.values[c.data[id]] : short(c.data[id]);
  function tick_text(c, v) {
    if (c.values) return c.values[v] ?? '';
    if (c.unit === 'B')
      for (const [size, unit] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']])
        if (v >= size) return Number((v / size).toPrecision(3)) + unit;
    return Math.abs(v) >= 1e7 ? v.toExponential(1) : String(Number(v.toPrecision(3)));
  }
  // The range of a column over the points that are shown. `log`: a logarithmic scale is possible and useful.
  function range(c, shown) {
    if (c.values) return {low: 0, high: c.values.length - 1, log: false};
    let low = Infinity, high = -Infinity;
    for (const id of shown) low = Math.min(low, c.data[id]), high = Math.max(high, c.data[id]);
    if (low > high) low = 0, high = 1;
    return {low, high, log: low > 0 && high / low > 4};
  }
  function ticks(c, low, high, log, most) {
    if (c.values) {
      const step = Math.ceil(c.values.length / most);
      return c.values.map((_, i) => i).filter(i => i % step === 0);
    }
    const round = (base, factors) => {
      const found = [];
      for (let e = Math.floor(Math.log(low) / Math.log(base)); base ** e <= high; ++e)
        for (const f of factors) if (f * base ** e >= low && f * base ** e <= high) found.push(f * base ** e);
      return found;
    };
    const sets = !log ? [] : c.unit === 'B' ? [2, 4, 8, 16, 64].map(b => round(b, [1])) : [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]].map(f => round(10, f));
    const fits = sets.find(found => found.length > 2 && found.length <= most);
    if (fits) return fits;
    const rough = (high - low) / most || 1, power = (c.unit === 'B' ? 2 : 10) ** Math.floor(Math.log(rough) / Math.log(c.unit === 'B' ? 2 : 10));
    const step = (c.unit === 'B' ? [1, 2] : [1, 2, 5, 10]).map(f => f * power).find(s => s >= rough * (1 - 1e-9)), found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) found.push(i * step);
    return found;
  }
  const safe = t => String(t).replace(/[&<>"]/g, x => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[x]);
  const mark_of = id => [id === data.knee ? 'knee' : '', id === data.baseline ? 'baseline' : ''].filter(m => m).join(', ');
  const role_of = id => [is_front[id] ? 'front' : '', mark_of(id), is_feasible(id) ? '' : 'infeasible', data.rung[id] ? 'rung ' + data.rung[id] : ''].filter(m => m).join(', ');
  const sentence = words => words.map(w => data.words[w]).join(' ');
  return {started, data, columns, all: [...Array(count).keys()], is_front, is_feasible, has_values, title, short, text, tick_text, range, ticks, safe, mark_of, role_of, sentence};
})();
