// The application: the model, the stage, and everything around it.

import { Model, type Show } from './data/model';
import type { Vec3 } from './data/vec';
import { makeBadge } from './page/badge';
import { h, iconButton, text } from './page/dom';
import { acceptDrops } from './page/drop';
import { makeHelp, startKeys } from './page/keys';
import { Labels } from './page/labels';
import { makeLegend } from './page/legend';
import { makeMessages } from './page/messages';
import { makePicker } from './page/picker';
import { startTheme } from './page/theme';
import { makeToolbar } from './page/toolbar';
import { makeTransport } from './page/transport';
import { makeTriad } from './page/triad';
import { Panels } from './panels/panels';
import { Arrows } from './stage/arrows';
import { Puller } from './stage/pull';
import { selectByPointer } from './stage/select';
import { Stage } from './stage/stage';

/** What tests and the console can use. */
export interface Handle {
  frame: () => Model['frame'];
  scene: () => Model['scene'];
  status: () => Model['status'];
  summary: () => Model['summary'];
  fps: () => number;
  /** Pictures drawn so far. */
  drawn: () => number;
  /** Arrows of the last picture: how many, how many were cut, and the longest (pixels). */
  arrows: () => Arrows['drawn'];
  select: (kind: 'body' | 'contact', index: number) => void;
  project: (body: number) => { x: number; y: number } | null;
  /** A point of the world on the page. */
  projectPoint: (point: Vec3) => { x: number; y: number } | null;
  connected: () => boolean;
  /** Turns the view by angles (rad) and zooms by a factor. */
  turn: (azimuth: number, height: number, zoom: number) => void;
  /** Shifts the view by fractions of the height of the stage. */
  shift: (right: number, up: number) => void;
  show: (change: Partial<Show>) => void;
  /** Position of the camera, its target, and whether it has no perspective. */
  camera: () => { position: Vec3; target: Vec3; orthographic: boolean };
}

declare global {
  interface Window {
    stiction: Handle;
  }
}

export class App {
  readonly model = new Model();
  readonly stage: Stage;
  private readonly arrows: Arrows;
  private readonly linkState = h('span', { class: 'link-state' }, 'Connecting…');

  constructor(root: HTMLElement) {
    const { model } = this;
    const toggleTheme = startTheme(model);
    const lookFor = h('p', { class: 'look-for' });
    const holder = h('main', { class: 'stage' }, lookFor);
    const help = makeHelp();
    const picker = makePicker(model);
    const header = h(
      'header',
      { class: 'top' },
      h('span', { class: 'wordmark' }, 'Stiction'),
      picker.button,
      this.linkState,
      makeBadge(model),
      iconButton('theme', 'Switch between light and dark', toggleTheme),
      iconButton('help', 'Help', () => help.showModal(), '?'),
    );
    root.append(header, holder);
    try {
      this.stage = new Stage(holder, model);
    } catch (error) {
      lookFor.textContent = 'The viewer needs WebGL 2, which this browser does not support.';
      throw error;
    }
    const { stage } = this;
    this.arrows = new Arrows(model, stage);
    const puller = new Puller(model, stage, this.arrows);
    const panels = new Panels(model, stage);
    holder.append(
      makeToolbar(model, stage, puller),
      makeLegend(model, stage, this.arrows),
      makeTriad(stage),
      new Labels(model, stage, puller, holder).element,
      makeMessages(model),
    );
    root.append(
      panels.element,
      makeTransport(model, () => stage.fps()),
      picker.dialog,
      help,
    );
    selectByPointer(model, stage);
    acceptDrops(model, root);
    startKeys(model, stage, { help: () => help.showModal(), scenes: () => picker.button.click() });
    returnFocus(root, stage);
    model.on('scene', (scene) => {
      const words = [scene.separated, scene.look_for].filter((it) => it !== '').join('. ');
      text(lookFor, words);
      lookFor.hidden = words === '';
    });
    this.showLink();
  }

  private showLink(): void {
    const words = {
      connected: '',
      lost: 'Connection to the server lost. Reconnecting…',
      restarted: 'The server was restarted. Open the address it printed.',
    };
    this.model.on('link', (link) => {
      this.linkState.hidden = link === 'connected';
      text(this.linkState, words[link]);
    });
  }

  /** Says why there is nothing to show. */
  fail(reason: string): void {
    this.linkState.hidden = false;
    text(this.linkState, 'Nothing to show');
    this.model.emit('message', reason);
  }

  handle(): Handle {
    const { model, stage, arrows } = this;
    return {
      frame: () => model.frame,
      scene: () => model.scene,
      status: () => model.status,
      summary: () => model.summary,
      fps: () => stage.fps(),
      drawn: () => stage.total,
      arrows: () => arrows.drawn,
      select: (kind, index) => {
        const key = model.frame?.contacts[index]?.key;
        if (kind === 'body') model.select({ kind, index });
        else if (key !== undefined) model.select({ kind, key });
      },
      project: (body) => {
        const position = model.frame?.bodies[body]?.position;
        return position === undefined ? null : stage.project(position);
      },
      projectPoint: (point) => stage.project(point),
      connected: () => model.connected,
      turn: (azimuth, height, zoom) => stage.turn(azimuth, height, zoom),
      shift: (right, up) => stage.shift(right, up),
      show: (change) => model.changeShow(change),
      camera: () => ({
        position: stage.camera.position.toArray() as Vec3,
        target: stage.controls.target.toArray() as Vec3,
        orthographic: stage.rig.orthographic,
      }),
    };
  }
}

/** A mouse click on a button returns the keyboard focus to the stage; a key press does not. */
function returnFocus(root: HTMLElement, stage: Stage): void {
  root.addEventListener('click', (event) => {
    const button = (event.target as Element).closest('.icon-button, .choices button');
    if (event.detail > 0 && button !== null && document.querySelector('dialog[open]') === null)
      stage.canvas.focus({ preventScroll: true });
  });
}
