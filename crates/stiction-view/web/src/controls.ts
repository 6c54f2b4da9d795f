// The controls: the transport bar, and the page of settings (stepper, solver, gravity, friction, what is drawn).

import { attribute, h, iconButton, setIcon, text, throttled } from './dom';
import { digits, full } from './format';
import type { Model, Show } from './model';
import { type Vec3, length, scale } from './vec';

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** Play, step, time, speed and how fast it goes. */
export function makeTransport(model: Model, fps: () => number): HTMLElement {
  const back = iconButton('back', 'One frame back', () => model.back(), '←');
  const play = iconButton('play', 'Play', () => model.togglePlay(), 'Space');
  play.classList.add('primary');
  const step = iconButton('step', 'One frame on', () => model.step(), '→');
  const reset = iconButton('reset', 'Back to the start', () => model.send({ do: 'reset' }), 'Backspace');
  const time = h('output', { class: 'time', 'aria-label': 'Time' }, '0.000 s');
  const frame = h('output', { class: 'frame-number', 'aria-label': 'Frame' });
  const line = h('input', {
    type: 'range',
    class: 'timeline',
    min: 0,
    max: 0,
    step: 1,
    value: 0,
    'aria-label': 'Timeline',
  });
  line.addEventListener('input', () => model.source?.timeline?.seek(Number(line.value)));
  const speed = h(
    'select',
    { 'aria-label': 'Speed', title: 'Simulated seconds per second' },
    ...SPEEDS.map((value) => h('option', { value }, `${value}×`)),
  );
  speed.addEventListener('change', () => model.send({ do: 'speed', factor: Number(speed.value) }));
  speed.value = '1';
  const numbers = h('div', { class: 'numbers' });
  const number = (label: string, title: string) => {
    const value = h('b', {}, '–');
    numbers.append(h('span', { title }, value, ` ${label}`));
    return value;
  };
  const factor = number(
    '× real time',
    'Simulated seconds per second in the last half second',
  );
  const milliseconds = number('ms/step', 'Milliseconds that the last step took to compute');
  const problems = number('problems', 'Contact problems solved since the last frame');
  const rate = number('fps', 'Frames drawn per second');

  const element = h(
    'div',
    { class: 'transport', role: 'toolbar', 'aria-label': 'Playing' },
    h('div', { class: 'buttons' }, reset, back, play, step),
    h('div', { class: 'clock' }, time, frame),
    line,
    h('label', { class: 'speed' }, speed),
    numbers,
  );

  const showFrame = throttled(80, () => {
    if (model.frame === null) return;
    text(time, `${model.frame.time.toFixed(3)} s`);
    attribute(time, 'title', `${full(model.frame.time, 's')}; state ${model.frame.hash}`);
    const timeline = model.source?.timeline;
    text(frame, timeline ? `${timeline.index} / ${timeline.count - 1}` : `#${model.frame.index}`);
    if (timeline && document.activeElement !== line) line.value = String(timeline.index);
    else if (timeline) line.value = String(timeline.index);
    text(problems, String(model.frame.problems));
    text(rate, fps() > 0 ? fps().toFixed(0) : '–');
  });
  model.on('frame', showFrame);
  model.on('scene', () => {
    const timeline = model.source?.timeline;
    element.classList.toggle('recorded', !!timeline);
    back.hidden = line.hidden = !timeline;
    factor.parentElement!.hidden = milliseconds.parentElement!.hidden = !!timeline;
    if (timeline) line.max = String(timeline.count - 1);
  });
  back.hidden = line.hidden = true;
  model.on('status', (status) => {
    setIcon(play, status.playing ? 'pause' : 'play');
    attribute(play, 'aria-label', status.playing ? 'Pause' : 'Play');
    attribute(play, 'title', `${status.playing ? 'Pause' : 'Play'} (Space)`);
    if (document.activeElement !== speed) {
      if (
        !SPEEDS.includes(status.speed) &&
        ![...speed.options].some(({ value }) => Number(value) === status.speed)
      ) {
        speed.append(h('option', { value: status.speed }, `${digits(status.speed, 3)}×`));
      }
      speed.value = String(status.speed);
    }
    text(factor, status.real_time_factor === null ? '–' : digits(status.real_time_factor, 3));
    text(milliseconds, status.step_ms === null ? '–' : digits(status.step_ms, 3));
    showFrame();
  });
  return element;
}

