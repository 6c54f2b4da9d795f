// The Settings panel: stepper, solver, gravity, friction and display options.

import { attribute, h, text, throttled } from './dom';
import { digits, full } from './format';
import type { Model, Show } from './model';
import type { Status } from './source';
import { type Vec3, length, scale } from './vec';

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

/** What the page draws; works for recordings too. */
function makeDisplay(model: Model): HTMLElement {
  const check = (key: Exclude<keyof Show, 'scale'>, label: string) => {
    const input = h('input', { type: 'checkbox', ...(model.show[key] ? { checked: true } : {}) });
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
    arrowScale.element,
    h(
      'div',
      { class: 'checks' },
      check('points', 'Contact points'),
      check('normals', 'Normal forces'),
      check('friction', 'Friction forces'),
      check('cones', 'Friction cones'),
      check('joints', 'Joints and springs'),
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
  const simulation = h(
    'fieldset',
    {},
    h('legend', {}, 'Simulation'),
    stepper.element,
    solver.element,
    ...gravity.fields,
    friction.element,
  );
  const note = h('p', { class: 'note', hidden: true }, 'The simulation settings of a recording are fixed.');
  model.on('status', (status) => {
    stepper.fill(status.steppers, status.stepper);
    solver.fill(status.solvers, status.solver);
    gravity.update(status);
    friction.set(status.friction, full(status.friction));
    simulation.disabled = !status.live;
    note.hidden = status.live;
  });
  model.on('scene', (scene) => gravity.setDirection(scene.gravity));
  return h('div', { class: 'panel-page settings' }, makeDisplay(model), simulation, note);
}
