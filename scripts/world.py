"""Make `src/mores/reports/charts/outlines.csv`, the map of a report, from Natural Earth's outlines of countries.

npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
python scripts/world.py package/countries-50m.json package/countries-10m.json

Natural Earth is in the public domain; world-atlas packs it as TopoJSON. The finer file is asked only for countries that
the coarser lacks. Needs pycountry, which `requirements-dev.lock` has, for ISO 3166's letters by its numbers. Outlines
without a code of ISO 3166 stay without one: they are drawn, and no place is theirs.
"""

import csv
import json
import math
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pycountry

OUT = Path(__file__).parents[1] / "src" / "mores" / "reports" / "charts" / "outlines.csv"
WIDTH = 960
TOLERANCE = 0.2
"""How far a simplified line may be from the true one, in units of a map that is WIDTH wide."""
MIDDLE = 11.1
"""The meridian in the middle: its opposite lies in the Bering Strait, where it cuts no country in two."""
LEAST = 0.3
"""Area below which an island is left out, unless it is its country's largest."""
SMALL = 14.0
"""Area of a country's largest part below which a dot stands for it."""
WITHOUT = frozenset({"AQ"})
NAMED = {"Kosovo": "XK"}
"""Codes that our places have and ISO 3166 lacks."""
A = (1.340264, -0.081106, 0.000893, 0.003796)
Point = tuple[float, float]
Ring = list[Point]


def projected(longitude: float, latitude: float) -> Point:
    """Where a point stands on the map: Equal Earth (Savric, Patterson and Jenny, 2018), which keeps areas."""
    theta = math.asin(math.sqrt(3) / 2 * math.sin(math.radians(latitude)))
    powers = [theta**n for n in (2, 6, 8)]
    slope = A[0] + 3 * A[1] * powers[0] + 7 * A[2] * powers[1] + 9 * A[3] * powers[2]
    x = 2 * math.sqrt(3) * math.radians(longitude - MIDDLE) * math.cos(theta) / (3 * slope)
    y = theta * (A[0] + A[1] * powers[0] + A[2] * powers[1] + A[3] * powers[2])
    scale = WIDTH / (2 * 2.7066299836)
    return WIDTH / 2 + scale * x, scale * (1.32 - y)


def arcs_of(topology: dict[str, Any]) -> list[Ring]:
    """All arcs on the map, simplified once, so that neighbours still share their borders."""
    (sx, sy), (tx, ty) = topology["transform"]["scale"], topology["transform"]["translate"]
    found = []
    for arc in topology["arcs"]:
        x = y = 0
        line = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            line.append((x * sx + tx, y * sy + ty))
        found.append(simplified([projected(*point) for point in unwrapped(line)]))
    return found


def unwrapped(line: Ring) -> Ring:
    """A line without leaps from one edge of the world to the other, on the side where most of it lies."""
    kept = line[:1]
    for x, y in line[1:]:
        kept.append((x - 360 * round((x - kept[-1][0]) / 360), y))
    turns = 360 * round((sum(x for x, _ in kept) / len(kept) - MIDDLE) / 360)
    return [(x - turns, y) for x, y in kept]


def simplified(line: Ring) -> Ring:
    """A line with no more points than it takes to stay within the tolerance (Douglas and Peucker)."""
    if len(line) < 3:
        return line
    far = max(range(1, len(line) - 1), key=lambda n: _away(line[n], line[0], line[-1]))
    if _away(line[far], line[0], line[-1]) <= TOLERANCE:
        return [line[0], line[far], line[-1]] if line[0] == line[-1] else [line[0], line[-1]]
    return [*simplified(line[: far + 1])[:-1], *simplified(line[far:])]


def _away(point: Point, start: Point, end: Point) -> float:
    along, length = (end[0] - start[0], end[1] - start[1]), math.dist(start, end)
    if not length:
        return math.dist(point, start)
    part = ((point[0] - start[0]) * along[0] + (point[1] - start[1]) * along[1]) / length**2
    part = min(1.0, max(0.0, part))
    return math.dist(point, (start[0] + part * along[0], start[1] + part * along[1]))


def rings_of(geometry: dict[str, Any], arcs: Sequence[Ring]) -> Iterator[Ring]:
    """The rings of a country; holes are left to the countries in them."""
    polygons = [geometry["arcs"]] if geometry["type"] == "Polygon" else geometry.get("arcs", [])
    for outer, *_ in polygons:
        ring: Ring = []
        for number in outer:
            line = arcs[number] if number >= 0 else arcs[~number][::-1]
            ring += line[1:] if ring else line
        yield ring


def area_and_centre(ring: Ring) -> tuple[float, Point]:
    """A ring's area and the centre of its mass."""
    double = cx = cy = 0.0
    for (x, y), (u, v) in zip(ring, [*ring[1:], ring[0]], strict=True):
        cross = x * v - u * y
        double, cx, cy = double + cross, cx + (x + u) * cross, cy + (y + v) * cross
    if abs(double) < 1e-9:
        return 0.0, ring[0]
    return abs(double) / 2, (cx / (3 * double), cy / (3 * double))


def path_of(rings: Sequence[Ring]) -> str:
    """Rings as an SVG path of whole half units, each point as the way from the one before."""
    parts = []
    for ring in rings:
        spots = [(round(x * 2), round(y * 2)) for x, y in ring]
        kept = [spot for n, spot in enumerate(spots) if not n or spot != spots[n - 1]]
        steps = [(u - x, v - y) for (x, y), (u, v) in pairwise(kept)][: len(kept) - 2]
        way = "".join(f"{_joined(dx)}{_joined(dy)}" for dx, dy in steps)
        lines = f"l{way.lstrip()}" if way else ""  # an island may be a single half unit
        parts.append(f"M{kept[0][0]} {kept[0][1]}{lines}z")
    return "".join(parts)


def _joined(number: int) -> str:
    return f"{number}" if number < 0 else f" {number}"


def countries(path: Path) -> Iterator[tuple[str, list[Ring]]]:
    """Each country's code, empty where ISO 3166 has none, with its rings, the largest first."""
    topology = json.loads(path.read_text(encoding="utf-8"))
    arcs = arcs_of(topology)
    for geometry in topology["objects"]["countries"]["geometries"]:
        found = pycountry.countries.get(numeric=geometry.get("id", "none"))
        rings = sorted(rings_of(geometry, arcs), key=lambda ring: -area_and_centre(ring)[0])
        yield (found.alpha_2 if found else NAMED.get(geometry["properties"]["name"], "")), rings


def main(coarse: Path, fine: Path) -> None:
    """Write the table: a country's code, whether a dot stands for it, where, and its outline in half units."""
    kept: dict[str, list[Ring]] = {}
    for code, rings in countries(coarse):
        if rings and code not in WITHOUT:
            kept.setdefault(code, []).extend(rings if code else rings[:1])
    for code, rings in countries(fine):
        if rings and code and code not in kept and code not in WITHOUT:
            kept[code] = rings[:1]
    OUT.parent.mkdir(exist_ok=True)
    with OUT.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("place", "small", "x", "y", "outline"))
        for code in sorted(kept):
            rings = kept[code]
            area, (x, y) = area_and_centre(rings[0])
            large = [ring for n, ring in enumerate(rings) if not n or area_and_centre(ring)[0] >= LEAST]
            drawn = path_of([ring for ring in large if len(set(ring)) > 2])
            table.writerow((code, "yes" if area < SMALL else "", round(2 * x), round(2 * y), drawn))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
