// Why it stays or moves: every force on the selected body, or what the selected contact needs to slip.

import { drawCone, drawFreeBody, type Axes } from './diagram';
import { attribute, h, iconButton, text, throttled } from './dom';
import { type Act, freeBody, slipping } from './forces';
import { digits, digitsBeside, full, fullVec, percent, withUnit } from './format';
import type { Contact, Uniqueness } from './frame';
import type { Model } from './model';
import { type Vec3, length } from './vec';

/** More forces than this are added up in one row. */
const ROWS = 30;

const UNIQUE: Record<Uniqueness, string> = {
  unique: 'Unique: no other forces obey the laws with this motion.',
  'not unique': 'Not unique: other forces would hold the bodies as well. The engine chose this one.',
  undecided: 'Undecided: whether other forces would do as well could not be settled.',
  'not asked': 'Whether this force is the only one was not asked.',
};

/** Lines of numbers under a head, rewritten in place. */
class Sheet {
  readonly element: HTMLTableElement;
  private readonly body = h('tbody');
  private readonly rows: HTMLTableRowElement[] = [];

  constructor(
    title: string,
    unit: string,
    symbol: string,
    private readonly choose: (contact: number) => void,
  ) {
    const heads = ['x', 'y', 'z', `|${symbol}|`].map((name) => h('th', { scope: 'col' }, name));
    this.element = h(
      'table',
      { class: 'grid sheet' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col', class: 'left' }, title, h('span', { class: 'unit' }, ` ${unit}`)),
          ...heads,
        ),
      ),
      this.body,
    );
    this.body.addEventListener('click', (event) => {
      const contact = (event.target as Element).closest('button')?.dataset['contact'];
      if (contact !== undefined) this.choose(Number(contact));
    });
  }

  fill(
    lines: { label: string; kind: string; value: Vec3; contact?: number | undefined }[],
    scale: number,
    unit: string,
  ): void {
    while (this.rows.length > lines.length) this.rows.pop()!.remove();
    while (this.rows.length < lines.length) {
      const label = h(
        'td',
        { class: 'left' },
        h('span', { class: 'swatch', 'aria-hidden': 'true' }),
        h('span', { class: 'name' }),
        h('button', { type: 'button', class: 'link' }),
      );
      const row = h('tr', {}, label, ...Array.from({ length: 4 }, () => h('td')));
      this.body.append(row);
      this.rows.push(row);
    }
    lines.forEach(({ label, kind, value, contact }, i) => {
      const row = this.rows[i]!;
      attribute(row, 'class', `act ${kind}`);
      const [name, ...cells] = [...row.children] as HTMLTableCellElement[];
      const [plain, button] = [name!.children[1]!, name!.children[2] as HTMLButtonElement];
      text(plain, contact === undefined ? label : '');
      text(button, contact === undefined ? '' : label);
      button.hidden = contact === undefined;
      if (contact !== undefined) button.dataset['contact'] = String(contact);
      attribute(name!, 'title', label);
      [...value, length(value)].forEach((number, column) => {
        text(cells[column]!, digitsBeside(number, scale, 3));
        attribute(cells[column]!, 'title', full(number, unit));
      });
    });
  }
}

/** Names and values, rewritten in place. */
class Facts {
  readonly element = h('dl', { class: 'facts' });
  private readonly pairs = new Map<string, [HTMLElement, HTMLElement]>();

  fill(facts: [string, string, string][]): void {
    const wanted = new Set(facts.map(([name]) => name));
    for (const [name, pair] of this.pairs) {
      if (!wanted.has(name)) {
        pair.forEach((element) => element.remove());
        this.pairs.delete(name);
      }
    }
    for (const [name, value, title] of facts) {
      let pair = this.pairs.get(name);
      if (pair === undefined) {
        pair = [h('dt', {}, name), h('dd')];
        this.element.append(...pair);
        this.pairs.set(name, pair);
      }
      text(pair[1], value);
      attribute(pair[1], 'title', title);
    }
  }
}

