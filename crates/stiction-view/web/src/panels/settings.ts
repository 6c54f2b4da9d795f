// The Settings panel: stepper, solver, gravity, friction and display options.

import type { Model, Show } from '../data/model';
import type { Status } from '../data/source';
import { length, scale, type Vec3 } from '../data/vec';
import { attribute, h, text, throttled } from '../page/dom';
import { digits, full } from '../page/format';

/** A slider with its value beside it. */
function slider(
  label: string,
  [low, high, step]: [number, number, number],
  act: (value: number) => void,
  format: (value: number) => string,
) {
  const input = h('input', { type: 'range', min: low, max: high, step, 'aria-label': label });
  const value = h('output');
  input.addEventListener('input', () => {
    text(value, format(Number(input.value)));
    act(Number(input.value));
  });
  return {
    element: h('label', { class: 'field' }, h('span', {}, label), input, value),
    input,
    set(number: number, title = '') {
      if (document.activeElement !== input || !input.matches(':active')) input.value = String(number);
      text(value, format(number));
      attribute(value, 'title', title);
    },
  };
}

/** A select box whose options come from the server. */
function selectBox(label: string, act: (name: string) => void) {
  const select = h('select', { 'aria-label': label });
  select.addEventListener('change', () => act(select.value));
  const fill = (names: string[], value: string) => {
    const all = names.includes(value) || value === '' ? names : [value, ...names];
    if ([...select.options].map((option) => option.value).join('\n') !== all.join('\n'))
      select.replaceChildren(...all.map((name) => h('option', { value: name }, name)));
    if (document.activeElement !== select || select.value === '') select.value = value;
  };
  return { element: h('label', { class: 'field' }, h('span', {}, label), select), fill };
}

/** Gravity as a magnitude along its last direction, and by components. */
function makeGravity(model: Model) {
  let direction: Vec3 = [0, 0, -1];
  const send = throttled(60, () =>
    model.send({ do: 'gravity', value: scale(Number(magnitude.input.value), direction) }),
  );
  const magnitude = slider('Gravity', [0, 25, 0.01], send, (value) => `${digits(value, 3)} m/s²`);
  const components = (['x', 'y', 'z'] as const).map((name, axis) => {
    const input = h('input', { type: 'number', step: 'any', 'aria-label': `Gravity ${name} (m/s²)` });
    input.addEventListener('change', () => {
      const value = [...model.gravity()] as Vec3;
      value[axis] = Number(input.value) || 0;
      model.send({ do: 'gravity', value });
    });
    return input;
  });
  const setDirection = (gravity: Vec3) => {
    if (length(gravity) > 0) direction = scale(1 / length(gravity), gravity);
  };
  const update = ({ gravity }: Status) => {
    setDirection(gravity);
    magnitude.set(length(gravity), full(length(gravity), 'm/s²'));
    components.forEach((input, axis) => {
      if (document.activeElement !== input) input.value = String(gravity[axis]);
    });
  };
  const fields = [
    magnitude.element,
    h('div', { class: 'field axes' }, h('span', {}, 'x, y, z'), ...components),
  ];
  return { fields, setDirection, update };
}

/** Display options that are on or off. */
type Switch = { [K in keyof Show]: Show[K] extends boolean ? K : never }[keyof Show];

/** A select box of a display option. */
function choice<K extends 'forces' | 'cones' | 'colour'>(
  model: Model,
  key: K,
  label: string,
  names: Record<Show[K], string>,
): HTMLElement {
  const options = Object.entries(names) as [Show[K], string][];
  const select = h(
    'select',
    { 'aria-label': label },
    ...options.map(([value, name]) => h('option', { value }, name)),
  );
  select.value = model.show[key];
  select.addEventListener('change', () => model.changeShow({ [key]: select.value }));
  model.on('show', (show) => (select.value = show[key]));
  return h('label', { class: 'field' }, h('span', {}, label), select);
}

