// Diagrams of the Why panel: free body, force polygon and friction cone.

import { type FreeBody, type Load, slipLimits } from '../../data/forces';
import type { BodyInfo, BodyState, Contact } from '../../data/frame';
import { add, dot, length, rotate, sub, type Vec3 } from '../../data/vec';
import { s } from '../../page/dom';
import { digits } from '../../page/format';
import { hullPoints } from '../../stage/shapes';

type Flat = [number, number];

/** The directions in the world that point right and up on the screen. */
export interface Axes {
  right: Vec3;
  up: Vec3;
}

const flatten = (v: Vec3, axes: Axes): Flat => [dot(v, axes.right), -dot(v, axes.up)];

function arrow(from: Flat, to: Flat, kind: string, title = ''): SVGGElement {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const size = Math.hypot(dx, dy);
  const group = s('g', { class: `load ${kind}` });
  if (title !== '') group.append(s('title', {}, title));
  if (size < 0.8) {
    group.append(s('circle', { cx: to[0], cy: to[1], r: 1.6 }));
    return group;
  }
  const head = Math.min(8, 0.6 * size);
  const [ux, uy] = [dx / size, dy / size];
  const [bx, by] = [to[0] - head * ux, to[1] - head * uy];
  const half = 0.42 * head;
  group.append(
    s('line', { x1: from[0], y1: from[1], x2: bx + 0.5 * ux, y2: by + 0.5 * uy }),
    s('path', {
      d: `M${to[0]} ${to[1]}L${bx - half * uy} ${by + half * ux}L${bx + half * uy} ${by - half * ux}z`,
    }),
  );
  return group;
}

/** Convex hull, counter-clockwise. */
export function hull(points: Flat[]): Flat[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o: Flat, a: Flat, b: Flat) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const side = (from: Flat[]) => {
    const chain: Flat[] = [];
    for (const point of from) {
      while (chain.length >= 2 && turn(chain[chain.length - 2]!, chain[chain.length - 1]!, point) <= 0)
        chain.pop();
      chain.push(point);
    }
    chain.pop();
    return chain;
  };
  return [...side(sorted), ...side(sorted.reverse())];
}

const caption = (x: number, y: number, words: string) =>
  s('text', { x, y, class: 'caption', 'text-anchor': 'middle' }, words);

/** Free-body diagram (left) and force polygon (right). */
export function drawFreeBody(info: BodyInfo, state: BodyState, sums: FreeBody, axes: Axes): SVGSVGElement {
  return s(
    'svg',
    {
      viewBox: '0 0 352 168',
      class: 'diagram',
      role: 'img',
      'aria-label': `Free-body diagram of ${info.name} and its force polygon`,
    },
    ...drawLoads(info, state, sums, axes),
    ...drawPolygon(sums, axes),
    s('line', { x1: 222, y1: 12, x2: 222, y2: 156, class: 'divider' }),
    caption(288, 162, 'force polygon'),
  );
}

/** Outlines of the parts of a body about its centre of mass; half-spaces have none. */
function outlinesOf(info: BodyInfo, state: BodyState, axes: Axes): Flat[][] {
  return info.parts
    .map((part) => {
      const points = hullPoints(part.shape).map((p) =>
        flatten(rotate(state.rotation, add(part.position, rotate(part.rotation, p))), axes),
      );
      return points.length > 2 ? hull(points) : [];
    })
    .filter((outline) => outline.length > 0);
}

/** The body with every force at its point of application; contact arrows end at their point. */
function drawLoads(info: BodyInfo, state: BodyState, { loads }: FreeBody, axes: Axes): SVGElement[] {
  const outlines = outlinesOf(info, state, axes);
  const fromCentre = (at: Vec3): Flat => flatten(sub(at, state.position), axes);
  // A half-space has no outline: the points of application then set the scale.
  const extent =
    outlines.length > 0 ? outlines.flat() : loads.flatMap(({ at }) => (at === null ? [] : [fromCentre(at)]));
  const zoom = 36 / Math.max(1e-9, ...extent.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))));
  const [cx, cy] = [112, 76];
  const polygons = outlines.map((outline) =>
    s('polygon', {
      class: 'outline',
      points: outline.map(([x, y]) => `${cx + zoom * x},${cy + zoom * y}`).join(' '),
    }),
  );
  const pixelsPerNewton = 40 / Math.max(1e-300, ...loads.map(({ force }) => length(force)));
  const arrows = loads
    .filter(({ force }) => length(force) > 0)
    .map((load) => {
      const [fx, fy] = flatten(load.force, axes);
      const [x, y] = load.at === null ? [0, 0] : fromCentre(load.at);
      const at: Flat = [cx + zoom * x, cy + zoom * y];
      const pushes = load.kind === 'contact';
      const factor = (pushes ? -1 : 1) * pixelsPerNewton;
      const end: Flat = [at[0] + factor * fx, at[1] + factor * fy];
      return pushes ? arrow(end, at, load.kind, name(load)) : arrow(at, end, load.kind, name(load));
    });
  return [
    ...polygons,
    s('path', { class: 'centre', d: `M${cx - 4} ${cy}h8M${cx} ${cy - 4}v8` }),
    ...arrows,
    caption(cx, 162, 'forces on the body'),
  ];
}

