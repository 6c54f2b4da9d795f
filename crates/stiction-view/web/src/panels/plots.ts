// The plots: the energy ledger, and the forces of the selected contact or body.

import { freeBody, slipLimits } from '../data/forces';
import { decodeFrame, decodeHead, type EnergyLedger } from '../data/frame';
import type { Model } from '../data/model';
import { add, length, type Vec3 } from '../data/vec';
import { attribute, h, throttled } from '../page/dom';
import { quiet, withUnit } from '../page/format';
import { type Line, Plot } from './plot';

const ENERGY: Line[] = [
  { name: 'kinetic', colour: '--c1' },
  { name: 'Δ potential', colour: '--c2' },
  { name: 'friction loss', colour: '--c3' },
  { name: 'impact loss', colour: '--c4' },
  { name: 'work', colour: '--c5', dash: [4, 3] },
];
const CONTACT: Line[] = [
  { name: 'N', colour: '--normal' },
  { name: '|T|', colour: '--c1' },
  { name: 'μN', colour: '--c4', dash: [4, 3] },
];
const BODY: Line[] = [
  { name: 'net force', colour: '--c1' },
  { name: 'contact force', colour: '--normal' },
];

type Quantity = 'energy' | 'force';
type Values = (bytes: Uint8Array) => (number | null)[];

/** The energy that the ledger does not account for (J). */
const energyError = (ledger: EnergyLedger): number =>
  ledger.kinetic + ledger.potential + ledger.friction + ledger.impacts - ledger.work - ledger.start;

/** Seeks the frame of a recording that is nearest to a time. */
function seek(model: Model, time: number): void {
  const { timeline } = model;
  if (timeline === null) return;
  let best = 0;
  for (let i = 0; i < timeline.count; i++)
    if (Math.abs(timeline.timeOf(i) - time) < Math.abs(timeline.timeOf(best) - time)) best = i;
  timeline.seek(best);
}

/** Values of the energy plot; potential energy is relative to the first known frame. */
function energyValues(model: Model): Values {
  let reference = 0;
  return (bytes) => {
    const { ledger, index } = decodeHead(bytes);
    if (index === 0 || bytes === model.history.frames[0]) reference = ledger.potential;
    const { kinetic, potential, friction, impacts, work } = ledger;
    return [kinetic, potential - reference, friction, impacts, work];
  };
}

const contactValues =
  (key: string): Values =>
  (bytes) => {
    const contact = decodeFrame(bytes).contacts.find((one) => one.key === key);
    if (contact === undefined) return [null, null, null];
    const { friction, limit } = slipLimits(contact);
    return [contact.normalForce, friction, limit];
  };

const bodyValues =
  (model: Model, body: number): Values =>
  (bytes) => {
    if (model.scene === null) return [null, null];
    const sums = freeBody(model.scene, decodeFrame(bytes), model.gravity(), body);
    const contacts = sums.loads.filter(({ kind }) => kind === 'contact');
    const total = contacts.reduce<Vec3>((sum, { force }) => add(sum, force), [0, 0, 0]);
    return [length(sums.force), length(total)];
  };

/** Buttons that choose the plotted quantity. */
function makeChoices(choose: (quantity: Quantity) => void) {
  const quantities: [Quantity, string][] = [
    ['energy', 'Energy'],
    ['force', 'Forces'],
  ];
  const buttons = quantities.map(([quantity, label]) => {
    const button = h('button', { type: 'button', 'aria-pressed': 'false' }, label);
    button.addEventListener('click', () => choose(quantity));
    return button;
  });
  const element = h('div', { class: 'choices', role: 'group', 'aria-label': 'Plotted quantity' }, ...buttons);
  const press = (pressed: Quantity) =>
    quantities.forEach(([quantity], i) =>
      attribute(buttons[i]!, 'aria-pressed', String(quantity === pressed)),
    );
  return { element, press };
}

export function makePlots(model: Model): HTMLElement {
  const onSeek = (time: number) => seek(model, time);
  const energy = new Plot(ENERGY, energyValues(model), onSeek, 'Energy over time');
  const force = new Plot(CONTACT, () => [], onSeek, 'Forces of the selection over time');
  const hint = h('p', { class: 'note plot-hint' }, 'Select a contact or a body to plot its forces.');
  const show = (quantity: Quantity) => {
    choices.press(quantity);
    energy.element.hidden = quantity !== 'energy';
    force.element.hidden = quantity !== 'force' || model.selection === null;
    hint.hidden = quantity !== 'force' || model.selection !== null;
    update();
  };
  const choices = makeChoices(show);
  const update: () => void = throttled(200, () => {
    const { frame } = model;
    if (frame === null) return;
    const scales = model.scales();
    [energy.scale, force.scale] = [scales.energy, scales.force];
    const error = quiet(energyError(frame.ledger), scales.energy);
    energy.title('Energies [J]', `energy error ${withUnit(error, 'J', 3)}`);
    const more = energy.update(model, frame.time);
    const moreForce = !force.element.hidden && force.update(model, frame.time);
    if (more || moreForce) setTimeout(update, 0);
  });
  model.on('frame', update);
  model.on('selection', (selection) => {
    if (selection?.kind === 'contact') {
      force.title('Forces [N]', 'on the contact');
      force.change(CONTACT, contactValues(selection.key));
    } else if (selection?.kind === 'body') {
      force.title('Forces [N]', `on ${model.nameOf(selection.index)}`);
      force.change(BODY, bodyValues(model, selection.index));
    }
    show(selection === null ? 'energy' : 'force');
  });
  model.on('theme', () => {
    energy.rebuild();
    force.rebuild();
    update();
  });
  const element = h('div', { class: 'plots' }, choices.element, energy.element, force.element, hint);
  element.addEventListener('shown', update);
  show('energy');
  return element;
}
