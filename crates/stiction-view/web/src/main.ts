// The entry point of the page: assembles stage, panels and controls, and connects the source of frames.

import { Arrows } from './arrows';
import { makeBadge } from './badge';
import { makeCapture } from './capture';
import { attribute, h, iconButton, s, text } from './dom';
import { makeEvents } from './events';
import { digits } from './format';
import { makeHelp, startKeys } from './keys';
import { Model, type Show } from './model';
import { makePicker } from './picker';
import { makePlots } from './plots';
import { Puller, type Tool } from './pull';
import { makeSettings } from './settings';
import { findSource } from './source';
import { Stage } from './stage';
import './style.css';
import { makeBodyTable, makeContactTable } from './table';
import { startTheme } from './theme';
import { makeTransport } from './transport';
import type { Vec3 } from './vec';
import { makeWhy } from './why';

const model = new Model();
const toggleTheme = startTheme(model);

// The stage and the elements over it.
const lookFor = h('p', { class: 'look-for' });
const tag = h('div', { class: 'tag', hidden: true });
const messages = h('div', { class: 'messages', role: 'status', 'aria-live': 'polite' });
const legend = h(
  'div',
  { class: 'legend', 'aria-hidden': 'true' },
  ...(['normal', 'sticks', 'slips', 'open'] as const).map((name) =>
    h('span', {}, h('i', { class: `swatch ${name}` }), name),
  ),
);
const cell = h('span', { class: 'cell' });
const bar = h('i', { class: 'bar' });
const barLabel = h('b');
const margins = h('span', { hidden: true }, 'margin 0', h('i', { class: 'margin-scale' }), '100 %');
legend.append(h('span', { class: 'force-scale' }, bar, barLabel), cell, margins);
const triad = (['x', 'y', 'z'] as const).map((name) => ({
  name,
  line: s('line', { x1: 0, y1: 0 }),
  label: s('text', { 'text-anchor': 'middle', dy: '0.35em' }, name),
}));
const triadSvg = s(
  'svg',
  { class: 'triad', viewBox: '-32 -32 64 64', width: 64, height: 64, 'aria-hidden': 'true' },
  ...triad.map(({ name, line, label }) => s('g', { class: `axis ${name}` }, line, label)),
);
const toolbar = h('div', { class: 'stage-tools', role: 'toolbar', 'aria-label': 'View' });
const stageHolder = h('main', { class: 'stage' }, lookFor, toolbar, legend, triadSvg, tag, messages);

const app = document.getElementById('app') ?? document.body;
const help = makeHelp();
const picker = makePicker(model);
const badge = makeBadge(model);
const header = h(
  'header',
  { class: 'top' },
  h('span', { class: 'wordmark' }, 'Stiction'),
  picker.button,
  h('span', { class: 'link-state', hidden: true }, 'Connecting…'),
  badge,
  iconButton('theme', 'Switch between light and dark', toggleTheme),
  iconButton('help', 'Help', () => help.showModal(), '?'),
);
const linkState = header.querySelector('.link-state') as HTMLElement;

const side = h('aside', { class: 'side', 'aria-label': 'Panels' });
app.append(header, stageHolder, side);
let stage: Stage;
try {
  stage = new Stage(stageHolder, model);
} catch (error) {
  lookFor.textContent = 'The viewer needs WebGL 2, which this browser does not support.';
  throw error;
}
const arrows = new Arrows(model, stage);
const puller = new Puller(model, stage, arrows);
const transport = makeTransport(model, () => stage.fps());
app.append(transport, picker.dialog, help);

// A mouse click on a button returns the keyboard focus to the stage; a key press does not.
app.addEventListener('click', (event) => {
  const button = (event.target as Element).closest('.icon-button, .choices button');
  if (event.detail > 0 && button !== null && document.querySelector('dialog[open]') === null)
    stage.canvas.focus({ preventScroll: true });
});

// The tools of the stage.
const tools: [Tool, HTMLButtonElement][] = [
  ['force', iconButton('pull', 'Pull bodies by dragging', () => setTool('force'), 'or Ctrl + right drag')],
  ['torque', iconButton('turn', 'Turn bodies by dragging', () => setTool('torque'), 'or Ctrl + left drag')],
];
function setTool(tool: Tool): void {
  puller.tool = puller.tool === tool ? 'look' : tool;
  for (const [name, button] of tools) attribute(button, 'aria-pressed', String(puller.tool === name));
}
for (const [, button] of tools) attribute(button, 'aria-pressed', 'false');
toolbar.append(
  iconButton('fit', 'Fit the view to the bodies', () => stage.fit(), 'F'),
  ...tools.map(([, button]) => button),
  ...makeCapture(model, stage),
);

