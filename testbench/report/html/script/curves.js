// Draws the curves as charts over the time axis of the strips, and zooms all of them together: dragging selects a time,
// a double click restores the whole run.
'use strict';
(function () {
  const space = 'http://www.w3.org/2000/svg';
  const figures = [...document.querySelectorAll('.curves')];
  if (!figures.length) return;
  const read = figure => JSON.parse(figure.querySelector('script').textContent);
  const {length, columns: [names, area, rest]} = read(figures[0]);
  const all = names + area + rest;
  const charts = [], strips = [...document.querySelectorAll('svg.strips')];
  let shown = [0, length];

  const ink = getComputedStyle(document.body).color;
  const axis = label => ({label: label || undefined, stroke: ink, grid: {stroke: '#8884', width: 1}, ticks: {stroke: '#8888', width: 1}});
  const width = () => Math.min(all, document.body.clientWidth - 32);

  // Shows the times `from` to `to` in all pictures.
  function zoom(from, to) {
    if (from === shown[0] && to === shown[1]) return;
    shown = [from, to];
    for (const chart of charts) {
      chart.setScale('x', {min: from, max: to});
      chart.root.parentNode.dataset.time = from + ' ' + to;
    }
    for (const picture of strips) place(picture);
  }

  // Moves the contents of strips and draws the ticks of their axis.
  function place(picture) {
    const [from, to] = shown, scale = length / (to - from);
    const shift = names - (names + from / length * area) * scale;
    for (const row of picture.querySelectorAll('.times'))
      row.setAttribute('transform', 'translate(' + shift + ' 0) scale(' + scale + ' 1)');
    picture.dataset.time = from + ' ' + to;
    const ticks = picture.querySelector('.ticks'), y = Number(ticks.dataset.y);
    ticks.replaceChildren();
    const step = roundUp((to - from) / 9);
    for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; ++i) {
      const x = names + (i * step - from) / (to - from) * area;
      add(ticks, 'line', {x1: x, y1: y, x2: x, y2: y + 4, class: 'axis'});
      add(ticks, 'text', {x: x, y: y + 15, 'font-size': 10, 'text-anchor': 'middle'}).textContent = Number((i * step).toPrecision(6));
    }
  }
  function roundUp(x) {
    const power = 10 ** Math.floor(Math.log10(x));
    return [1, 2, 5, 10].map(f => f * power).find(f => f >= x * (1 - 1e-9));
  }
  function add(parent, kind, attributes) {
    const element = document.createElementNS(space, kind);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return parent.appendChild(element);
  }

  // Rows end at the ends of the axis, also when zoomed.
  function clip(picture, number) {
    const path = add(picture, 'clipPath', {id: 'times' + number});
    add(path, 'rect', {x: names, y: 0, width: area, height: picture.viewBox.baseVal.height});
    for (const row of picture.querySelectorAll('.times')) {
      const frame = add(row.parentNode, 'g', {'clip-path': 'url(#times' + number + ')'});
      frame.appendChild(row);
    }
  }
  function listen(picture) {
    let start = null, mark = null;
    const at = event => {
      const box = picture.getBoundingClientRect();
      return Math.min(area, Math.max(0, (event.clientX - box.left) / box.width * all - names));
    };
    const time = x => shown[0] + x / area * (shown[1] - shown[0]);
    picture.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      start = at(event);
      mark = add(picture, 'rect', {x: names + start, y: 0, width: 0, height: picture.viewBox.baseVal.height, class: 'chosen'});
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener('pointermove', event => {
      if (start === null) return;
      mark.setAttribute('x', names + Math.min(start, at(event)));
      mark.setAttribute('width', Math.abs(at(event) - start));
    });
    const end = event => {
      if (start === null) return;
      const [a, b] = [start, at(event)].sort((x, y) => x - y);
      mark.remove();
      start = null;
      if (event.type === 'pointerup' && b - a > 3) zoom(time(a), time(b));
    };
    picture.addEventListener('pointerup', end);
    picture.addEventListener('pointercancel', end);
    picture.addEventListener('dblclick', () => zoom(0, length));
  }

  function columns() {
    const scale = width() / all;
    return {width: width(), values: names * scale - 30, rest: rest * scale};
  }
  function draw(figure) {
    const data = read(figure);
    const place = document.createElement('div');
    place.className = 'chart';
    figure.appendChild(place);
    const times = data.lines[0].values.map((_, i) => Math.min((i + 0.5) * data.stretch, data.length));
    charts.push(new uPlot({
      width: columns().width, height: 240, padding: [12, () => columns().rest, 0, 0],
      cursor: {sync: {key: 'run'}, drag: {x: true, y: false}},
      scales: {x: {time: false, range: (u, min, max) => min === times[0] && max === times[times.length - 1] ? [0, length] : [min, max]},
               y: {range: (u, min, max) => [0, max > 0 ? 1.04 * max : 1]}},
      axes: [axis('time (' + data.unit + ')'), {...axis(data.title), size: () => columns().values + (data.title ? 0 : 30)}],
      hooks: {setScale: [(u, key) => key === 'x' && zoom(u.scales.x.min, u.scales.x.max)]},
      series: [{label: 'time (' + data.unit + ')', value: (u, v) => v === null ? '' : Number(v.toPrecision(6))}].concat(data.lines.map(line => ({
        label: line.name, stroke: line.colour, width: 1.5, points: {show: false}, value: (u, v) => v === null ? '' : v
      })))
    }, [times].concat(data.lines.map(line => line.values)), place));
    figure.classList.add('drawn');
  }

  figures.forEach(draw);
  strips.forEach(clip);
  strips.forEach(listen);
  window.addEventListener('resize', () => {
    for (const chart of charts) chart.setSize({width: columns().width, height: 240});
  });
})();
