// The Events panel: collisions, changes of contacts, limits and uncertified answers, newest first.

import { decodeFrame, decodeHead, type Event } from '../data/frame';
import type { History } from '../data/history';
import type { Model } from '../data/model';
import { h, throttled } from '../page/dom';
import { full, scientific, withUnit } from '../page/format';

/** Most events listed. */
const MAX_LISTED = 200;
/** Longest time spent on reading the history in one update (ms). */
const READ_TIME = 8;

interface Entry {
  event: Event;
  frame: number;
}

function describe(model: Model, { kind, a, b, joint, numbers: [first, second] }: Event): string {
  const pair = [a, b].flatMap((body) => (body === null ? [] : [model.nameOf(body)])).join(' and ');
  switch (kind) {
    case 'collision':
      return `${pair} collide at ${withUnit(first, 'm/s', 3)}, ${withUnit(second, 'J', 3)} lost`;
    case 'parts':
      return `${pair} separate`;
    case 'sticks':
      return `${pair} stick`;
    case 'slips':
      return `${pair} slip`;
    case 'moves':
      return `${pair} touch at other features`;
    case 'impulse':
      return `${pair}: no contact force exists, an impulse of ${withUnit(first, 'N·s', 3)} was applied, ${withUnit(second, 'J', 3)} lost`;
    case 'joint':
      return `${model.scene?.joints[joint]?.name ?? `joint ${joint}`} reached its limit`;
    case 'restitution reduced':
      return `restitution reduced to ${withUnit(100 * first, '%', 3)}${pair === '' ? '' : ` for ${pair}`}`;
    case 'not certified':
      return `answer not certified, residual ${scientific(first)}`;
    case 'fell back':
      return `fallback to time-stepping for ${withUnit(first, 's', 3)}`;
    case 'unknown':
      return 'unknown event';
  }
}

/** Collects the events of a history. */
class EventLog {
  entries: Entry[] = [];
  private read = 0;
  private generation = -1;

  /** Reads new frames for a limited time; returns whether all are read. */
  update(history: History): boolean {
    if (this.generation !== history.generation) {
      this.generation = history.generation;
      this.entries = [];
      this.read = history.dropped;
    }
    this.read = Math.max(this.read, history.dropped);
    const stop = performance.now() + READ_TIME;
    const until = history.dropped + history.frames.length;
    for (; this.read < until && performance.now() < stop; this.read++) {
      const frame = decodeFrame(history.frames[this.read - history.dropped]!);
      for (const event of frame.events) this.entries.push({ event, frame: frame.index });
    }
    return this.read >= until;
  }
}

/** A row of the list: a click selects the contact or body; in a recording it also seeks the frame. */
function makeRow(model: Model, { event, frame }: Entry): HTMLLIElement {
  const button = h(
    'button',
    { type: 'button', title: full(event.time, 's') },
    h('time', {}, `${event.time.toFixed(4)} s`),
    h('span', { class: event.kind === 'not certified' ? 'bad' : '' }, describe(model, event)),
  );
  button.addEventListener('click', () => {
    const timeline = model.source?.timeline;
    if (timeline) timeline.seek(timeline.frames.findIndex((bytes) => decodeHead(bytes).index === frame));
    const { a, b, feature } = event;
    const key = `${a}/${b}/${feature}`;
    if (a !== null && b !== null && model.frame?.contacts.some((contact) => contact.key === key))
      model.select({ kind: 'contact', key });
    else if (a !== null) model.select({ kind: 'body', index: a });
  });
  return h('li', {}, button);
}

export function makeEvents(model: Model): HTMLElement {
  const list = h('ol', { class: 'events', 'aria-label': 'Events, newest first' });
  const note = h('p', { class: 'note' });
  const element = h('div', { class: 'table-holder' }, list, note);
  const log = new EventLog();
  /** The newest entry of the list. */
  let listed: Entry | undefined;

  const show = (entries: Entry[]) => {
    const newest = entries[entries.length - 1];
    if (newest === listed) return;
    const known = listed === undefined ? -1 : entries.lastIndexOf(listed);
    listed = newest;
    const from = Math.max(known + 1, entries.length - MAX_LISTED);
    const rows = entries
      .slice(from)
      .reverse()
      .map((entry) => makeRow(model, entry));
    if (known < 0) list.replaceChildren(...rows);
    else list.prepend(...rows);
    while (list.childElementCount > MAX_LISTED) list.lastElementChild!.remove();
  };
  const update: () => void = throttled(250, () => {
    if (element.offsetParent === null) return;
    if (!log.update(model.history)) setTimeout(update, 0);
    // A recording lists the events up to the current time.
    const timeline = model.source?.timeline;
    const now = model.frame?.time ?? 0;
    const past = timeline ? log.entries.filter(({ event }) => event.time <= now) : log.entries;
    if (!timeline && past.length > 4 * MAX_LISTED) log.entries = past.slice(-2 * MAX_LISTED);
    note.textContent =
      past.length === 0
        ? 'No events yet.'
        : past.length > MAX_LISTED
          ? `${past.length - MAX_LISTED} earlier events are not listed.`
          : '';
    show(past);
  });
  model.on('frame', update);
  element.addEventListener('shown', update);
  return element;
}
