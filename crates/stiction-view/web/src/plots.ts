// Plots over time: the energy book, and the forces of the selected contact or body.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { attribute, h, text, throttled } from './dom';
import { freeBody } from './forces';
import { digits, withUnit } from './format';
import { decodeFrame, decodeHead } from './frame';
import type { Model } from './model';
import { length } from './vec';

/** Points drawn at most. */
const POINTS = 600;
const HEIGHT = 124;

interface Line {
  name: string;
  colour: string;
  dash?: number[];
}

const ENERGY: Line[] = [
  { name: 'kinetic', colour: '--c1' },
  { name: 'Δ potential', colour: '--c2' },
  { name: 'friction heat', colour: '--c3' },
  { name: 'impact heat', colour: '--c4' },
  { name: 'work done', colour: '--c5', dash: [4, 3] },
];
const CONTACT: Line[] = [
  { name: 'N', colour: '--normal' },
  { name: '|T|', colour: '--c1' },
  { name: 'μN', colour: '--c4', dash: [4, 3] },
];
const BODY: Line[] = [
  { name: '|sum|', colour: '--c1' },
  { name: 'contacts', colour: '--normal' },
];

const css = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** One plot that remembers what it has read of the history. */
class Plot {
  readonly element: HTMLElement;
  private readonly holder = h('div', { class: 'plot-holder' });
  private readonly legend = h('div', { class: 'plot-legend' });
  private readonly heading = h('h3');
  private readonly detail = h('span', { class: 'plot-detail' });
  private plot: uPlot | null = null;
  private data: number[][] = [];
  private read = 0;
  private generation = -1;
  private values: HTMLElement[] = [];

  constructor(
    private lines: Line[],
    private valuesOf: (bytes: Uint8Array) => (number | null)[],
    private readonly onSeek: (time: number) => void,
    label: string,
  ) {
    this.element = h(
      'section',
      { class: 'plot', 'aria-label': label },
      h('div', { class: 'plot-head' }, this.heading, this.detail),
      this.legend,
      this.holder,
    );
    new ResizeObserver(() => {
      const width = this.holder.clientWidth;
      if (width > 0) this.plot?.setSize({ width, height: HEIGHT });
    }).observe(this.holder);
  }

  title(words: string, detail: string): void {
    text(this.heading, words);
    text(this.detail, detail);
  }

  /** Other lines, read from the start of the history. */
  change(lines: Line[], valuesOf: (bytes: Uint8Array) => (number | null)[]): void {
    this.lines = lines;
    this.valuesOf = valuesOf;
    this.generation = -1;
    this.forget();
  }