/** A slider with its value beside it. */
function slider(
  label: string,
  low: number,
  high: number,
  step: number,
  act: (value: number) => void,
  say: (value: number) => string,
) {
  const input = h('input', { type: 'range', min: low, max: high, step, 'aria-label': label });
  const value = h('output');
  input.addEventListener('input', () => {
    text(value, say(Number(input.value)));
    act(Number(input.value));
  });
  return {
    element: h('label', { class: 'field' }, h('span', {}, label), input, value),
    input,
    set(number: number, title = '') {
      if (document.activeElement !== input || !input.matches(':active')) input.value = String(number);
      text(value, say(number));
      attribute(value, 'title', title);
    },
  };
}

/** The page of settings. */
export function makeSettings(model: Model): HTMLElement {
  const select = (label: string, act: (name: string) => void) => {
    const element = h('select', { 'aria-label': label });
    element.addEventListener('change', () => act(element.value));
    const fill = (names: string[], value: string) => {
      const all = names.includes(value) || value === '' ? names : [value, ...names];
      if ([...element.options].map((option) => option.value).join('\n') !== all.join('\n'))
        element.replaceChildren(...all.map((name) => h('option', { value: name }, name)));
      if (document.activeElement !== element || element.value === '') element.value = value;
    };
    return { element: h('label', { class: 'field' }, h('span', {}, label), element), select: element, fill };
  };
  const stepper = select('Stepper', (name) => model.send({ do: 'stepper', name }));
  const solver = select('Solver', (name) => model.send({ do: 'solver', name }));

  let direction: Vec3 = [0, 0, -1];
  const sendGravity = throttled(60, () =>
    model.send({ do: 'gravity', value: scale(Number(gravity.input.value), direction) }),
  );
  const gravity = slider('Gravity', 0, 25, 0.01, sendGravity, (value) => `${digits(value, 3)} m/s²`);
  const axes = (['x', 'y', 'z'] as const).map((name, axis) => {
    const input = h('input', { type: 'number', step: 'any', 'aria-label': `Gravity ${name} (m/s²)` });
    input.addEventListener('change', () => {
      const value = [...model.gravity()] as Vec3;
      value[axis] = Number(input.value) || 0;
      model.send({ do: 'gravity', value });
    });
    return input;
  });
  const sendFriction = throttled(60, () =>
    model.send({ do: 'friction', factor: Number(friction.input.value) }),
  );
  const friction = slider('Friction', 0, 3, 0.01, sendFriction, (value) => `${digits(value, 3)} × μ`);

  const check = (key: Exclude<keyof Show, 'scale'>, label: string) => {
    const input = h('input', { type: 'checkbox', ...(model.show[key] ? { checked: true } : {}) });
    input.addEventListener('change', () => model.changeShow({ [key]: input.checked }));
    model.on('show', (show) => (input.checked = show[key]));
    return h('label', { class: 'check' }, input, label);
  };
  const arrowScale = slider(
    'Arrow length',
    -1,
    1,
    0.02,
    (value) => model.changeShow({ scale: 10 ** value }),
    (value) => `${digits(10 ** value, 3)}×`,
  );
  arrowScale.set(0);

  const world = h(
    'fieldset',
    {},
    h('legend', {}, 'Simulation'),
    stepper.element,
    solver.element,
    gravity.element,
    h('div', { class: 'field axes' }, h('span', {}, 'x, y, z'), ...axes),
    friction.element,
  );
  const recorded = h(
    'p',
    { class: 'note', hidden: true },
    'A recording shows what was computed; it cannot be changed.',
  );
  const drawn = h(
    'fieldset',
    {},
    h('legend', {}, 'Draw'),
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
      check('xray', 'See-through bodies'),
    ),
  );
  model.on('status', (status) => {
    stepper.fill(status.steppers, status.stepper);
    solver.fill(status.solvers, status.solver);
    const size = length(status.gravity);
    if (size > 0) direction = scale(1 / size, status.gravity);
    gravity.set(size, full(size, 'm/s²'));
    axes.forEach((input, axis) => {
      if (document.activeElement !== input) input.value = String(status.gravity[axis]);
    });
    friction.set(status.friction, full(status.friction));
    world.disabled = !status.live;
    recorded.hidden = status.live;
  });
  model.on('scene', (scene) => {
    if (length(scene.gravity) > 0) direction = scale(1 / length(scene.gravity), scene.gravity);
  });
  return h('div', { class: 'panel-page settings' }, drawn, world, recorded);
}
