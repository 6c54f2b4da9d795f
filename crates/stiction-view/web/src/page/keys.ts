// Keyboard shortcuts and the help dialog that lists them.

import { COLOURINGS, type Colouring } from '../data/colouring';
import type { Model } from '../data/model';
import type { Stage } from '../stage/stage';
import { h, iconButton } from './dom';

/** What follows in the cycle of the key. */
const NEXT_CONES = { selected: 'all', all: 'none', none: 'selected' } as const;
const nextColouring = (now: Colouring): Colouring =>
  COLOURINGS[(COLOURINGS.indexOf(now) + 1) % COLOURINGS.length]!;

const KEYS: [string, [string, string][]][] = [
  [
    'Playback',
    [
      ['Space', 'play or pause'],
      ['→', 'next frame'],
      ['←', 'previous frame'],
      ['Backspace', 'back to the start'],
      ['O', 'choose a scene'],
    ],
  ],
  [
    'Selection',
    [
      ['double-click', 'select a body or contact'],
      ['↓ ↑', 'next, previous body or contact'],
      ['B, C', 'next body, next contact'],
      ['Esc', 'clear the selection'],
      ['Tab', 'next control'],
    ],
  ],
  [
    'View',
    [
      ['drag', 'turn the view'],
      ['right drag', 'shift the view'],
      ['wheel', 'zoom'],
      ['Shift + arrows', 'turn the view'],
      ['+ −', 'zoom'],
      ['F', 'fit the view to the bodies'],
      ['1 2 3 4', 'standard view, from the front, right, above'],
      ['L', 'follow the selected body, or all'],
      ['P', 'without perspective'],
    ],
  ],
  [
    'Pulling bodies (live runs)',
    [
      ['Ctrl + right drag', 'apply a spring force'],
      ['Ctrl + left drag', 'apply a torque'],
    ],
  ],
  [
    'Display',
    [
      ['N', 'normal forces'],
      ['T', 'friction forces'],
      ['R', 'one arrow per pair of faces, or per contact'],
      ['K', 'friction cones: selected, all, none'],
      ['V', 'colours: body, level, friction used, speed, force'],
      ['X', 'transparent bodies'],
      ['?', 'this help'],
    ],
  ],
];

export function makeHelp(): HTMLDialogElement {
  const groups = KEYS.map(([title, keys]) =>
    h(
      'section',
      {},
      h('h3', {}, title),
      h(
        'dl',
        {},
        ...keys.flatMap(([key, meaning]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, meaning)]),
      ),
    ),
  );
  const legend = h(
    'section',
    {},
    h('h3', {}, 'Colours'),
    h(
      'dl',
      {},
      ...(
        [
          ['normal', 'normal force'],
          ['sticks', 'sticking: friction below μN'],
          ['slips', 'slipping: friction equals μN'],
          ['open', 'open: no contact force'],
          ['joint', 'joint force'],
          ['load', 'weight, applied force, drive'],
        ] as const
      ).flatMap(([name, meaning]) => [
        h('dt', {}, h('span', { class: `swatch big ${name}` })),
        h('dd', {}, meaning),
      ]),
    ),
  );
  const dialog: HTMLDialogElement = h(
    'dialog',
    { class: 'help', 'aria-label': 'Help' },
    h(
      'div',
      { class: 'dialog-head' },
      h('h2', {}, 'Keys and mouse'),
      iconButton('close', 'Close', () => dialog.close(), 'Esc'),
    ),
    h('div', { class: 'help-groups' }, ...groups, legend),
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

/** Selects the next or previous body or contact. */
export function cycle(model: Model, step: number, kind = model.selection?.kind ?? 'body'): void {
  const { scene, frame, selection } = model;
  if (scene === null || frame === null) return;
  if (kind === 'contact') {
    const count = frame.contacts.length;
    if (count === 0) return;
    const now =
      selection?.kind === 'contact' ? frame.contacts.findIndex(({ key }) => key === selection.key) : -1;
    const next = now < 0 ? (step > 0 ? 0 : count - 1) : (now + step + count) % count;
    model.select({ kind: 'contact', key: frame.contacts[next]!.key });
  } else {
    // Free bodies only; all bodies if no body is free.
    const order = scene.bodies.map((_, i) => i).filter((i) => scene.bodies[i]!.motion === 'free');
    const all = order.length > 0 ? order : scene.bodies.map((_, i) => i);
    if (all.length === 0) return;
    const now = selection?.kind === 'body' ? all.indexOf(selection.index) : -1;
    const next = now < 0 ? (step > 0 ? 0 : all.length - 1) : (now + step + all.length) % all.length;
    model.select({ kind: 'body', index: all[next]! });
  }
}

export function startKeys(model: Model, stage: Stage, open: { help: () => void; scenes: () => void }): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const target = event.target as HTMLElement;
    // Focused controls keep their own keys.
    if (target.matches('input:not([type=range]):not([type=checkbox]), select, textarea')) return;
    const usesArrows = target.matches('input[type=range], [role=tab]');
    const usesSpace = target.matches('button, input[type=checkbox], summary, a');
    const onStage = target === stage.canvas || target === document.body;
    const turns: Record<string, [number, number]> = {
      ArrowLeft: [-0.12, 0],
      ArrowRight: [0.12, 0],
      ArrowUp: [0, 0.08],
      ArrowDown: [0, -0.08],
    };
    const turned = turns[event.key];
    if (event.shiftKey && onStage && turned !== undefined) {
      stage.turn(...turned);
      event.preventDefault();
      return;
    }
    const { show } = model;
    const actions: Record<string, (() => void) | undefined> = {
      ' ': usesSpace ? undefined : () => model.togglePlay(),
      ArrowRight: usesArrows ? undefined : () => model.step(),
      ArrowLeft: usesArrows ? undefined : () => model.back(),
      ArrowDown: onStage ? () => cycle(model, 1) : undefined,
      ArrowUp: onStage ? () => cycle(model, -1) : undefined,
      Backspace: () => model.send({ do: 'reset' }),
      Escape: () => model.select(null),
      '?': open.help,
      o: open.scenes,
      b: () => cycle(model, 1, 'body'),
      c: () => cycle(model, 1, 'contact'),
      f: () => stage.fit(),
      '+': () => stage.turn(0, 0, 0.85),
      '=': () => stage.turn(0, 0, 0.85),
      '-': () => stage.turn(0, 0, 1 / 0.85),
      n: () => model.changeShow({ normals: !show.normals }),
      t: () => model.changeShow({ friction: !show.friction }),
      k: () => model.changeShow({ cones: NEXT_CONES[show.cones] }),
      r: () => model.changeShow({ forces: show.forces === 'points' ? 'resultants' : 'points' }),
      l: () => model.changeShow({ follow: !show.follow }),
      p: () => model.changeShow({ orthographic: !stage.rig.orthographic }),
      1: () => stage.view('angled'),
      2: () => stage.view('front'),
      3: () => stage.view('right'),
      4: () => stage.view('top'),
      v: () => model.changeShow({ colour: nextColouring(show.colour) }),
      x: () => model.changeShow({ xray: !show.xray }),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
