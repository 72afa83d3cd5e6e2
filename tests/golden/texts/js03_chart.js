import { extent, max } from './stats.js';

const NS = 'http://www.w3.org/2000/svg';

function el(name, attributes = {}, ...children) {
	const node = document.createElementNS(NS, name);
	for (const [key, value] of Object.entries(attributes)) {
		node.setAttribute(key, String(value));
	}
	node.append(...children);
	return node;
}

/** Rounds a step up to 1, 2 or 5 times a power of ten. */
export function niceStep(span, count) {
	const raw = span / Math.max(1, count);
	const power = 10 ** Math.floor(Math.log10(raw));
	const unit = raw / power;
	return (unit <= 1 ? 1 : unit <= 2 ? 2 : unit <= 5 ? 5 : 10) * power;
}

export function lineChart(target, series, { width = 640, height = 240, margin = 32, label = 'Wert in €' } = {}) {
	const [x0, x1] = extent(series, (p) => p.x);
	const top = max(series, (p) => p.y);
	const step = niceStep(top, 5);
	const sx = (x) => margin + ((x - x0) / (x1 - x0)) * (width - 2 * margin);
	const sy = (y) => height - margin - (y / top) * (height - 2 * margin);

	const svg = el('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
	for (let y = 0; y <= top; y += step) {
		svg.append(
			el('line', { x1: margin, x2: width - margin, y1: sy(y), y2: sy(y), class: 'grid' }),
