/** Line charts as plain SVG, for benches/README.md: one chart a file, no script, readable on light and dark pages. */
const [WIDTH, HEIGHT] = [640, 360];
const MARGIN = { left: 62, right: 18, top: 40, bottom: 48 };
const COLOURS = ['#2563eb', '#d97706', '#059669', '#9333ea'];

const escape = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Round steps (1, 2 or 5 times a power of ten) from 0 to at least `max`, about five of them. */
function ticks(max) {
  const power = 10 ** Math.floor(Math.log10(max / 5));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => max / size <= 6);
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

/**
 * `chart`: `{ title, x, y, series: [{ name, points: [[x, y, min?, max?]], line? }] }`; `x` and `y` are the names of the
 * axes, `line` (`{ slope, intercept }`) is drawn dashed.
 */
export function chart({ title, x, y, series }) {
  const points = series.flatMap((one) => one.points);
  const [xTicks, yTicks] = [ticks(Math.max(...points.map((p) => p[0]))), ticks(Math.max(...points.map((p) => p[3] ?? p[1])))];
  const [xMax, yMax] = [xTicks.at(-1), yTicks.at(-1)];
  const px = (value) => (MARGIN.left + (value / xMax) * (WIDTH - MARGIN.left - MARGIN.right)).toFixed(1);
  const py = (value) => (HEIGHT - MARGIN.bottom - (value / yMax) * (HEIGHT - MARGIN.top - MARGIN.bottom)).toFixed(1);
  const parts = [];
  for (const tick of yTicks) {
    parts.push(`<path class="grid" d="M${px(0)} ${py(tick)}H${px(xMax)}"/>`);
    parts.push(`<text x="${px(0) - 8}" y="${Number(py(tick)) + 4}" text-anchor="end">${tick}</text>`);
  }
  for (const tick of xTicks) {
    parts.push(`<text x="${px(tick)}" y="${HEIGHT - MARGIN.bottom + 18}" text-anchor="middle">${tick}</text>`);
  }
  series.forEach(({ name, points: own, line }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const path = own.map(([a, b]) => `${px(a)} ${py(b)}`).join('L');
    parts.push(`<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const [a, b, low, high] of own) {
      if (low !== undefined) parts.push(`<path d="M${px(a)} ${py(low)}V${py(high)}" stroke="${colour}" opacity="0.5"/>`);
      parts.push(`<circle cx="${px(a)}" cy="${py(b)}" r="3" fill="${colour}"/>`);
    }
    if (line) {
      const at = (value) => `${px(value)} ${py(Math.max(0, line.intercept + line.slope * value))}`;
      parts.push(`<path d="M${at(0)}L${at(xMax)}" stroke="${colour}" stroke-dasharray="4 4"/>`);
    }
    const labelY = MARGIN.top + 16 * index + 4;
    parts.push(`<circle cx="${MARGIN.left + 14}" cy="${labelY - 4}" r="4" fill="${colour}"/>`);
    parts.push(`<text x="${MARGIN.left + 24}" y="${labelY}">${escape(name)}</text>`);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(title)}">
<style>text{font:12px sans-serif;fill:#6b7280}.title{font-weight:600;font-size:14px}.grid{stroke:#9ca3af;opacity:.3}</style>
<text class="title" x="${MARGIN.left}" y="20">${escape(title)}</text>
<text x="${(WIDTH + MARGIN.left) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escape(x)}</text>
<text transform="translate(16 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escape(y)}</text>
${parts.join('\n')}
</svg>
`;
}