// The panels: pages with tabs, and the plots below.
const axes = () => {
  const [x, y] = [0, 1].map(
    (column) => stage.camera.matrixWorld.elements.slice(4 * column, 4 * column + 3) as Vec3,
  ) as [Vec3, Vec3];
  return { right: x, up: y };
};
const why = makeWhy(model, axes);
stage.controls.addEventListener('change', () => why.update());
const pages: [string, HTMLElement][] = [
  ['Why', why.element],
  ['Contacts', makeContactTable(model)],
  ['Bodies', makeBodyTable(model)],
  ['Events', makeEvents(model)],
  ['Settings', makeSettings(model)],
];
const tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Panels' });
const drawerButton = iconButton('down', 'Hide or show the panels', () =>
  openDrawer(side.classList.contains('closed')),
);
drawerButton.classList.add('drawer-button');
const buttons = pages.map(([name, page], i) => {
  page.id = `page-${i}`;
  page.setAttribute('role', 'tabpanel');
  page.setAttribute('aria-labelledby', `tab-${i}`);
  const button = h('button', { type: 'button', role: 'tab', id: `tab-${i}`, 'aria-controls': page.id }, name);
  button.addEventListener('click', () => {
    openDrawer(true);
    showPage(i);
  });
  return button;
});
tabs.addEventListener('keydown', (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = (now + step + buttons.length) % buttons.length;
  showPage(next);
  buttons[next]!.focus();
  event.preventDefault();
});
tabs.append(...buttons);
const plots = makePlots(model);
side.append(
  h('div', { class: 'tab-row' }, tabs, drawerButton),
  h('div', { class: 'pages' }, ...pages.map(([, page]) => page)),
  plots,
);

function showPage(index: number): void {
  pages.forEach(([, page], i) => {
    page.hidden = i !== index;
    attribute(buttons[i]!, 'aria-selected', String(i === index));
    attribute(buttons[i]!, 'tabindex', i === index ? '0' : '-1');
    if (i === index) page.dispatchEvent(new Event('shown'));
  });
}
function openDrawer(open: boolean): void {
  side.classList.toggle('closed', !open);
  attribute(drawerButton, 'aria-expanded', String(open));
  if (open) {
    plots.dispatchEvent(new Event('shown'));
    for (const [, page] of pages) if (!page.hidden) page.dispatchEvent(new Event('shown'));
  }
}
const narrow = matchMedia('(max-width: 760px)');
narrow.addEventListener('change', () => openDrawer(!narrow.matches));
openDrawer(!narrow.matches);
showPage(0);

// Selection.
function selectAt(x: number, y: number, within: number): void {
  const contact = stage.pickContact(x, y, within);
  if (contact !== null) model.select({ kind: 'contact', key: contact });
  else {
    const hit = stage.pickBody(x, y);
    model.select(hit === null ? null : { kind: 'body', index: hit.body });
  }
}
stage.canvas.addEventListener('dblclick', (event) => selectAt(event.clientX, event.clientY, 12));
let lastTap = { time: 0, x: 0, y: 0 };
stage.canvas.addEventListener('pointerup', (event) => {
  if (event.pointerType !== 'touch') return;
  const { clientX: x, clientY: y, timeStamp: time } = event;
  if (time - lastTap.time < 350 && Math.hypot(x - lastTap.x, y - lastTap.y) < 24) selectAt(x, y, 24);
  lastTap = { time, x, y };
});
model.on('selection', (selection) => {
  // The tables stay open while their rows are selected.
  const at = buttons.findIndex((button) => button.getAttribute('aria-selected') === 'true');
  if (selection !== null && at !== 1 && at !== 2) showPage(0);
});
stage.addLayer({
  update: () => {
    const { elements } = stage.camera.matrixWorldInverse;
    triad.forEach(({ line, label }, axis) => {
      const [x, y] = [elements[4 * axis]!, -elements[4 * axis + 1]!];
      for (const [name, value] of [
        ['x2', 20 * x],
        ['y2', 20 * y],
      ] as const)
        attribute(line, name, value.toFixed(1));
      for (const [name, value] of [
        ['x', 27 * x],
        ['y', 27 * y],
      ] as const)
        attribute(label, name, value.toFixed(1));
    });
  },
});
stage.addLayer({
  update: () => {
    const { selection, frame } = model;
    const contact = model.selectedContact()?.contact;
    const point =
      contact?.point ?? (selection?.kind === 'body' ? frame?.bodies[selection.index]?.position : undefined);
    const at = point === undefined ? null : stage.project(point);
    tag.hidden = at === null;
    if (at === null) return;
    const box = stageHolder.getBoundingClientRect();
    tag.style.transform = `translate(${Math.round(at.x - box.left + 10)}px, ${Math.round(at.y - box.top + 10)}px)`;
    text(
      tag,
      contact
        ? `N ${digits(contact.normalForce, 3)} N, ${contact.mode}`
        : selection?.kind === 'body'
          ? model.nameOf(selection.index)
          : '',
    );
  },
});

