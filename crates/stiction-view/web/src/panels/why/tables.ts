// The tables of the Why panel.

import { length, type Vec3 } from '../../data/vec';
import { attribute, h, text } from '../../page/dom';
import { digitsRelative, full } from '../../page/format';

/** A row of a `VectorTable`; a row with a contact is a link to it. */
export interface VectorRow {
  label: string;
  kind: string;
  value: Vec3;
  contact?: number | undefined;
  subtotal?: boolean | undefined;
  part?: boolean | undefined;
}

/** Name, value and tooltip. */
export type Fact = [string, string, string];

/** A table of vectors, one row per load; its rows are reused. */
export class VectorTable {
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

  /** Values below 1e-9 of `scale` are shown as zero. */
  fill(rows: VectorRow[], scale: number, unit: string): void {
    while (this.rows.length > rows.length) this.rows.pop()!.remove();
    while (this.rows.length < rows.length) {
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
    rows.forEach(({ label, kind, value, contact, subtotal, part }, i) => {
      const row = this.rows[i]!;
      attribute(row, 'class', `load ${kind}${subtotal ? ' subtotal' : ''}${part ? ' part' : ''}`);
      const [name, ...cells] = [...row.children] as HTMLTableCellElement[];
      const [plain, button] = [name!.children[1]!, name!.children[2] as HTMLButtonElement];
      text(plain, contact === undefined ? label : '');
      text(button, contact === undefined ? '' : label);
      button.hidden = contact === undefined;
      if (contact !== undefined) button.dataset['contact'] = String(contact);
      attribute(name!, 'title', label);
      [...value, length(value)].forEach((number, column) => {
        text(cells[column]!, digitsRelative(number, scale, 3));
        attribute(cells[column]!, 'title', full(number, unit));
      });
    });
  }
}

/** A list of names, values and tooltips; its elements are reused. */
export class Facts {
  readonly element = h('dl', { class: 'facts' });
  private readonly pairs = new Map<string, [HTMLElement, HTMLElement]>();

  fill(facts: Fact[]): void {
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
