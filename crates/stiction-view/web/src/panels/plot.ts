// A plot over time that reads its values from the history.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { decodeHead } from '../data/frame';
import type { Model } from '../data/model';
import { h, text } from '../page/dom';
import { digitsRelative, NOISE } from '../page/format';

/** Most points drawn per line. */
const MAX_POINTS = 600;
/** Height of a plot (pixels). */
const HEIGHT = 124;
/** Longest time spent on reading the history in one update (ms). */
const READ_TIME = 8;

export interface Line {
  name: string;
  colour: string;
  dash?: number[];
}

const css = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const tickLabel = (t: number): string =>
  Math.abs(t) >= 1e5 || (t !== 0 && Math.abs(t) < 1e-3) ? t.toExponential(0) : String(Number(t.toFixed(6)));

/** Width of the longest label of an axis (pixels), at 11 pixels per character height. */
const tickWidth = (_: uPlot, labels: string[] | null): number =>
  14 + 6.6 * Math.max(2, ...(labels ?? []).map(({ length }) => length));

/** One plot; it keeps its position in the history and reads only new frames. */
export class Plot {
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
  /** Size of the quantity in the scene: what is small beside it is noise. */
  scale = 0;

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

  /** Replaces the lines and reads the history from its start. */
  change(lines: Line[], valuesOf: (bytes: Uint8Array) => (number | null)[]): void {
    this.lines = lines;
    this.valuesOf = valuesOf;
    this.generation = -1;
    this.rebuild();
  }

  /** Discards the drawing, so that the next update creates it with the current colours. */
  rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
  }

  /** Creates the plot; does nothing while the panel is hidden. */
  private make(): void {
    const width = this.holder.clientWidth;
    if (width === 0) return;
    this.plot = new uPlot(
      this.options(width),
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

  private options(width: number): uPlot.Options {
    const axis = {
      stroke: css('--muted'),
      grid: { stroke: css('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 5 }, y: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => this.range(low, high) } },
      padding: [8, 16, 0, 0],
      axes: [
        {
          ...axis,
          size: 22,
          space: 60,
          values: (_, ticks) => ticks.map((t) => `${Number(t.toFixed(6))} s`),
        },
        { ...axis, size: tickWidth, space: 26, values: (_, ticks) => ticks.map(tickLabel) },
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
      hooks: { setCursor: [(plot) => this.showValues(plot.cursor.idx ?? null)] },
    };
  }

  /** The range of the axis: noise is drawn as zero. */
  private range(low: number | null, high: number | null): [number, number] {
    const [least, most] = [low ?? 0, high ?? 0];
    const size = Math.max(Math.abs(least), Math.abs(most));
    if (size === 0 || size <= NOISE * this.scale) return [0, 1];
    const room = 0.08 * Math.max(most - least, 1e-6 * size);
    return [least >= 0 && least < 0.5 * most ? 0 : least - room, most <= 0 ? 0 : most + room];
  }

  /** Shows the values at an index in the legend; the last values if it is null. */
  private showValues(index: number | null): void {
    const data = this.plot?.data;
    if (!data) return;
    const at = index ?? data[0].length - 1;
    this.values.forEach((element, i) => {
      const value = data[i + 1]?.[at];
      text(element, value === null || value === undefined ? '–' : digitsRelative(value, this.scale, 3));
    });
  }

  /** Reads new frames and draws them; returns whether frames are left to read. */
  update(model: Model, now: number): boolean {
    if (this.element.offsetParent === null) return false;
    const unread = this.readHistory(model);
    if (this.plot === null) this.make();
    if (this.plot === null) return false;
    const count = this.data[0]!.length;
    const stride = Math.max(1, Math.ceil(count / MAX_POINTS));
    const thinned =
      stride === 1
        ? this.data
        : this.data.map((column) => column.filter((_, i) => i % stride === 0 || i === count - 1));
    this.plot.setData(thinned as uPlot.AlignedData);
    if (model.source?.timeline || model.past)
      this.plot.setCursor({ left: this.plot.valToPos(now, 'x'), top: 0 });
    if ((this.plot.cursor.left ?? -1) < 0) this.showValues(null);
    return unread;
  }

  /** Reads new frames for a limited time; returns whether frames are left to read. */
  private readHistory({ history, source }: Model): boolean {
    if (this.generation !== history.generation) {
      this.generation = history.generation;
      this.data = [[], ...this.lines.map(() => [])];
      this.read = history.dropped;
    }
    if (this.read < history.dropped) this.read = history.dropped;
    const until = history.dropped + history.frames.length;
    const stop = performance.now() + READ_TIME;
    for (; this.read < until && performance.now() < stop; this.read++) {
      const bytes = history.frames[this.read - history.dropped]!;
      this.data[0]!.push(decodeHead(bytes).time);
      this.valuesOf(bytes).forEach((value, i) => this.data[i + 1]!.push(value as number));
    }
    const kept = 8 * MAX_POINTS;
    if (source?.timeline === null && this.data[0]!.length > 2 * kept)
      for (const column of this.data) column.splice(0, column.length - kept);
    return this.read < until;
  }
}
