// The Contacts and Bodies panels: tables whose rows select a contact or a body.

import { slipLimits } from '../data/forces';
import type { Contact } from '../data/frame';
import type { Model } from '../data/model';
import { length } from '../data/vec';
import { attribute, h, text, throttled } from '../page/dom';
import { digits, digitsRelative, full, percent } from '../page/format';
import { marginColour } from '../stage/arrows';

/** Most rows shown. */
const MAX_ROWS = 250;
const MARKS = { unique: '✓', 'not unique': '≠', undecided: '?', 'not checked': '' } as const;
const UNIQUENESS_TITLES = {
  unique: 'The force is unique',
  'not unique': 'The force is not unique',
  undecided: 'Uniqueness of the force is undecided',
  'not checked': 'Uniqueness of the force was not checked',
} as const;

interface Row {
  row: HTMLTableRowElement;
  cells: HTMLTableCellElement[];
  key: string;
}

/** A table that reuses its rows; arrow keys move the selection. */
class Rows {
  readonly element: HTMLElement;
  private readonly body = h('tbody');
  private readonly note = h('p', { class: 'note' });
  private rows: Row[] = [];

  constructor(
    label: string,
    heads: [string, string][],
    private readonly choose: (key: string) => void,
  ) {
    const head = h(
      'tr',
      {},
      ...heads.map(([name, title], i) =>
        h('th', { scope: 'col', title, class: i === 0 ? 'left' : '' }, name),
      ),
    );
    const table = h(
      'table',
      { class: 'grid', role: 'grid', 'aria-label': label },
      h('thead', {}, head),
      this.body,
    );
    this.element = h('div', { class: 'table-holder' }, table, this.note);
    this.body.addEventListener('click', (event) => {
      const row = (event.target as Element).closest('tr');
      if (row?.dataset['key'] !== undefined) this.choose(row.dataset['key']);
    });
    this.body.addEventListener('keydown', (event) => {
      const at = this.rows.findIndex(({ row }) => row === document.activeElement);
      if (at < 0) return;
      const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (move !== undefined) {
        const next = this.rows[Math.max(0, Math.min(this.rows.length - 1, at + move))]!;
        next.row.focus();
        this.choose(next.key);
      } else if (event.key === 'Enter') this.choose(this.rows[at]!.key);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Sets the number of rows and their keys. */
  setKeys(keys: string[], columns: number, chosen: string | null): Row[] {
    const count = Math.min(MAX_ROWS, keys.length);
    while (this.rows.length > count) this.rows.pop()!.row.remove();
    while (this.rows.length < count) {
      const cells = Array.from({ length: columns }, (_, i) => h('td', { class: i === 0 ? 'left' : '' }));
      const row = h('tr', {}, ...cells);
      this.body.append(row);
      this.rows.push({ row, cells, key: '' });
    }
    const focus = chosen !== null && keys.includes(chosen) ? chosen : keys[0];
    this.rows.forEach((entry, i) => {
      const key = keys[i]!;
      entry.key = key;
      entry.row.dataset['key'] = key;
      attribute(entry.row, 'aria-selected', String(key === chosen));
      attribute(entry.row, 'tabindex', key === focus ? '0' : '-1');
    });
    text(
      this.note,
      keys.length > count
        ? `${keys.length - count} more are not listed.`
        : keys.length === 0
          ? 'None at this time.'
          : '',
    );
    return this.rows;
  }
}

/** The margin of a force that is not unique says nothing about the contact. */
function fillMargin(cell: HTMLTableCellElement, { margin, uniqueness }: Contact): void {
  const known = uniqueness === 'not unique' ? NaN : margin;
  text(cell, uniqueness === 'not unique' ? 'not unique' : percent(margin));
  attribute(
    cell,
    'title',
    uniqueness === 'not unique' ? 'The force is not unique, so it has no margin' : full(margin),
  );
  cell.style.setProperty('--margin', String(Number.isNaN(known) ? 0 : Math.max(0, Math.min(1, known))));
  cell.style.setProperty('--margin-colour', `#${marginColour(known).getHexString()}`);
  attribute(cell, 'class', 'margin');
}

export function makeContactTable(model: Model): HTMLElement {
  const rows = new Rows(
    'Contacts and their forces',
    [
      ['Between', 'The two bodies'],
      ['State', 'Sticking, slipping or open'],
      ['N [N]', 'Normal force (newtons)'],
      ['T [N]', 'Friction force (newtons)'],
      ['Margin', 'Unused fraction of the friction cone, where the force is unique'],
      ['Unique', 'Uniqueness of the force: ✓ unique, ≠ not unique, ? undecided'],
    ],
    (key) => model.select({ kind: 'contact', key }),
  );
  const update = throttled(120, () => {
    const { frame, selection } = model;
    if (frame === null || rows.element.offsetParent === null) return;
    const keys = frame.contacts.map(({ key }) => key);
    const chosen = selection?.kind === 'contact' ? selection.key : null;
    const { force } = model.scales();
    rows.setKeys(keys, 6, chosen).forEach(({ cells }, i) => fill(cells, frame.contacts[i]!, force));
  });
  const fill = (cells: HTMLTableCellElement[], contact: Contact, scale: number) => {
    const [between, state, normal, friction, margin, unique] = cells as [
      HTMLTableCellElement,
      HTMLTableCellElement,
      HTMLTableCellElement,
      HTMLTableCellElement,
      HTMLTableCellElement,
      HTMLTableCellElement,
    ];
    const names = `${model.nameOf(contact.a)} · ${model.nameOf(contact.b)}`;
    text(between, names);
    attribute(between, 'title', `${names}, features ${contact.feature}, gap ${full(contact.gap, 'm')}`);
    text(state, contact.mode);
    attribute(state, 'class', `mode ${contact.mode}`);
    const { reserve, friction: size } = slipLimits(contact);
    text(normal, digitsRelative(contact.normalForce, scale));
    attribute(normal, 'title', full(contact.normalForce, 'N'));
    text(friction, digitsRelative(size, scale));
    attribute(friction, 'title', `${full(size, 'N')}; μN − |T| = ${full(reserve, 'N')}`);
    fillMargin(margin, contact);
    text(unique, MARKS[contact.uniqueness]);
    attribute(unique, 'title', UNIQUENESS_TITLES[contact.uniqueness]);
  };
  model.on('frame', update);
  model.on('selection', update);
  rows.element.addEventListener('shown', update);
  return rows.element;
}

export function makeBodyTable(model: Model): HTMLElement {
  const rows = new Rows(
    'Bodies',
    [
      ['Body', 'Name'],
      ['Motion', 'Free, fixed or driven'],
      ['m [kg]', 'Mass (kilograms)'],
      ['v [m/s]', 'Speed of the centre of mass'],
      ['ω [rad/s]', 'Angular speed'],
    ],
    (key) => model.select({ kind: 'body', index: Number(key) }),
  );
  const update = throttled(120, () => {
    const { frame, scene, selection } = model;
    if (frame === null || scene === null || rows.element.offsetParent === null) return;
    const { speed } = model.scales();
    const keys = scene.bodies.map((_, i) => String(i));
    const chosen = selection?.kind === 'body' ? String(selection.index) : null;
    rows.setKeys(keys, 5, chosen).forEach(({ cells }, i) => {
      const body = scene.bodies[i]!;
      const state = frame.bodies[i];
      const values: [string, string][] = [
        [model.nameOf(i), ''],
        [body.motion, ''],
        [body.motion === 'free' && body.mass !== null ? digits(body.mass) : '–', String(body.mass)],
        state === undefined
          ? ['–', '']
          : [digitsRelative(length(state.velocity), speed), full(length(state.velocity), 'm/s')],
        state === undefined
          ? ['–', '']
          : [
              digitsRelative(length(state.angular), speed / Math.max(1e-9, model.scales().length)),
              full(length(state.angular), 'rad/s'),
            ],
      ];
      values.forEach(([value, title], column) => {
        text(cells[column]!, value);
        if (title !== '') attribute(cells[column]!, 'title', title);
      });
    });
  });
  model.on('frame', update);
  model.on('selection', update);
  rows.element.addEventListener('shown', update);
  return rows.element;
}
