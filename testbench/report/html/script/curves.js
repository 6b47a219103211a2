// Replaces the drawings of curves by charts: dragging in one zooms the time axis of all, a double click resets it.
'use strict';
(function () {
  const charts = [];
  const ink = getComputedStyle(document.body).color;
  const axis = label => ({label: label, stroke: ink, grid: {stroke: '#8884', width: 1}, ticks: {stroke: '#8888', width: 1}});

  function followed(u, scale) {
    if (scale !== 'x') return;
    const {min, max} = u.scales.x;
    u.root.parentNode.dataset.time = min + ' ' + max;
    for (const other of charts)
      if (other.scales.x.min !== min || other.scales.x.max !== max) other.setScale('x', {min: min, max: max});
  }

  for (const figure of document.querySelectorAll('.curves')) {
    const data = JSON.parse(figure.querySelector('script').textContent);
    const place = document.createElement('div');
    place.className = 'chart';
    figure.appendChild(place);
    const times = data.lines[0].values.map((_, i) => (i + 0.5) * data.stretch_us);
    charts.push(new uPlot({
      width: Math.min(900, document.body.clientWidth - 40), height: 240,
      cursor: {sync: {key: 'run'}, drag: {x: true, y: false}},
      scales: {x: {time: false}, y: {range: (u, min, max) => [0, max > 0 ? 1.04 * max : 1]}},
      axes: [axis('time (us)'), {...axis(data.title), size: 70}],
      hooks: {setScale: [followed]},
      series: [{label: 'time (us)', value: (u, v) => v === null ? '' : Number(v.toPrecision(6))}].concat(data.lines.map(line => ({
        label: line.name, stroke: line.colour, width: 1.5, points: {show: false}, value: (u, v) => v === null ? '' : v
      })))
    }, [times].concat(data.lines.map(line => line.values)), place));
    figure.classList.add('drawn');
  }
})();