/** Where the parts of the panel are put together. */
export function makeWhy(model: Model, axes: () => Axes): { element: HTMLElement; update: () => void } {
  const title = h('h2');
  const chip = h('span', { class: 'chip' });
  const clear = iconButton('close', 'Select nothing', () => model.select(null), 'Esc');
  const drawing = h('div', { class: 'drawing' });
  const verdict = h('p', { class: 'verdict' });
  const facts = new Facts();
  const pick = (contact: number) => {
    const key = model.frame?.contacts[contact]?.key;
    if (key !== undefined) model.select({ kind: 'contact', key });
  };
  const forces = new Sheet('Forces', 'N', 'F', pick);
  const torques = new Sheet('Torques', 'N·m about the centre of mass', 'M', pick);
  const links = h('div', { class: 'links' });
  const unique = h('p', { class: 'note' });
  const filled = h(
    'div',
    { class: 'why' },
    h('div', { class: 'why-head' }, title, chip, clear),
    drawing,
    verdict,
    facts.element,
    links,
    forces.element,
    torques.element,
    unique,
  );
  const empty = h(
    'div',
    { class: 'empty' },
    h('p', {}, 'Why does it stay, why does it slide?'),
    h(
      'p',
      { class: 'note' },
      'Double-click a body or a contact point, or press ',
      h('kbd', {}, '↓'),
      ' in the view, to see every force that acts on it.',
    ),
  );
  const element = h('div', { class: 'panel-page' }, empty, filled);

  const bodyView = (index: number) => {
    const { scene, frame } = model;
    const info = scene?.bodies[index];
    const state = frame?.bodies[index];
    if (!scene || !frame || !info || !state) return;
    const sums = freeBody(scene, frame, model.gravity(), index, model.status?.pull ?? null);
    text(title, model.nameOf(index));
    attribute(chip, 'class', 'chip');
    text(chip, info.motion);
    const shown = lump(sums.acts);
    drawing.replaceChildren(drawFreeBody(info, state, { ...sums, acts: shown }, axes()));
    const still =
      length(sums.force) <= 1e-9 * sums.forceScale &&
      length(sums.torque) <= 1e-9 * Math.max(sums.torqueScale, sums.forceScale * 1e-3);
    if (info.motion !== 'free') {
      text(verdict, `The body is ${info.motion}: whatever holds it carries the sum of these forces.`);
    } else if (sums.acts.length === 0) text(verdict, 'Nothing acts on the body: it goes on as it is.');
    else if (still) {
      text(
        verdict,
        `The forces balance: they close to ${digits(length(sums.force))} N, so the body does not accelerate.`,
      );
    } else {
      const more = sums.acts.some(({ kind }) => kind === 'contact')
        ? 'The contacts do not hold it'
        : 'Nothing holds it';
      text(
        verdict,
        `${more}: the forces leave ${withUnit(length(sums.force), 'N')} = m·a, with a = ${withUnit(length(sums.acceleration ?? [0, 0, 0]), 'm/s²')}.`,
      );
    }
    const list: [string, string, string][] = [];
    if (info.motion === 'free')
      list.push(['mass', withUnit(info.mass ?? NaN, 'kg'), full(info.mass ?? NaN, 'kg')]);
    list.push(['speed', withUnit(length(state.velocity), 'm/s'), fullVec(state.velocity, 'm/s')]);
    if (sums.acceleration)
      list.push([
        'acceleration',
        withUnit(digitsZero(sums.acceleration, sums.forceScale / (info.mass ?? 1)), 'm/s²'),
        fullVec(sums.acceleration, 'm/s²'),
      ]);
    if (length(state.angular) > 0)
      list.push(['angular speed', withUnit(length(state.angular), 'rad/s'), fullVec(state.angular, 'rad/s')]);
    if (sums.angularAcceleration) {
      const zero = length(sums.torque) <= 1e-9 * sums.torqueScale && length(state.angular) < 1e-9;
      list.push([
        'angular acc.',
        withUnit(zero ? 0 : length(sums.angularAcceleration), 'rad/s²'),
        fullVec(sums.angularAcceleration, 'rad/s²'),
      ]);
    }
    const mine = sums.acts.flatMap(({ contact }) =>
      contact === undefined ? [] : [frame.contacts[contact]!],
    );
    const sticking = mine.filter((contact) => contact.mode === 'sticks' && contact.muStatic > 0);
    const first = sticking.sort((x, y) => slipping(x).reserve - slipping(y).reserve)[0];
    if (first !== undefined) {
      const { reserve } = slipping(first);
      const other = model.nameOf(first.a === index ? first.b : first.a);
      list.push([
        'first to slip',
        `${other}, ${withUnit(reserve, 'N', 3)} left (${percent(first.margin)})`,
        full(reserve, 'N'),
      ]);
    }
    facts.fill(list);
    links.replaceChildren();
    forces.element.hidden = torques.element.hidden = false;
    forces.fill(
      [
        ...shown.map((act) => ({ label: act.label, kind: act.kind, value: act.force, contact: act.contact })),
        { label: info.motion === 'free' ? 'sum = m·a' : 'sum', kind: 'sum', value: sums.force },
      ],
      sums.forceScale,
      'N',
    );
    torques.fill(
      [
        ...shown
          .filter(({ torque }) => length(torque) > 1e-12 * sums.torqueScale)
          .map((act) => ({ label: act.label, kind: act.kind, value: act.torque, contact: act.contact })),
        { label: 'sum', kind: 'sum', value: sums.torque },
      ],
      sums.torqueScale,
      'N·m',
    );
    const count = (word: Uniqueness) => mine.filter(({ uniqueness }) => uniqueness === word).length;
    const parts = (['unique', 'not unique', 'undecided', 'not asked'] as const)
      .filter((word) => count(word) > 0)
      .map((word) => `${count(word)} ${word}`);
    text(
      unique,
      mine.length === 0
        ? ''
        : `Are its ${mine.length} contact forces the only ones possible? ${parts.join(', ')}.`,
    );
  };

  const contactView = (contact: Contact) => {
    // What moves lies on what does not.
    const turned = model.body(contact.a)?.motion !== 'free' && model.body(contact.b)?.motion === 'free';
    const [first, second] = (turned ? [contact.b, contact.a] : [contact.a, contact.b]).map((index) =>
      model.nameOf(index),
    );
    text(title, `${first} on ${second}`);
    attribute(chip, 'class', `chip mode ${contact.mode}`);
    text(chip, contact.mode);
    drawing.replaceChildren(drawCone(contact));
    const slip = slipping(contact);
    const { normalForce: normal } = contact;
    if (!(normal > 0))
      text(verdict, contact.mode === 'open' ? 'Open: no force.' : 'The bodies touch without force.');
    else if (slip.mu === 0) text(verdict, 'There is no friction: nothing holds it along the surface.');
    else if (contact.mode === 'slips') {
      text(
        verdict,
        `It slips at ${withUnit(length(contact.slip), 'm/s')}: friction is all it can be, μN = ${withUnit(slip.limit, 'N')}, against the motion.`,
      );
    } else if (slip.friction <= 1e-12 * slip.limit) {
      text(
        verdict,
        `It sticks without effort. To slip it takes ${withUnit(slip.reserve, 'N')} along the surface.`,
      );
    } else {
      text(
        verdict,
        `It sticks. To slip it takes ${withUnit(slip.reserve, 'N')} more along the surface, or ${withUnit(normal - slip.leastNormal, 'N')} less pressing, or a coefficient of friction below ${digits(slip.friction / normal, 3)}.`,
      );
    }
    const degrees = (angle: number) => `${digits((angle * 180) / Math.PI, 3)}°`;
    const list: [string, string, string][] = [
      ['normal force N', withUnit(normal, 'N'), full(normal, 'N')],
      ['friction |T|', withUnit(slip.friction, 'N'), fullVec(contact.friction, 'N')],
      ['limit μN', withUnit(slip.limit, 'N'), full(slip.limit, 'N')],
      [
        'reserve μN − |T|',
        withUnit(digitsZero([slip.reserve, 0, 0], slip.limit), 'N'),
        full(slip.reserve, 'N'),
      ],
      ['margin', percent(contact.margin), full(contact.margin)],
      [
        'μ static, dynamic',
        `${digits(contact.muStatic, 3)}, ${digits(contact.muDynamic, 3)}`,
        `${contact.muStatic}, ${contact.muDynamic}`,
      ],
      ['force angle, cone', normal > 0 ? `${degrees(slip.angle)} of ${degrees(slip.cone)}` : '–', ''],
      ['gap', withUnit(contact.gap, 'm'), full(contact.gap, 'm')],
      ['slip velocity', withUnit(length(contact.slip), 'm/s'), fullVec(contact.slip, 'm/s')],
    ];
    if (contact.normalImpulse !== 0 || length(contact.frictionImpulse) > 0) {
      list.push([
        'collision impulse',
        withUnit(contact.normalImpulse, 'N·s'),
        full(contact.normalImpulse, 'N·s'),
      ]);
      list.push([
        'friction impulse',
        withUnit(length(contact.frictionImpulse), 'N·s'),
        fullVec(contact.frictionImpulse, 'N·s'),
      ]);
    }
    facts.fill(list);
    if (links.dataset['key'] !== contact.key || links.childElementCount === 0) {
      links.dataset['key'] = contact.key;
      links.replaceChildren(
        ...[contact.a, contact.b].map((index) =>
          h(
            'button',
            { type: 'button', class: 'link', onclick: () => model.select({ kind: 'body', index }) },
            `Forces on ${model.nameOf(index)}`,
          ),
        ),
      );
    }
    forces.element.hidden = torques.element.hidden = true;
    text(unique, UNIQUE[contact.uniqueness]);
  };

  const now = () => {
    const { selection } = model;
    empty.hidden = selection !== null;
    filled.hidden = selection === null;
    if (selection === null || element.offsetParent === null) return;
    if (selection.kind === 'body') bodyView(selection.index);
    else {
      const found = model.selectedContact();
      if (found !== null) contactView(found.contact);
      else {
        text(chip, 'gone');
        attribute(chip, 'class', 'chip mode open');
        text(verdict, 'The bodies do not touch here at this instant.');
        facts.fill([]);
        drawing.replaceChildren();
        text(unique, '');
        forces.element.hidden = torques.element.hidden = true;
      }
    }
  };
  const update = throttled(120, now);
  model.on('frame', update);
  model.on('status', update);
  model.on('selection', update);
  model.on('theme', update);
  element.addEventListener('shown', update);
  update();
  return { element, update };
}

/** The length of a vector, nothing where it is nothing beside a scale. */
function digitsZero(v: Vec3, scale: number): number {
  const size = length(v);
  return size < 1e-9 * scale ? 0 : size;
}

/** Many small contacts in one row. */
function lump(acts: Act[]): Act[] {
  if (acts.length <= ROWS) return acts;
  const sorted = [...acts].sort((a, b) => length(b.force) - length(a.force));
  const rest = sorted.slice(ROWS - 1);
  const sum = (of: (act: Act) => Vec3): Vec3 =>
    rest.reduce<Vec3>(
      (all, act) => [all[0] + of(act)[0], all[1] + of(act)[1], all[2] + of(act)[2]],
      [0, 0, 0],
    );
  return [
    ...sorted.slice(0, ROWS - 1),
    {
      kind: 'contact',
      label: `${rest.length} smaller`,
      at: null,
      force: sum((act) => act.force),
      torque: sum((act) => act.torque),
    },
  ];
}
