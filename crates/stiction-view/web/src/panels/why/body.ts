// The Why panel of a body: its free-body diagram and every force and torque on it.

import { type FreeBody, freeBody, type Load, slipLimits } from '../../data/forces';
import type { BodyInfo, BodyState, Contact } from '../../data/frame';
import type { Model } from '../../data/model';
import { add, length, type Vec3 } from '../../data/vec';
import { attribute, text } from '../../page/dom';
import { digitsRelative, full, fullVec, percent, quiet, withUnit } from '../../page/format';
import { type Axes, drawFreeBody } from './diagram';
import type { Fact } from './tables';
import { lengthRelative, type View } from './view';

/** Most rows of a table; smaller forces beyond that are merged. */
const MAX_ROWS = 30;

export function showBody(view: View, model: Model, axes: Axes, index: number): void {
  const { scene, frame } = model;
  const info = scene?.bodies[index];
  const state = frame?.bodies[index];
  if (!scene || !frame || !info || !state) return;
  const sums = freeBody(scene, frame, model.gravity(), index, model.status?.pull ?? null);
  const loads = mergeSmallest(sums.loads);
  const rows = withSubtotals(loads);
  const contacts = sums.loads.flatMap(({ contact }) =>
    contact === undefined ? [] : [frame.contacts[contact]!],
  );
  text(view.title, model.nameOf(index));
  attribute(view.chip, 'class', 'chip');
  text(view.chip, info.motion);
  view.drawing.replaceChildren(drawFreeBody(info, state, { ...sums, loads }, axes));
  text(view.verdict, verdict(info, sums));
  view.facts.fill([
    ...motionFacts(info, state, sums, model.scales().speed),
    ...reserveFacts(model, index, contacts),
  ]);
  view.links.replaceChildren();
  fillTables(view, info, sums, rows);
  text(view.uniqueness, uniquenessSummary(contacts));
}

function verdict(info: BodyInfo, sums: FreeBody): string {
  if (info.motion === 'driven')
    return 'The motion of the body is given: its drive takes up the other forces.';
  if (info.motion !== 'free') return 'The body is fixed: the sum of these forces does not accelerate it.';
  if (sums.loads.length === 0) return 'No force acts on the body: its velocity stays constant.';
  const balanced =
    length(sums.force) <= 1e-9 * sums.forceScale &&
    length(sums.torque) <= 1e-9 * Math.max(sums.torqueScale, sums.forceScale * 1e-3);
  if (balanced)
    return `The forces balance (sum ${digitsRelative(length(sums.force), sums.forceScale)} N): the body does not accelerate.`;
  const reason = sums.loads.some(({ kind }) => kind === 'contact')
    ? 'The contact forces do not balance the other forces'
    : 'No contact force acts on the body';
  const acceleration = length(sums.acceleration ?? [0, 0, 0]);
  return `${reason}: the sum is ${withUnit(length(sums.force), 'N')} = m·a, with a = ${withUnit(acceleration, 'm/s²')}.`;
}

function motionFacts(info: BodyInfo, state: BodyState, sums: FreeBody, scale: number): Fact[] {
  const facts: Fact[] = [];
  const mass = info.mass ?? NaN;
  if (info.motion === 'free') facts.push(['mass', withUnit(mass, 'kg'), full(mass, 'kg')]);
  const speed = quiet(length(state.velocity), scale);
  facts.push(['speed', withUnit(speed, 'm/s'), fullVec(state.velocity, 'm/s')]);
  if (sums.acceleration) {
    const size = lengthRelative(sums.acceleration, sums.forceScale / (info.mass ?? 1));
    facts.push(['acceleration', withUnit(size, 'm/s²'), fullVec(sums.acceleration, 'm/s²')]);
  }
  if (quiet(length(state.angular), scale) > 0)
    facts.push(['angular speed', withUnit(length(state.angular), 'rad/s'), fullVec(state.angular, 'rad/s')]);
  if (sums.angularAcceleration) {
    const zero = length(sums.torque) <= 1e-9 * sums.torqueScale && length(state.angular) < 1e-9;
    const size = zero ? 0 : length(sums.angularAcceleration);
    facts.push(['angular acc.', withUnit(size, 'rad/s²'), fullVec(sums.angularAcceleration, 'rad/s²')]);
  }
  return facts;
}

