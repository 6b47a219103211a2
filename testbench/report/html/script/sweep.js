// Draws the rows of the page: one line per value of one or two columns, over another column; dragging zooms.
'use strict';
(function () {
  const table = JSON.parse(document.getElementById('rows').textContent);
  const at = name => table.columns.indexOf(name);
  const number = cell => cell === '' || isNaN(Number(cell)) ? null : Number(cell);
  const status = at('status');
  const colours = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#777777', '#8C6D1F'];
  const choose = id => document.getElementById(id);
  let chart = null;

  function sizes(v) {
    for (const [unit, name] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']])
      if (v >= unit && v % (unit / 4) === 0) return v / unit + name;
    return String(v);
  }

  function draw() {
    const x = at(choose('x').value), y = at(choose('y').value);
    const by = [...new Set(['by', 'and'].map(id => at(choose(id).value)))].filter(column => column >= 0);
    const group_of = row => by.map(column => table.columns[column].endsWith('bytes') && number(row[column]) !== null ? sizes(number(row[column])) : row[column]).join(', ');
    const rows = table.rows.filter(row => (status < 0 || row[status] === 'done') && number(row[y]) !== null);
    const names = rows.every(row => number(row[x]) !== null) ? null : [...new Set(rows.map(row => row[x]))];
    const place = row => names ? names.indexOf(row[x]) : number(row[x]);
    const xs = [...new Set(rows.map(place))].sort((a, b) => a - b);
    const groups = [...new Set(rows.map(group_of))];
    const mixed = new Set();  // settings in which rows of one point differ
    const lines = groups.map(group => xs.map(value => {
      const same = rows.filter(row => place(row) === value && group_of(row) === group);
      for (let c = 1; c < at('time_ns'); ++c)
        if (same.some(row => row[c] !== same[0][c])) mixed.add(table.columns[c]);
      const ys = same.map(row => number(row[y]));
      return ys.length ? ys.reduce((a, b) => a + b) / ys.length : null;
    }));
    choose('mixed').textContent = mixed.size ? 'Points are means of rows that differ in: ' + [...mixed].join(', ') + '.' : '';
    // A line is wider than the equal lines that are drawn over it.
    const equal = (a, b) => a.some((v, i) => i > 0 && v !== null && a[i - 1] !== null && v === b[i] && a[i - 1] === b[i - 1]) ||
      (a.filter(v => v !== null).length === 1 && a.every((v, i) => v === b[i]));
    const under = lines.map((line, i) => Math.min(4, lines.slice(i + 1).filter(over => equal(line, over)).length));
    const bytes = table.columns[x].endsWith('_bytes');
    const ink = getComputedStyle(document.body).color;
    const axis = label => ({label: label, stroke: ink, grid: {stroke: '#8884', width: 1}, ticks: {stroke: '#8888', width: 1}});
    const logarithmic = id => choose(id).checked ? {distr: 3} : {};
    const along = axis(table.columns[x]);
    if (names || bytes) {
      along.splits = () => xs;
      along.values = (u, values) => values.map(v => names ? names[v] : sizes(v));
      along.filter = (u, splits) => splits;
    }
    if (chart) chart.destroy();
    chart = new uPlot({
      width: Math.min(1000, document.body.clientWidth - 40), height: 420,
      scales: {x: {time: false, ...(names ? {} : logarithmic('logx')), ...(choose('logx').checked && !names ? {log: 2} : {})}, y: choose('logy').checked ? logarithmic('logy') : {range: (u, min, max) => [Math.min(0, min), max > 0 ? 1.04 * max : 1]}},
      axes: [along, {...axis(table.columns[y]), size: 70}],
      series: [{label: table.columns[x], value: (u, v) => v === null ? '' : names ? names[v] : bytes ? sizes(v) : v}].concat(groups.map((group, i) => ({
        label: group || table.columns[y], stroke: colours[i % colours.length], width: 2 + 3 * under[i], spanGaps: false, points: {show: true, size: 6 + 4 * under[i]},
        dash: i >= colours.length ? [6, 3] : [], value: (u, v) => v === null ? '' : Number(v.toPrecision(5))
      })))
    }, [xs].concat(lines), choose('chart'));
  }

  function fill(id, columns, chosen) {
    for (const name of columns) choose(id).add(new Option(name, name, false, name === chosen));
    choose(id).addEventListener('change', draw);
  }
  const numbers = table.columns.filter((_, i) => table.rows.some(row => number(row[i]) !== null));
  fill('x', table.columns, table.x);
  fill('y', numbers, table.y);
  fill('by', ['(one line)'].concat(table.columns), table.by);
  fill('and', ['(nothing else)'].concat(table.columns), table.and);
  for (const id of ['logx', 'logy']) choose(id).addEventListener('change', draw);
  choose('logx').checked = table.logx;
  choose('logy').checked = table.logy;
  draw();
})();
