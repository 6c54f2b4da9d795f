// The colours of bodies and their edges, as 0xrrggbb.

import { colouringOf, quantities, ramp } from '../data/colouring';
import type { Model } from '../data/model';
import type { Palette } from '../page/theme';

/** Parts of the accent in a selected body, and of the edge colour in an edge. */
const SELECTED = 0.45;
const EDGE = 0.72;
/** Part of a body's own colour in that of its level, so that neighbours differ. */
const OWN = 0.25;

function mix(a: number, b: number, part: number): number {
  const channel = (shift: number) => {
    const [from, to] = [(a >> shift) & 255, (b >> shift) & 255];
    return Math.round(from + part * (to - from)) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

/** Colours of all bodies in the current frame. */
export function bodyColours(model: Model, palette: Palette): { faces: number[]; edges: number[] } {
  const { scene, frame, selection } = model;
  const bodies = scene?.bodies ?? [];
  const colouring = colouringOf(model);
  const measured =
    frame === null || colouring === 'body' || colouring === 'level' ? null : quantities(frame, colouring);
  let free = 0;
  const plain = bodies.map(({ motion, levels }, i) => {
    const own = motion === 'free' ? palette.bodies[free++ % palette.bodies.length]! : palette[motion];
    if (measured !== null) return motion === 'fixed' ? own : ramp(measured.values[i]! / measured.most);
    if (colouring === 'level' && motion !== 'fixed') {
      const level = palette.levels[((levels[0] ?? 1) - 1) % palette.levels.length]!;
      return mix(level, own, OWN);
    }
    return own;
  });
  const selected = (i: number) => selection?.kind === 'body' && selection.index === i;
  return {
    faces: plain.map((colour, i) => (selected(i) ? mix(colour, palette.accent, SELECTED) : colour)),
    edges: plain.map((colour, i) => (selected(i) ? palette.accent : mix(colour, palette.edge, EDGE))),
  };
}