/** What the page draws; works for recordings too. */
function makeDisplay(model: Model): HTMLElement {
  const check = (key: Switch, label: string) => {
    const input = h('input', { type: 'checkbox', checked: model.show[key] });
    input.addEventListener('change', () => model.changeShow({ [key]: input.checked }));
    model.on('show', (show) => (input.checked = show[key]));
    return h('label', { class: 'check' }, input, label);
  };
  const arrowScale = slider(
    'Arrow length',
    [-1, 1, 0.02],
    (value) => model.changeShow({ scale: 10 ** value }),
    (value) => `${digits(10 ** value, 3)}×`,
  );
  arrowScale.set(0);
  return h(
    'fieldset',
    {},
    h('legend', {}, 'Display'),
    choice(model, 'colour', 'Body colours', {
      auto: 'by level, else by body',
      body: 'by body',
      level: 'by level',
      utilisation: 'by friction used',
      speed: 'by speed',
      force: 'by contact force',
    }),
    choice(model, 'forces', 'Contact forces', {
      resultants: 'one per pair of faces',
      points: 'one per contact point',
    }),
    choice(model, 'cones', 'Friction cones', {
      selected: 'of the selected contact',
      all: 'of all contacts',
      none: 'none',
    }),
    arrowScale.element,
    h(
      'div',
      { class: 'checks' },
      check('points', 'Contact points'),
      check('open', 'Open contacts'),
      check('normals', 'Normal forces'),
      check('friction', 'Friction forces'),
      check('joints', 'Joints and springs'),
      check('loads', 'Applied forces, drives'),
      check('edges', 'Edges'),
      check('shadows', 'Shadows'),
      check('xray', 'Transparent bodies'),
    ),
  );
}

export function makeSettings(model: Model): HTMLElement {
  const stepper = selectBox('Stepper', (name) => model.send({ do: 'stepper', name }));
  const solver = selectBox('Solver', (name) => model.send({ do: 'solver', name }));
  const gravity = makeGravity(model);
  const sendFriction = throttled(60, () =>
    model.send({ do: 'friction', factor: Number(friction.input.value) }),
  );
  const friction = slider('Friction', [0, 3, 0.01], sendFriction, (value) => `${digits(value, 3)} × μ`);
  const used = h('output', {}, '–');
  const simulation = h(
    'fieldset',
    { hidden: true },
    h('legend', {}, 'Simulation'),
    stepper.element,
    solver.element,
    h('div', { class: 'field' }, h('span', {}, 'In use'), used),
    ...gravity.fields,
    friction.element,
  );
  const fixed = h('dl', { class: 'facts' });
  const record = h('fieldset', { hidden: true }, h('legend', {}, 'Recorded with'), fixed);
  model.on('status', (status) => {
    stepper.fill(status.steppers, status.stepper);
    solver.fill(status.solvers, status.solver);
    gravity.update(status);
    friction.set(status.friction, full(status.friction));
    simulation.hidden = !status.live;
    record.hidden = status.live;
    fixed.replaceChildren(
      ...recordedWith(model, status).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
    );
  });
  model.on('frame', ({ answers }) =>
    text(used, answers.length === 0 ? 'nothing to solve' : answersOf(answers)),
  );
  model.on('scene', (scene) => gravity.setDirection(scene.gravity));
  return h('div', { class: 'panel-page settings' }, makeDisplay(model), simulation, record);
}

/** The solvers that gave the answers since the last frame, the most used first. */
function answersOf(answers: [string, number][]): string {
  const sorted = [...answers].sort((a, b) => b[1] - a[1]);
  return sorted.map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}

/** The settings of a recording, which cannot be changed. */
const recordedWith = (model: Model, { stepper, solver, gravity }: Status): [string, string][] => [
  ['stepper', stepper],
  ['solver', solver],
  ['time between frames', `${digits(model.scene?.run.dt ?? NaN, 3)} s`],
  ['gravity', `${digits(length(gravity), 3)} m/s²`],
];
