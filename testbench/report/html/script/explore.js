// The page of an exploration: a scatter, parallel coordinates and a table of the same points. A selection in any of them
// shows in all of them.
'use strict';
(function () {
  const {data, columns, all, is_front, is_feasible, has_values, title, text, tick_text, ticks, safe, mark_of, role_of, sentence} = exploration;
  const range = c => exploration.range(c, shown), choose = id => document.getElementById(id), space = 'http://www.w3.org/2000/svg';
  const names = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#777777', '#8C6D1F'];
  document.body.classList.add('scripted');
  const state = {chosen: new Set(), at: null, brushes: new Map(), view: data.front.length ? 'front' : 'all', sorted: null, rising: true, rows: 300};
  let shown = [], ink = '#222', paper = '#fff', soft = '#888';

  // Returns the colour of each point by the chosen column.
  function colouring() {
    const c = columns[choose('colour').value], {low, high, log} = range(c), map = v => log ? Math.log(v) : v;
    const share = v => high > low ? (map(v) - map(low)) / (map(high) - map(low)) : 0.5;
    const dark = matchMedia('(prefers-color-scheme: dark)').matches && !state.printed;
    const scale = v => data.colours[Math.round((dark ? 3 : 0) + share(v) * 12)];
    const of = c.values && !c.ordered ? v => names[v % names.length] : scale;
    const swatch = (v, label) => '<span><i style="background:' + of(v) + '"></i>' + safe(label) + '</span>';
    choose('legend').innerHTML = safe(title(c)) + ': ' + (c.values && c.values.length <= 16 ? c.values.map((v, i) => swatch(i, v)).join('') :
      [0, 1, 2, 3, 4].map(i => log ? low * (high / low) ** (i / 4) : low + (high - low) * i / 4).map(v => c.values ? Math.round(v) : v)
        .map(v => swatch(v, tick_text(c, v))).join(''));
    return id => of(c.data[id]);
  }

  // ---- selection
  function select(ids, {add = false, brushed = false, view = true} = {}) {
    state.chosen = new Set(add ? [...state.chosen, ...ids] : ids);
    state.at = ids.length ? ids[0] : state.chosen.size ? [...state.chosen][0] : null;
    if (!brushed) state.brushes.clear();
    if (view) state.view = state.chosen.size ? 'selected' : data.front.length ? 'front' : 'all', state.rows = 300;
    refresh();
  }
  function toggle(id) {
    const ids = new Set(state.chosen);
    if (!ids.delete(id)) ids.add(id);
    select(ids.has(id) ? [id, ...ids] : [...ids], {view: false});
  }
  function refresh() {
    const colour = colouring();
    chart.redraw(false);
    draw_paths(colour);
    draw_table();
    draw_point();
  }

  const width_of = box => state.printed ? Math.min(box.clientWidth, 640) : box.clientWidth;  // a sheet of paper

  // ---- scatter
  let chart = null, places = [];
  function scale_of(c, log) {
    const {low, high} = range(c), span = high - low || Math.abs(high) || 1;
    if (c.values) return {low: -0.5, high: high + 0.5, log: false};
    const ratio = (high / low) ** 0.06 || 1.1;
    return log && low > 0 ? {low: low / Math.max(ratio, 1.02), high: high * Math.max(ratio, 1.02), log} : {low: low - 0.06 * span, high: high + 0.06 * span, log: false};
  }
  function axis(c, s, most, size) {
    const found = ticks(c, s.low, s.high, s.log, most);
    return {label: title(c), labelSize: 22, labelFont: '12px sans-serif', font: '11px sans-serif', size, stroke: ink, splits: () => found, values: () => found.map(v => tick_text(c, v)),
            filter: (u, splits) => splits, grid: {stroke: '#8883', width: 1}, ticks: {stroke: '#8888', width: 1}};
  }
  function draw_scatter() {
    const x = columns[choose('x').value], y = columns[choose('y').value];
    const sx = scale_of(x, choose('logx').checked), sy = scale_of(y, choose('logy').checked), box = choose('scatter');
    const width = width_of(box), scale = s => ({time: false, distr: s.log ? 3 : 1, range: [s.low, s.high]});
    if (chart) chart.destroy();
    places = shown.map(id => ({id, x: x.data[id], y: y.data[id]}));
    chart = new uPlot({
      width, height: Math.max(320, Math.min(460, 0.68 * width)), legend: {show: false}, padding: [14, 14, 0, 0], scales: {x: scale(sx), y: scale(sy)},
      cursor: {points: {show: false}, drag: {x: true, y: true, setScale: false}},
      axes: [axis(x, sx, Math.floor(width / 70), 34), axis(y, sy, 9, 58)],
      series: [{}, {paths: () => null, points: {show: false}}],
      hooks: {draw: [u => paint(u, x, y)], setSelect: [drag], setCursor: [hover]}
    }, [[sx.low, sx.high], [sy.low, sy.high]], box);
    const hint = chart.over.appendChild(document.createElement('div'));
    hint.className = 'hint';
    chart.over.addEventListener('click', event => {
      const near = nearest(chart);
      if (near !== null || !(event.shiftKey || event.ctrlKey)) select(near === null ? [] : [near], {add: event.shiftKey || event.ctrlKey});
    });
    chart.over.addEventListener('dblclick', () => select([]));
  }
  function drag(u) {
    const {left, top, width, height} = u.select;
    if (width < 3 && height < 3) return;
    const [x1, x2] = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')], [y1, y2] = [u.posToVal(top + height, 'y'), u.posToVal(top, 'y')];
    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    select(places.filter(p => p.x >= x1 && p.x <= x2 && p.y >= y1 && p.y <= y2).map(p => p.id));
  }
  function nearest(u) {
    let best = 144, found = null;
    for (const p of places) {
      const dx = u.valToPos(p.x, 'x') - u.cursor.left, dy = u.valToPos(p.y, 'y') - u.cursor.top, far = dx * dx + dy * dy - (is_front[p.id] ? 1 : 0);
      if (far < best) best = far, found = p.id;
    }
    return found;
  }
  function hover(u) {
    const hint = u.over.querySelector('.hint'), id = hint && u.cursor.left >= 0 ? nearest(u) : null;
    if (!hint) return;
    hint.style.display = id === null ? 'none' : 'block';
    if (id === null) return;
    hint.textContent = ['point ' + (id + 1) + (role_of(id) ? ', ' + role_of(id) : '')].concat(columns.map(c => title(c) + ': ' + text(c, id))).join('\n');
    hint.style.left = u.cursor.left + (u.cursor.left > u.over.clientWidth / 2 ? -hint.offsetWidth - 12 : 12) + 'px';
    hint.style.top = Math.min(u.cursor.top, u.over.clientHeight - hint.offsetHeight) + 'px';
  }
  function paint(u, x, y) {
    const {ctx} = u, ratio = devicePixelRatio, colour = colouring(), some = state.chosen.size > 0;
    const px = v => u.valToPos(v, 'x', true), py = v => u.valToPos(v, 'y', true), drawn = [];
    ctx.save();
    const dot = (p, radius, fill, edge, alpha) => {
      ctx.globalAlpha = alpha;
      ctx.beginPath();
      if (is_feasible(p.id)) ctx.arc(px(p.x), py(p.y), radius * ratio, 0, 7);
      else for (const s of [1, -1]) ctx.moveTo(px(p.x) - 3 * ratio, py(p.y) - 3 * s * ratio), ctx.lineTo(px(p.x) + 3 * ratio, py(p.y) + 3 * s * ratio);
      if (fill && is_feasible(p.id)) ctx.fillStyle = fill, ctx.fill();
      ctx.strokeStyle = edge || soft, ctx.lineWidth = 1.4 * ratio;
      if (edge || !is_feasible(p.id)) ctx.stroke();
    };
    for (const p of places) if (!is_front[p.id] && !state.chosen.has(p.id)) dot(p, 3, some ? soft : colour(p.id), null, some ? 0.35 : 0.75);
    const names_front = x.goal && y.goal && stair(u, x, y, px, py);
    for (const p of places) if (is_front[p.id] && !state.chosen.has(p.id)) dot(p, 4.5, some ? paper : colour(p.id), some ? soft : ink, 1);
    for (const p of places) if (state.chosen.has(p.id)) drawn.push(p.id), dot(p, is_front[p.id] ? 5.5 : 4.5, colour(p.id), ink, 1);
    if (names_front) names_front();
    for (const p of places) if (p.id === state.at && some || mark_of(p.id)) dot(p, p.id === state.at && some ? 9 : 8, null, ink, 1);
    const marked = places.filter(p => mark_of(p.id)).sort((a, b) => (b.id === data.knee) - (a.id === data.knee)), [a, b] = marked;
    const close = b && Math.hypot(px(a.x) - px(b.x), py(a.y) - py(b.y)) < 60 * ratio && Math.abs(py(a.y) - py(b.y)) < 14 * ratio;
    for (const p of close ? [a] : marked) label(ctx, close ? 'knee, baseline' : mark_of(p.id), px(p.x) + 7 * ratio, py(p.y) - 9 * ratio, u.bbox);
    ctx.restore();
    choose('scatter').dataset.selected = drawn.sort((a, b) => a - b).join(',');
  }
  function label(ctx, words, x, y, box) {
    const ratio = devicePixelRatio, left = x > box.left + box.width - 80 * ratio;
    ctx.globalAlpha = 1, ctx.font = 'bold ' + 12 * ratio + 'px sans-serif', ctx.textAlign = left ? 'right' : 'left', ctx.lineJoin = 'round';
    ctx.strokeStyle = paper, ctx.lineWidth = 4 * ratio, ctx.strokeText(words, x, Math.max(y, box.top + 12 * ratio));
    ctx.fillStyle = ink, ctx.fillText(words, x, Math.max(y, box.top + 12 * ratio));
  }
  // Draws the border of what the points reach in the two objectives. Returns a function that names it.
  function stair(u, x, y, px, py) {
    const sign = c => c.goal === 'higher' ? -1 : 1, best = [], {ctx, bbox: box} = u;
    for (const p of places.filter(p => is_feasible(p.id)).sort((a, b) => sign(x) * (a.x - b.x) || sign(y) * (a.y - b.y)))
      if (!best.length || sign(y) * (best[best.length - 1].y - p.y) > 0) best.push(p);
    if (!best.length) return null;
    const first = best[0], last = best[best.length - 1], top = sign(y) > 0 ? box.top : box.top + box.height, side = sign(x) > 0 ? box.left + box.width : box.left;
    ctx.globalAlpha = 1, ctx.strokeStyle = ink, ctx.lineWidth = 1.2 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(px(first.x), top);
    best.forEach((p, i) => { if (i) ctx.lineTo(px(p.x), py(best[i - 1].y)); ctx.lineTo(px(p.x), py(p.y)); });
    ctx.lineTo(side, py(last.y));
    ctx.stroke();
    const end = side - (sign(x) > 0 ? 46 : -10) * devicePixelRatio;
    return () => label(ctx, 'front', end, py(last.y) + (sign(y) > 0 ? -6 : 15) * devicePixelRatio, {...box, width: 2 * box.width});
  }

  // ---- parallel coordinates
  const high = 250, top = 34;
  let spots = [], place = [];
  function add(parent, kind, attributes, words) {
    const element = document.createElementNS(space, kind);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (words !== undefined) element.textContent = words;
    return parent.appendChild(element);
  }
  function draw_lines() {
    const box = choose('lines'), width = Math.max(box.clientWidth, 110 * columns.length), gap = (width - 175) / Math.max(columns.length - 1, 1);
    const svg = document.createElementNS(space, 'svg');
    svg.setAttribute('viewBox', '0 0 ' + width + ' ' + (high + top + 26)), svg.setAttribute('role', 'img'), svg.setAttribute('aria-label', 'parallel coordinates of all points');
    svg.style.minWidth = 90 * columns.length + 'px';
    box.replaceChildren(svg);
    add(svg, 'g', {id: 'paths'});
    spots = columns.map((_, k) => 40 + k * gap);
    place = columns.map(c => {
      const {low, high: most, log} = range(c), map = v => log ? Math.log(v) : v;
      const share = v => most > low ? (map(v) - map(low)) / (map(most) - map(low)) : 0.5;
      return Object.assign(v => Math.round(top + high - (most > low && c.values ? 6 + share(v) * (high - 12) : share(v) * high)), {low, most, log});
    });
    columns.forEach((c, k) => draw_axis(svg, c, k));
    draw_paths(colouring());
  }
  function draw_axis(svg, c, k) {
    const x = spots[k], {low, most, log} = place[k], group = add(svg, 'g', {class: 'coordinate'});
    add(group, 'line', {x1: x, x2: x, y1: top, y2: top + high, class: 'axis'});
    add(group, 'text', {x, y: 14, 'text-anchor': 'middle', class: 'name'}, title(c));
    add(group, 'text', {x, y: top + high + 18, 'text-anchor': 'middle', class: 'remark'}, c.goal ? c.goal + ' is better' : '');
    for (const v of ticks(c, low, most, log, 9)) {
      add(group, 'line', {x1: x - 3, x2: x + 3, y1: place[k](v), y2: place[k](v), class: 'axis'});
      add(group, 'text', {x: x + 6, y: place[k](v) + 3.5, class: 'value'}, tick_text(c, v));
    }
    const brush = add(group, 'rect', {x: x - 9, width: 18, y: top, height: 0, class: 'brush'});
    const handle = add(group, 'rect', {x: x - 16, width: 32, y: top - 6, height: high + 12, class: 'handle', 'data-axis': c.name});
    let from = null;
    const at = event => Math.min(top + high, Math.max(top, (event.clientY - svg.getBoundingClientRect().top) * svg.viewBox.baseVal.height / svg.getBoundingClientRect().height));
    handle.addEventListener('pointerdown', event => { from = at(event); try { handle.setPointerCapture(event.pointerId); } catch (e) { /* an event of a script */ } });
    const move = event => {
      if (from === null) return;
      const [a, b] = [from, at(event)].sort((p, q) => p - q);
      if (b - a < 3) state.brushes.delete(k); else state.brushes.set(k, [a, b]);
      select(state.brushes.size ? shown.filter(id => [...state.brushes].every(([n, [y1, y2]]) => place[n](columns[n].data[id]) >= y1 && place[n](columns[n].data[id]) <= y2)) : [], {brushed: true});
    };
    handle.addEventListener('pointermove', event => { if (from !== null) requestAnimationFrame(() => move(event)); });
    handle.addEventListener('pointerup', event => { move(event); from = null; });
    brush.dataset.column = k;
  }
  function draw_paths(colour) {
    const group = choose('paths'), some = state.chosen.size > 0;
    group.replaceChildren();
    // Points with equal parts of their lines share them, so that the drawing remains small.
    const layer = (ids, paint_of, attributes) => {
      const parts = new Map();
      for (const id of ids) {
        const ink = paint_of(id);
        if (!parts.has(ink)) parts.set(ink, new Set());
        for (let k = 1; k < columns.length; ++k) parts.get(ink).add((k * 1024 + place[k - 1](columns[k - 1].data[id])) * 1024 + place[k](columns[k].data[id]));
      }
      for (const [ink, set] of parts)
        add(group, 'path', {d: [...set].map(part => {
          const k = part >> 20;
          return 'M' + spots[k - 1].toFixed(1) + ' ' + (part >> 10 & 1023) + 'L' + spots[k].toFixed(1) + ' ' + (part & 1023);
        }).join(''), fill: 'none', stroke: ink, ...attributes});
    };
    const front = shown.filter(id => is_front[id]), chosen = shown.filter(id => state.chosen.has(id));
    layer(shown, some || front.length ? () => soft : colour, {'stroke-opacity': some ? 0.15 : front.length ? 0.22 : 0.6});
    layer(some ? chosen : front, colour, {'stroke-width': 1.9});
    let last = -100;
    for (const id of [data.knee, data.baseline, ...(some ? [state.at] : [])].filter((id, i, ids) => shown.includes(id) && ids.indexOf(id) === i).sort((a, b) => end_of(a) - end_of(b))) {
      layer([id], () => ink, {'stroke-width': 1.6, 'stroke-dasharray': id === data.baseline ? '6 4' : ''});
      last = Math.max(end_of(id), last + 14);
      add(group, 'text', {x: spots[columns.length - 1] + 44, y: last + 4, class: 'name'}, mark_of(id) || 'point ' + (id + 1));
    }
    choose('lines').dataset.selected = chosen.join(',');
    for (const brush of document.querySelectorAll('.brush')) {
      const [a, b] = state.brushes.get(Number(brush.dataset.column)) || [top, top];
      brush.setAttribute('y', a), brush.setAttribute('height', b - a);
    }
  }
  const end_of = id => place[columns.length - 1](columns[columns.length - 1].data[id]);

  // ---- table
  const heads = [{name: 'point', value: id => id + 1}, {name: 'role', value: role_of}].concat(
    columns.map(c => ({name: title(c), value: id => c.data[id], text: id => text(c, id), number: !c.values})),
    [{name: 'generation', value: id => data.generation[id], number: true}],
    data.reasons.length > 1 ? [{name: 'reason', value: id => data.reasons[data.reason[id]]}] : []);
  function rows_of(view) {
    if (view === 'all') return all;
    if (view === 'selected') return all.filter(id => state.chosen.has(id));
    return all.filter(id => is_front[id] || id === data.baseline);
  }
  function draw_table() {
    let ids = rows_of(state.view);
    const key = state.sorted === null ? null : heads[state.sorted].value, sign = state.rising ? 1 : -1, first = columns.find(c => c.goal);
    if (key) ids = [...ids].sort((a, b) => (key(a) === null) - (key(b) === null) || sign * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
    else if (state.view !== 'all' && first) ids = [...ids].sort((a, b) => (first.goal === 'higher' ? -1 : 1) * (first.data[a] - first.data[b]));
    const cell = (h, id) => '<td' + (h.number ? ' class="number"' : '') + '>' + safe(h.text ? h.text(id) : h.value(id)) + '</td>';
    const row = id => '<tr data-id="' + id + '"' + (state.chosen.has(id) ? ' class="chosen"' : '') + '><td><input type="checkbox" aria-label="select point ' + (id + 1) + '"' +
      (state.chosen.has(id) ? ' checked=""' : '') + '/></td>' + heads.map(h => cell(h, id)).join('') + '</tr>';
    choose('rows').innerHTML = '<table><thead><tr><th></th>' + heads.map((h, i) => '<th' + (h.number ? ' class="number"' : '') + '><button data-head="' + i + '">' + safe(h.name) +
      (i === state.sorted ? state.rising ? ' \u2191' : ' \u2193' : '') + '</button></th>').join('') + '</tr></thead><tbody>' + ids.slice(0, state.rows).map(row).join('') + '</tbody></table>' +
      (ids.length > state.rows ? '<p><button data-more="1">show ' + Math.min(300, ids.length - state.rows) + ' more of ' + (ids.length - state.rows) + ' rows</button></p>' : '');
    for (const button of document.querySelectorAll('#views button')) {
      const view = button.dataset.view, size = rows_of(view).length;
      button.hidden = view === 'front' && !size;
      button.textContent = {front: data.front.length ? 'front and baseline' : 'baseline', selected: 'selected', all: 'all points'}[view] + ' (' + size + ')';
      button.setAttribute('aria-pressed', view === state.view);
    }
  }
  choose('rows').addEventListener('click', event => {
    const head = event.target.dataset.head, row = event.target.closest('tr[data-id]');
    if (head !== undefined) state.rising = state.sorted !== Number(head) || !state.rising, state.sorted = Number(head), draw_table();
    else if (event.target.dataset.more) state.rows += 300, draw_table();
    else if (row && !String(getSelection())) toggle(Number(row.dataset.id));
  });

  // ---- the selected point
  function draw_point() {
    const ids = [...state.chosen].sort((a, b) => a - b), id = ids.length ? state.at : data.knee ?? data.baseline, box = choose('chosen');
    const count_text = ids.length > 1 ? '<p class="steps"><button data-step="-1" aria-label="previous point">\u2190</button> ' + (ids.indexOf(id) + 1) + ' of ' + ids.length +
      ' selected <button data-step="1" aria-label="next point">\u2192</button> <button data-clear="1">clear</button></p>' :
      ids.length ? '<p class="steps">1 selected <button data-clear="1">clear</button></p>' : '<p class="soft steps">Nothing is selected' + (id === data.knee && id !== null ? ': this is the knee of the front.' : '.') + '</p>';
    if (id === null || id === undefined) { box.innerHTML = count_text; return; }
    const base = data.baseline;
    const value = c => '<tr><td>' + safe(title(c)) + '</td><td class="number">' + safe(text(c, id)) + '</td><td class="number">' +
      (base !== null && base !== id && !c.values && c.data[base] ? (c.data[id] / c.data[base]).toFixed(3) + ' \u00d7 baseline' : '') + '</td></tr>';
    const work = data.workloads.map((name, w) => (data.commands[w][id].length ? '<h4>' + safe(name) + ' <button data-copy="' + w + '">copy</button></h4><pre id="command' + w + '">' + safe(sentence(data.commands[w][id])) + '</pre>' : '') +
      (data.bottlenecks[w][id].length ? '<p class="soft">Bottleneck: ' + safe(sentence(data.bottlenecks[w][id])) + '</p>' : '')).join('');
    box.innerHTML = count_text + '<h3>Point ' + (id + 1) + (role_of(id) ? ': ' + role_of(id) : '') + '</h3><table>' + columns.filter(c => c.data[id] !== null).map(value).join('') + '</table>' +
      (data.reason[id] ? '<p class="bad">' + safe(data.reasons[data.reason[id]]) + '</p>' : '') + work;
  }
  choose('chosen').addEventListener('click', event => {
    const {step, copy, clear} = event.target.dataset, ids = [...state.chosen].sort((a, b) => a - b);
    if (clear) select([]);
    if (step) state.at = ids[(ids.indexOf(state.at) + Number(step) + ids.length) % ids.length], refresh();
    if (copy === undefined) return;
    const words = choose('command' + copy);
    getSelection().selectAllChildren(words);
    if (navigator.clipboard) navigator.clipboard.writeText(words.textContent).catch(() => {});
    else document.execCommand('copy');
    event.target.textContent = 'copied';
  });

  // ---- hypervolume
  let volume = null;
  function draw_volume() {
    const box = choose('volume');
    if (!box) return;
    if (volume) volume.destroy();
    const {points, values} = data.hypervolume, line = {stroke: ink, grid: {stroke: '#8883', width: 1}, ticks: {stroke: '#8888', width: 1}, font: '11px sans-serif', labelFont: '12px sans-serif', labelSize: 22};
    volume = new uPlot({
      width: width_of(box), height: 240, padding: [12, 14, 0, 0], scales: {x: {time: false, range: (u, low, most) => [0, 1.02 * most]}, y: {range: (u, low, most) => [Math.max(0, low - 0.15 * (most - low || most)), most + 0.05 * (most - low || most)]}},
      axes: [{...line, label: 'points', size: 34}, {...line, label: 'hypervolume', size: 58}],
      series: [{label: 'points'}, {label: 'hypervolume', stroke: '#0072B2', width: 2, paths: uPlot.paths.stepped({align: 1}), points: {show: true, size: 7}, value: (u, v) => v === null ? '' : v.toFixed(4)}]
    }, [points, values], box);
  }

  // ---- choices
  function draw() {
    const style = getComputedStyle(document.body);
    ink = state.printed ? '#222' : style.color, paper = state.printed ? '#fff' : style.backgroundColor;
    const infeasible = choose('infeasible').checked;
    shown = all.filter(id => has_values(id) && (infeasible || is_feasible(id)));
    draw_scatter();
    draw_lines();
    draw_volume();
    draw_table();
    draw_point();
  }
  function fill(id, chosen) {
    columns.forEach((c, k) => choose(id).add(new Option(title(c), k, false, k === chosen)));
    choose(id).addEventListener('change', () => { for (const axis of ['x', 'y']) if (id === axis) choose('log' + axis).checked = range(columns[choose(axis).value]).log; draw(); });
  }
  fill('x', data.x), fill('y', data.y), fill('colour', data.colour);
  for (const id of ['logx', 'logy', 'infeasible']) choose(id).addEventListener('change', draw);
  for (const button of document.querySelectorAll('#views button')) button.addEventListener('click', () => { state.view = button.dataset.view, state.rows = 300; draw_table(); });
  shown = all.filter(id => has_values(id) && is_feasible(id));
  for (const axis of ['x', 'y']) choose('log' + axis).checked = range(columns[choose(axis).value]).log;
  document.addEventListener('keydown', event => { if (event.key === 'Escape' && state.chosen.size) select([]); });
  window.addEventListener('resize', draw);
  for (const [event, printed] of [['beforeprint', true], ['afterprint', false]]) window.addEventListener(event, () => { state.printed = printed; draw(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  draw();
  document.body.dataset.drawn = Math.round(performance.now() - exploration.started + 0 * document.body.offsetHeight);
})();