  /** Colours may have changed. */
  forget(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  private make(): void {
    const width = this.holder.clientWidth;
    if (width === 0) return;
    const axis = {
      stroke: css('--muted'),
      grid: { stroke: css('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    this.plot = new uPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 5 }, y: false },
        scales: { x: { time: false } },
        padding: [6, 6, 0, 0],
        axes: [
          {
            ...axis,
            size: 22,
            space: 60,
            values: (_, ticks) => ticks.map((t) => `${Number(t.toFixed(6))} s`),
          },
          {
            ...axis,
            size: 46,
            space: 26,
            values: (_, ticks) =>
              ticks.map((t) =>
                Math.abs(t) >= 1e5 || (t !== 0 && Math.abs(t) < 1e-3)
                  ? t.toExponential(0)
                  : String(Number(t.toFixed(6))),
              ),
          },
        ],
        series: [
          {},
          ...this.lines.map(({ name, colour, dash }) => ({
            label: name,
            stroke: css(colour),
            width: 1.5,
            spanGaps: false,
            points: { show: false },
            ...(dash ? { dash } : {}),
          })),
        ],
        hooks: { setCursor: [(plot) => this.say(plot.cursor.idx ?? null)] },
      },
      [[], ...this.lines.map(() => [])] as uPlot.AlignedData,
      this.holder,
    );
    this.plot.over.addEventListener('click', () => {
      const left = this.plot?.cursor.left;
      if (left !== undefined && left >= 0) this.onSeek(this.plot!.posToVal(left, 'x'));
    });
    this.values = this.lines.map(() => h('b'));
    this.legend.replaceChildren(
      ...this.lines.map(({ name, colour }, i) => {
        const mark = h('i', { 'aria-hidden': 'true' });
        mark.style.background = `var(${colour})`;
        return h('span', {}, mark, `${name} `, this.values[i]!);
      }),
    );
  }

  private say(index: number | null): void {
    const data = this.plot?.data;
    if (!data) return;
    const at = index ?? data[0].length - 1;
    this.values.forEach((element, i) => {
      const value = data[i + 1]?.[at];
      text(element, value === null || value === undefined ? '–' : digits(value, 3));
    });
  }

  /** Draws what is known; true where there is more to read. */
  update(model: Model, now: number): boolean {
    if (this.element.offsetParent === null) return false;
    const { history } = model;
    if (this.generation !== history.generation) {
      this.generation = history.generation;
      this.data = [[], ...this.lines.map(() => [])];
      this.read = history.dropped;
    }
    if (this.read < history.dropped) this.read = history.dropped;
    // Long histories are read over several updates.
    const until = history.dropped + history.frames.length;
    const stop = performance.now() + 8;
    for (; this.read < until && performance.now() < stop; this.read++) {
      const bytes = history.frames[this.read - history.dropped]!;
      this.data[0]!.push(decodeHead(bytes).time);
      this.valuesOf(bytes).forEach((value, i) => this.data[i + 1]!.push(value as number));
    }
    const most = 8 * POINTS;
    if (model.source?.timeline === null && this.data[0]!.length > 2 * most)
      for (const column of this.data) column.splice(0, column.length - most);
    if (this.plot === null) this.make();
    if (this.plot === null) return false;
    const count = this.data[0]!.length;
    const stride = Math.max(1, Math.ceil(count / POINTS));
    const thin =
      stride === 1
        ? this.data
        : this.data.map((column) => column.filter((_, i) => i % stride === 0 || i === count - 1));
    this.plot.setData(thin as uPlot.AlignedData);
    if (model.source?.timeline) this.plot.setCursor({ left: this.plot.valToPos(now, 'x'), top: 0 });
    if ((this.plot.cursor.left ?? -1) < 0) this.say(null);
    return this.read < until;
  }
}

export function makePlots(model: Model): HTMLElement {
  const seek = (time: number) => {
    const timeline = model.source?.timeline;
    if (!timeline) return;
    let best = 0;
    for (let i = 0; i < timeline.count; i++)
      if (Math.abs(timeline.timeOf(i) - time) < Math.abs(timeline.timeOf(best) - time)) best = i;
    timeline.seek(best);
  };
  let level = 0;
  const energy = new Plot(
    ENERGY,
    (bytes) => {
      const { book, index } = decodeHead(bytes);
      // From the first frame known: what changes is what matters.
      if (index === 0 || bytes === model.history.frames[0]) level = book.potential;
      return [book.kinetic, book.potential - level, book.friction, book.impacts, book.work];
    },
    seek,
    'Energy over time',
  );
  const force = new Plot(CONTACT, () => [], seek, 'Forces of the selection over time');
  const hint = h('p', { class: 'note plot-hint' }, 'Select a contact or a body to plot its forces.');
  let shown: 'energy' | 'force' = 'energy';
  const choices = (['energy', 'force'] as const).map((name) => {
    const button = h(
      'button',
      { type: 'button', 'aria-pressed': String(name === shown) },
      name === 'energy' ? 'Energy' : 'Forces',
    );
    button.addEventListener('click', () => turn(name));
    return button;
  });
  const turn = (name: 'energy' | 'force') => {
    shown = name;
    choices.forEach((button, i) =>
      attribute(button, 'aria-pressed', String((i === 0) === (name === 'energy'))),
    );
    energy.element.hidden = name !== 'energy';
    force.element.hidden = name !== 'force' || model.selection === null;
    hint.hidden = name !== 'force' || model.selection !== null;
    update();
  };
  const update: () => void = throttled(200, () => {
    const { frame } = model;
    if (frame === null) return;
    const { book } = frame;
    const off = book.kinetic + book.potential + book.friction + book.impacts - book.work - book.start;
    energy.title('J', `unaccounted ${withUnit(off, 'J', 3)}`);
    const more = energy.update(model, frame.time);
    const moreForce = !force.element.hidden && force.update(model, frame.time);
    if (more || moreForce) setTimeout(update, 0);
  });
  const choose = () => {
    const { selection } = model;
    if (selection?.kind === 'contact') {
      const { key } = selection;
      force.title('N', 'on the contact');
      force.change(CONTACT, (bytes) => {
        const contact = decodeFrame(bytes).contacts.find((one) => one.key === key);
        if (contact === undefined) return [null, null, null];
        const mu = contact.mode === 'slips' ? contact.muDynamic : contact.muStatic;
        return [contact.normalForce, length(contact.friction), mu * contact.normalForce];
      });
    } else if (selection?.kind === 'body') {
      force.title('N', `on ${model.nameOf(selection.index)}`);
      force.change(BODY, (bytes) => {
        if (model.scene === null) return [null, null];
        const sums = freeBody(model.scene, decodeFrame(bytes), model.gravity(), selection.index);
        const contacts = sums.acts.filter(({ kind }) => kind === 'contact');
        const total = contacts.reduce<[number, number, number]>(
          (all, { force: f }) => [all[0] + f[0], all[1] + f[1], all[2] + f[2]],
          [0, 0, 0],
        );
        return [length(sums.force), length(total)];
      });
    }
    turn(selection === null ? 'energy' : 'force');
  };
  model.on('frame', update);
  model.on('selection', choose);
  model.on('theme', () => {
    energy.forget();
    force.forget();
    update();
  });
  const element = h(
    'div',
    { class: 'plots' },
    h('div', { class: 'choices', role: 'group', 'aria-label': 'What is plotted' }, ...choices),
    energy.element,
    force.element,
    hint,
  );
  element.addEventListener('shown', update);
  turn('energy');
  return element;
}
