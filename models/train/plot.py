"""Draws log.jsonl of a run: python models/train/plot.py RUN OUT.svg"""

import json
import sys

from registries import CACHE

WIDTH, HEIGHT, MARGIN = 640, 300, 48


def main():
    run, out = sys.argv[1:]
    records = [json.loads(line) for line in (CACHE / "runs" / run / "log.jsonl").open()]
    train = {one["step"]: one["loss"] for one in records if "loss" in one}
    valid = {one["step"]: one["valid_nats"] for one in records if "valid_nats" in one}
    last, values = max(valid), [*train.values(), *valid.values()]
    low, high = min(values), max(values)

    def place(step, value):
        x = MARGIN + (WIDTH - 2 * MARGIN) * step / last
        return f"{x:.1f},{MARGIN + (HEIGHT - 2 * MARGIN) * (high - value) / (high - low):.1f}"

    def line(points, colour, width):
        path = " ".join(place(*point) for point in sorted(points.items()))
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'

    marks = [f'<text x="{MARGIN - 8}" y="{place(0, value).split(",")[1]}" text-anchor="end">{value:.2f}</text>' for value in (low, high)]
    marks.append(f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 16}" text-anchor="end">{last} steps</text>')
    title = "Loss in nats a token: batches (thin), validation packages (thick)"
    text = "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12" fill="#777">',
        f"<title>{title}</title>", f'<text x="{MARGIN}" y="24">{title}</text>', *marks,
        line(train, "#9bb", 1), line(valid, "#2a7", 3), "</svg>"])
    with open(out, "w", encoding="utf-8") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    main()
