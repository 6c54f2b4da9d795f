// The legend: colours of the arrows, the arrow of the reference force, the grid, and the scale of the body colours.

import { colouringOf, gradient, hasLevels, quantities } from '../data/colouring';
import type { Model } from '../data/model';
import type { Arrows } from '../stage/arrows';
import type { Stage } from '../stage/stage';
import { h, text } from './dom';
import { digits, quiet, withUnit } from './format';

const NAMES: Record<'utilisation' | 'speed' | 'force', string> = {
  utilisation: 'friction used',
  speed: 'speed',
  force: 'contact force',
};

/** The scale of the body colours; empty while bodies have their own colours. */
function makeColours(model: Model, stage: Stage) {
  const scale = h('i', { class: 'colour-scale' });
  scale.style.background = gradient();
  const [low, high] = [h('b', {}, '0'), h('b')];
  const name = h('span');
  const measured = h('span', { class: 'colours', hidden: true }, name, low, scale, high);
  const levels = h('span', { class: 'colours', hidden: true });
  const update = () => {
    const { frame, scene } = model;
    const colouring = colouringOf(model);
    const quantity = colouring === 'body' || colouring === 'level' ? null : colouring;
    measured.hidden = quantity === null || frame === null;
    levels.hidden = colouring !== 'level' || scene === null || !hasLevels(scene);
    if (quantity !== null && frame !== null) {
      const { most, unit } = quantities(frame, quantity);
      const scales = model.scales();
      const noise = quantity === 'speed' ? scales.speed : quantity === 'force' ? scales.force : 0;
      text(name, NAMES[quantity]);
      text(high, unit === '' ? '100 %' : withUnit(quiet(most, noise), unit, 3));
    }
    if (!levels.hidden && scene !== null) {
      const count = Math.max(...scene.bodies.flatMap((body) => body.levels.slice(0, 1)));
      const colours = stage.palette.levels;
      const swatches = Array.from({ length: count }, (_, i) => {
        const swatch = h('i', { class: 'swatch' });
        swatch.style.background = `#${colours[i % colours.length]!.toString(16).padStart(6, '0')}`;
        return h('span', {}, swatch, `level ${i + 1}`);
      });
      if (levels.childElementCount !== count || levels.dataset['theme'] !== String(colours[0]))
        levels.replaceChildren(...swatches);
      levels.dataset['theme'] = String(colours[0]);
    }
  };
  return { elements: [measured, levels], update };
}

export function makeLegend(model: Model, stage: Stage, arrows: Arrows): HTMLElement {
  const entry = (name: string, label = name) => h('span', {}, h('i', { class: `swatch ${name}` }), label);
  const normal = entry('normal');
  const optional = {
    open: entry('open'),
    joint: entry('joint'),
    load: entry('load', 'applied, drive'),
  };
  const bar = h('i', { class: 'bar' });
  const label = h('b');
  const cell = h('span', { class: 'cell' });
  const margins = h('span', { hidden: true }, 'margin 0', h('i', { class: 'margin-scale' }), '100 %');
  const colours = makeColours(model, stage);
  const element = h(
    'div',
    { class: 'legend', 'aria-hidden': 'true' },
    normal,
    entry('sticks'),
    entry('slips'),
    ...Object.values(optional),
    h('span', { class: 'force-scale', title: 'The arrow of this force has this length' }, bar, label),
    cell,
    margins,
    ...colours.elements,
  );
  const update = () => {
    const { show, scene, frame } = model;
    normal.hidden = show.forces === 'resultants' && model.selection?.kind !== 'contact';
    optional.open.hidden = !show.open;
    optional.joint.hidden = !show.joints || (scene?.joints.length ?? 0) === 0;
    optional.load.hidden = !show.loads;
    margins.hidden =
      frame === null ||
      (show.cones !== 'all' && (show.cones === 'none' || model.selection?.kind !== 'contact'));
    const width = Math.round(arrows.referenceForce * arrows.metresPerNewton() * stage.pixelsPerMetre());
    bar.parentElement!.hidden = !(width > 0);
    if (bar.style.width !== `${width}px`) bar.style.width = `${width}px`;
    text(label, `${digits(arrows.referenceForce, 1)} N`);
    text(cell, `grid ${digits(stage.cell, 1)} m`);
    colours.update();
  };
  stage.addLayer({ update });
  return element;
}