/** The sticking contact that is closest to slipping, among those whose forces are unique. */
function reserveFacts(model: Model, body: number, contacts: Contact[]): Fact[] {
  const sticking = contacts.filter((contact) => contact.mode === 'sticks' && contact.muStatic > 0);
  if (sticking.some(({ uniqueness }) => uniqueness === 'not unique'))
    return [
      ['smallest reserve', 'not unique', 'Forces on this body are not unique, so their margins are not.'],
    ];
  const known = sticking.filter(({ margin }) => !Number.isNaN(margin));
  const first = known.sort((x, y) => slipLimits(x).reserve - slipLimits(y).reserve)[0];
  if (first === undefined) return [];
  const { reserve } = slipLimits(first);
  const other = model.nameOf(first.a === body ? first.b : first.a);
  const value = `${other}, ${withUnit(reserve, 'N', 3)} (${percent(first.margin)})`;
  return [['smallest reserve', value, full(reserve, 'N')]];
}

/** Contact forces sorted by the other body; several of one body follow their subtotal. */
function withSubtotals(loads: Load[]): Load[] {
  const contacts = new Map<string, Load[]>();
  for (const load of loads.filter(({ contact }) => contact !== undefined))
    contacts.set(load.label, [...(contacts.get(load.label) ?? []), load]);
  const grouped = [...contacts].flatMap(([label, all]): Load[] => {
    if (all.length === 1) return all;
    const sum = (of: (load: Load) => Vec3) =>
      all.reduce<Vec3>((total, load) => add(total, of(load)), [0, 0, 0]);
    const subtotal: Load = {
      kind: 'contact',
      subtotal: true,
      label: `${label}, ${all.length} contacts`,
      at: null,
      force: sum(({ force }) => force),
      torque: sum(({ torque }) => torque),
    };
    return [subtotal, ...all.map((load, i) => ({ ...load, label: `${label} ${i + 1}`, part: true }))];
  });
  return [...loads.filter(({ contact }) => contact === undefined), ...grouped];
}

function fillTables({ forces, torques }: View, info: BodyInfo, sums: FreeBody, loads: Load[]): void {
  forces.element.hidden = torques.element.hidden = false;
  const label = info.motion === 'free' ? 'sum = m·a' : 'sum';
  forces.fill(
    [...loads.map((load) => ({ ...load, value: load.force })), { label, kind: 'sum', value: sums.force }],
    sums.forceScale,
    'N',
  );
  torques.fill(
    [
      ...loads
        .filter(({ torque }) => length(torque) > 1e-12 * sums.torqueScale)
        .map((load) => ({ ...load, value: load.torque })),
      { label: 'sum', kind: 'sum', value: sums.torque },
    ],
    sums.torqueScale,
    'N·m',
  );
}

function uniquenessSummary(contacts: Contact[]): string {
  if (contacts.length === 0) return '';
  const parts = (['unique', 'not unique', 'undecided', 'not checked'] as const).flatMap((kind) => {
    const count = contacts.filter(({ uniqueness }) => uniqueness === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  return `Uniqueness of its ${contacts.length} contact forces: ${parts.join(', ')}.`;
}

/** Merges the smallest loads into one if there are too many rows. */
function mergeSmallest(loads: Load[]): Load[] {
  if (loads.length <= MAX_ROWS) return loads;
  const sorted = [...loads].sort((a, b) => length(b.force) - length(a.force));
  const rest = sorted.slice(MAX_ROWS - 1);
  const sum = (of: (load: Load) => Vec3): Vec3 =>
    rest.reduce<Vec3>((total, load) => add(total, of(load)), [0, 0, 0]);
  return [
    ...sorted.slice(0, MAX_ROWS - 1),
    {
      kind: 'contact',
      label: `${rest.length} smaller forces`,
      at: null,
      force: sum(({ force }) => force),
      torque: sum(({ torque }) => torque),
    },
  ];
}