/** The forces head to tail: the polygon closes if the body does not accelerate. */
function drawPolygon(sums: FreeBody, axes: Axes): SVGElement[] {
  const path: Flat[] = [[0, 0]];
  const loads = sums.loads.filter(({ force }) => length(force) > 0);
  for (const { force } of loads) {
    const [x, y] = path[path.length - 1]!;
    const [dx, dy] = flatten(force, axes);
    path.push([x + dx, y + dy]);
  }
  const xs = path.map(([x]) => x);
  const ys = path.map(([, y]) => y);
  const [width, height] = [Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)];
  const fit = Math.min(90 / Math.max(width, 1e-300), 112 / Math.max(height, 1e-300));
  const [mx, my] = [(Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2];
  const put = ([x, y]: Flat): Flat => [288 + fit * (x - mx), 76 + fit * (y - my)];
  // Collinear forces are drawn side by side.
  const collinear = Math.min(width, height) < 0.04 * Math.max(width, height);
  const offset = ([dx, dy]: Flat): Flat => {
    if (!collinear) return [0, 0];
    return width < height ? [5 * Math.sign(-dy), 0] : [0, 5 * Math.sign(dx)];
  };
  const arrows = loads.map((load, i) => {
    const [sx, sy] = offset(flatten(load.force, axes));
    const [from, to] = [put(path[i]!), put(path[i + 1]!)];
    return arrow([from[0] + sx, from[1] + sy], [to[0] + sx, to[1] + sy], load.kind, name(load));
  });
  if (length(sums.force) > 1e-6 * sums.forceScale && loads.length > 1) {
    const title = `sum ${digits(length(sums.force))} N`;
    arrows.push(arrow(put(path[0]!), put(path[path.length - 1]!), 'sum', title));
  }
  return arrows;
}

const name = (load: Load): string => `${load.label}: ${digits(length(load.force))} N`;

/** The contact force and its friction cone, in the plane of the force. */
export function drawCone(contact: Contact): SVGSVGElement {
  const svg = s('svg', {
    viewBox: '0 0 352 150',
    class: 'diagram',
    role: 'img',
    'aria-label': 'The contact force and its friction cone',
  });
  const { mu, friction, limit } = slipLimits(contact);
  const normal = contact.normalForce;
  const [ox, oy] = [146, 128];
  const zoom = Math.min(100 / Math.max(normal, 1e-300), 96 / Math.max(limit, friction, 1e-300));
  const [top, wide] = [oy - zoom * normal, zoom * limit];
  svg.append(s('path', { class: 'ground', d: `M20 ${oy}H332` }));
  if (!(normal > 0)) {
    svg.append(caption(176, 90, 'no force'));
    return svg;
  }
  if (mu > 0) {
    svg.append(
      s('path', { class: 'cone', d: `M${ox} ${oy}L${ox - wide} ${top}H${ox + wide}z` }),
      s('path', { class: 'rim', d: `M${ox - wide} ${top}L${ox} ${oy}L${ox + wide} ${top}` }),
    );
  }
  const tip = ox + zoom * friction;
  svg.append(
    s('path', { class: 'helper', d: `M${ox} ${top}H${tip}M${tip} ${oy}V${top}` }),
    arrow([ox, oy], [ox, top], 'normal', `N = ${digits(normal)} N`),
    arrow([ox, oy], [tip, oy], contact.mode, `|T| = ${digits(friction)} N`),
    arrow([ox, oy], [tip, top], 'sum', `force ${digits(Math.hypot(normal, friction))} N`),
    s(
      'text',
      { x: ox - wide / 2 - 12, y: (top + oy) / 2, class: 'value', 'text-anchor': 'end' },
      `N ${digits(normal)} N`,
    ),
    s(
      'text',
      { x: Math.max(tip, ox) + 8, y: oy + 15, class: 'value', 'text-anchor': 'start' },
      `T ${digits(friction)} N`,
    ),
  );
  if (mu > 0 && contact.uniqueness === 'not unique') {
    svg.append(s('text', { x: ox + wide + 8, y: top + 12, class: 'value' }, 'force not unique'));
  } else if (mu > 0) {
    svg.append(
      s('path', { class: 'bracket', d: `M${tip} ${top - 5}v-5H${ox + wide}v5` }),
      s('text', { x: ox + wide + 8, y: top + 12, class: 'value' }, `μN ${digits(limit)} N`),
      s(
        'text',
        { x: ox + wide + 8, y: top - 5, class: 'reserve' },
        `reserve ${digits(Math.max(0, limit - friction))} N`,
      ),
    );
  }
  return svg;
}
