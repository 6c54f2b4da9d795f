// The transport bar: playback buttons, time, timeline, speed and measured rates.

import type { Model } from '../data/model';
import type { Status } from '../data/source';
import { attribute, h, iconButton, setIcon, text, throttled } from './dom';
import { digits, full } from './format';

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/** The select box of the playback speed. */
function makeSpeed(model: Model) {
  const element = h(
    'select',
    { 'aria-label': 'Speed', title: 'Simulated seconds per second' },
    ...SPEEDS.map((value) => h('option', { value }, `${value}×`)),
  );
  element.addEventListener('change', () => model.send({ do: 'speed', factor: Number(element.value) }));
  element.value = '1';
  const update = (speed: number) => {
    if (document.activeElement === element) return;
    const listed = [...element.options].some(({ value }) => Number(value) === speed);
    if (!listed) element.append(h('option', { value: speed }, `${digits(speed, 3)}×`));
    element.value = String(speed);
  };
  return { element, update };
}

/** Measured numbers with their units. */
function makeNumbers() {
  const element = h('div', { class: 'numbers' });
  const number = (label: string, title: string) => {
    const value = h('b', {}, '–');
    element.append(h('span', { title }, value, ` ${label}`));
    return value;
  };
  return {
    element,
    factor: number('× real time', 'Simulated seconds per second in the last half second'),
    milliseconds: number('ms/step', 'Mean computing time of a step in the last half second'),
    solver: number('', 'Solvers that gave the answers since the last frame'),
    problems: number('problems', 'Contact problems solved since the last frame'),
    rate: number('fps', 'Frames drawn per second'),
  };
}

/** The buttons of the transport bar. */
function makeButtons(model: Model) {
  const reset = iconButton('reset', 'Back to the start', () => model.send({ do: 'reset' }), 'Backspace');
  const back = iconButton('back', 'Previous frame', () => model.back(), '←');
  const play = iconButton('play', 'Play', () => model.togglePlay(), 'Space');
  play.classList.add('primary');
  const step = iconButton('step', 'Next frame', () => model.step(), '→');
  const update = ({ playing }: Status) => {
    setIcon(play, playing ? 'pause' : 'play');
    attribute(play, 'aria-label', playing ? 'Pause' : 'Play');
    attribute(play, 'title', `${playing ? 'Pause' : 'Play'} (Space)`);
  };
  return { element: h('div', { class: 'buttons' }, reset, back, play, step), back, update };
}

export function makeTransport(model: Model, fps: () => number): HTMLElement {
  const buttons = makeButtons(model);
  const speed = makeSpeed(model);
  const numbers = makeNumbers();
  const time = h('output', { class: 'time', 'aria-label': 'Time' }, '0.000 s');
  const frame = h('output', { class: 'frame-number', 'aria-label': 'Frame' });
  const computing = h('span', {
    class: 'computing',
    hidden: true,
    role: 'status',
    title: 'The step takes long; Back to the start, or another scene, ends it',
  });
  const slider = h('input', {
    type: 'range',
    class: 'timeline',
    min: 0,
    max: 0,
    step: 1,
    value: 0,
    'aria-label': 'Timeline',
  });
  slider.addEventListener('input', () => model.timeline?.seek(Number(slider.value)));
  const element = h(
    'div',
    { class: 'transport', role: 'toolbar', 'aria-label': 'Playback' },
    buttons.element,
    h('div', { class: 'clock' }, time, frame),
    slider,
    h('label', { class: 'speed' }, speed.element),
    computing,
    numbers.element,
  );

  const showFrame = throttled(80, () => {
    if (model.frame === null) return;
    text(time, `${model.frame.time.toFixed(3)} s`);
    attribute(time, 'title', `${full(model.frame.time, 's')}; state ${model.frame.hash}`);
    const { timeline } = model;
    const recorded = model.source?.timeline !== null;
    text(frame, timeline && recorded ? `${timeline.index} / ${timeline.count - 1}` : `#${model.frame.index}`);
    slider.disabled = buttons.back.disabled = timeline === null;
    element.classList.toggle('past', model.past);
    if (timeline !== null) {
      slider.max = String(timeline.count - 1);
      slider.value = String(timeline.index);
    }
    text(numbers.solver, model.frame.answers.map(([name]) => name).join(', ') || '–');
    text(numbers.problems, String(model.frame.problems));
    text(numbers.rate, fps() > 0 ? fps().toFixed(0) : '–');
  });
  model.on('frame', showFrame);
  model.on('scene', () => {
    const recorded = model.source?.timeline !== null;
    element.classList.toggle('recorded', recorded);
    numbers.factor.parentElement!.hidden = numbers.milliseconds.parentElement!.hidden = recorded;
  });
  model.on('status', (status) => {
    buttons.update(status);
    speed.update(status.speed);
    text(numbers.factor, status.real_time_factor === null ? '–' : digits(status.real_time_factor, 3));
    text(numbers.milliseconds, status.step_ms === null ? '–' : digits(status.step_ms, 3));
    computing.hidden = status.computing_ms === null;
    text(computing, `computing ${((status.computing_ms ?? 0) / 1000).toFixed(1)} s`);
    showFrame();
  });
  return element;
}
