// What happened: collisions, contacts that stick, slip or part, limits, answers not certified; newest first.

import { h, throttled } from './dom';
import { full, small, withUnit } from './format';
import { type Event, decodeFrame, decodeHead } from './frame';
import type { Model } from './model';

/** More are forgotten. */
const MOST = 200;

interface Entry {
  event: Event;
  frame: number;
}

function words(model: Model, { kind, a, b, joint, numbers: [first, second] }: Event): string {
  const pair = [a, b].flatMap((body) => (body === null ? [] : [model.nameOf(body)])).join(' and ');
  switch (kind) {
    case 'collision':
      return `${pair} collide at ${withUnit(first, 'm/s', 3)}, ${withUnit(second, 'J', 3)} lost`;
    case 'parts':
      return `${pair} part`;
    case 'sticks':
      return `${pair} stick`;
    case 'slips':
      return `${pair} slip`;
    case 'moves':
      return `${pair} touch at other features`;
    case 'impulse':
      return `${pair}: no force is possible, an impulse acted`;
    case 'joint':
      return `${model.scene?.joints[joint]?.name ?? `joint ${joint}`} reached its limit`;
    case 'restitution reduced':
      return `restitution reduced to ${withUnit(100 * first, '%', 3)}${pair === '' ? '' : ` for ${pair}`}`;
    case 'not certified':
      return `answer not certified, residual ${small(first)}`;
    case 'fell back':
      return `${withUnit(first, 's', 3)} were given to time-stepping`;
    case 'unknown':
      return 'something this page does not know';
  }
}

export function makeEvents(model: Model): HTMLElement {
  const list = h('ol', { class: 'events', 'aria-label': 'Events, newest first' });
  const note = h('p', { class: 'note' });
  const element = h('div', { class: 'table-holder' }, list, note);
  let entries: Entry[] = [];
  let read = 0;
  let generation = -1;
  let drawn: Entry | undefined;

  const update: () => void = throttled(250, () => {
    if (element.offsetParent === null) return;
    const { history, frame } = model;
    if (generation !== history.generation) {
      generation = history.generation;
      entries = [];
      read = history.dropped;
      drawn = undefined;
      list.replaceChildren();
    }
    read = Math.max(read, history.dropped);
    const stop = performance.now() + 8;
    const until = history.dropped + history.frames.length;
    for (; read < until && performance.now() < stop; read++) {
      const bytes = history.frames[read - history.dropped]!;
      const { index } = decodeHead(bytes);
      for (const event of decodeFrame(bytes).events) entries.push({ event, frame: index });
    }
    if (read < until) setTimeout(update, 0);
    // A recording shows what happened until now.
    const timeline = model.source?.timeline;
    const past = timeline ? entries.filter(({ event }) => event.time <= (frame?.time ?? 0)) : entries;
    const newest = past[past.length - 1];
    if (!timeline && entries.length > 4 * MOST) entries = entries.slice(-2 * MOST);
    note.textContent =
      past.length === 0
        ? 'Nothing happened so far.'
        : past.length > MOST
          ? `${past.length - MOST} earlier ones are not listed.`
          : '';
    if (newest === drawn) return;
    const known = drawn === undefined ? -1 : past.lastIndexOf(drawn);
    drawn = newest;
    if (known < 0) list.replaceChildren(...past.slice(-MOST).reverse().map(row));
    else
      list.prepend(
        ...past
          .slice(Math.max(known + 1, past.length - MOST))
          .reverse()
          .map(row),
      );
    while (list.childElementCount > MOST) list.lastElementChild!.remove();
  });
  const row = ({ event, frame }: Entry) => {
    const button = h(
      'button',
      { type: 'button', title: full(event.time, 's') },
      h('time', {}, `${event.time.toFixed(4)} s`),
      h('span', { class: event.kind === 'not certified' ? 'bad' : '' }, words(model, event)),
    );
    button.addEventListener('click', () => {
      const timeline = model.source?.timeline;
      if (timeline) timeline.seek(timeline.frames.findIndex((bytes) => decodeHead(bytes).index === frame));
      const { a, b, feature } = event;
      if (a !== null && b !== null && model.frame?.contacts.some(({ key }) => key === `${a}/${b}/${feature}`))
        model.select({ kind: 'contact', key: `${a}/${b}/${feature}` });
      else if (a !== null) model.select({ kind: 'body', index: a });
    });
    return h('li', {}, button);
  };
  model.on('frame', update);
  element.addEventListener('shown', update);
  return element;
}
