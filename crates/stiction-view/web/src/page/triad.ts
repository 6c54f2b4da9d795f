// The directions of the axes, in a corner of the stage.

import type { Stage } from '../stage/stage';
import { attribute, h, s } from './dom';

/** Lengths of the lines and distance of the letters (pixels). */
const LINE = 20;
const LETTER = 27;

export function makeTriad(stage: Stage): HTMLElement {
  const axes = (['x', 'y', 'z'] as const).map((name) => ({
    name,
    line: s('line', { x1: 0, y1: 0 }),
    label: s('text', { 'text-anchor': 'middle', dy: '0.35em' }, name),
  }));
  const svg = s(
    'svg',
    { viewBox: '-32 -32 64 64', width: 64, height: 64, 'aria-hidden': 'true' },
    ...axes.map(({ name, line, label }) => s('g', { class: `axis ${name}` }, line, label)),
  );
  stage.addLayer({
    update: () => {
      const { elements } = stage.camera.matrixWorldInverse;
      axes.forEach(({ line, label }, axis) => {
        const [x, y] = [elements[4 * axis]!, -elements[4 * axis + 1]!];
        attribute(line, 'x2', (LINE * x).toFixed(1));
        attribute(line, 'y2', (LINE * y).toFixed(1));
        attribute(label, 'x', (LETTER * x).toFixed(1));
        attribute(label, 'y', (LETTER * y).toFixed(1));
      });
    },
  });
  return h('div', { class: 'triad' }, svg);
}