// The legend of the arrow length: a bar for a round number of newtons.
stage.addLayer({
  update: () => {
    const perNewton = arrows.metresPerNewton() * stage.pixelsPerMetre();
    if (!(perNewton > 0)) return;
    const power = 10 ** Math.floor(Math.log10(70 / perNewton));
    const force = ([5, 2, 1].find((digit) => digit * power * perNewton <= 70) ?? 1) * power;
    const width = `${Math.round(force * perNewton)}px`;
    if (bar.style.width !== width) bar.style.width = width;
    text(barLabel, `${digits(force, 1)} N`);
  },
});

// Texts and messages.
model.on('show', (show) => (margins.hidden = !show.cones));
model.on('scene', (scene) => {
  const words = [scene.separated, scene.look_for].filter((it) => it !== '').join('. ');
  text(lookFor, words);
  lookFor.hidden = words === '';
});
model.on('frame', () => text(cell, `grid ${digits(stage.cell, 1)} m`));
const LINKS = {
  connected: '',
  lost: 'Connection to the server lost. Reconnecting…',
  restarted: 'The server was restarted. Open the address it printed.',
};
model.on('link', (link) => {
  linkState.hidden = link === 'connected';
  text(linkState, LINKS[link]);
});
linkState.hidden = false;
model.on('message', (content) => {
  const message = h('div', { class: 'message' }, content);
  messages.append(message);
  while (messages.childElementCount > 3) messages.firstElementChild!.remove();
  setTimeout(() => message.remove(), 6000);
});

startKeys(model, stage, {
  help: () => help.showModal(),
  scenes: () => picker.button.click(),
});

declare global {
  interface Window {
    stiction: {
      frame: () => Model['frame'];
      scene: () => Model['scene'];
      fps: () => number;
      /** Pictures drawn so far. */
      drawn: () => number;
      select: (kind: 'body' | 'contact', index: number) => void;
      project: (body: number) => { x: number; y: number } | null;
      connected: () => boolean;
      /** Turns the view by angles (rad) and zooms by a factor. */
      turn: (azimuth: number, height: number, zoom: number) => void;
      /** Shifts the view by fractions of the height of the stage. */
      shift: (right: number, up: number) => void;
      show: (change: Partial<Show>) => void;
    };
  }
}
window.stiction = {
  frame: () => model.frame,
  scene: () => model.scene,
  fps: () => stage.fps(),
  drawn: () => stage.total,
  select: (kind, index) => {
    const key = model.frame?.contacts[index]?.key;
    if (kind === 'body') model.select({ kind, index });
    else if (key !== undefined) model.select({ kind, key });
  },
  project: (body) => {
    const position = model.frame?.bodies[body]?.position;
    return position === undefined ? null : stage.project(position);
  },
  connected: () => model.connected,
  turn: (azimuth, height, zoom) => stage.turn(azimuth, height, zoom),
  shift: (right, up) => stage.shift(right, up),
  show: (change) => model.changeShow(change),
};

findSource()
  .then((source) => model.attach(source))
  .catch((error: unknown) => {
    linkState.hidden = false;
    text(linkState, 'Nothing to show');
    model.emit('message', error instanceof Error ? error.message : String(error));
  });
