// The state of the page: scene, frame, status, selection and display options. Panels subscribe to its changes.

import type { Colouring } from './colouring';
import { type BodyInfo, type Contact, decodeFrame, decodeHead, type Frame, type Scene } from './frame';
import { History } from './history';
import { type Scales, scalesOf } from './scales';
import type { Command, Link, Source, Status, Timeline } from './source';
import { emptySummary, include, type Summary, summaryOf } from './summary';
import type { Vec3 } from './vec';

export type Selection = { kind: 'body'; index: number } | { kind: 'contact'; key: string } | null;

/** Display options. */
export interface Show {
  /** Contact forces as one arrow per pair of faces, or per contact point. */
  forces: 'resultants' | 'points';
  /** Contact points; `open`: also those without force. */
  points: boolean;
  open: boolean;
  normals: boolean;
  friction: boolean;
  cones: 'selected' | 'all' | 'none';
  /** Joints and springs with their forces. */
  joints: boolean;
  /** Weights on the selected body, applied forces and drives. */
  loads: boolean;
  colour: Colouring;
  edges: boolean;
  shadows: boolean;
  xray: boolean;
  /** The camera moves with the selected body, or keeps all bodies in the picture. */
  follow: boolean;
  /** No perspective; null: in planar scenes. */
  orthographic: boolean | null;
  /** Factor of the arrow length. */
  scale: number;
}

interface Events {
  scene: Scene;
  frame: Frame;
  status: Status;
  selection: Selection;
  show: Show;
  link: Link;
  message: string;
  theme: 'light' | 'dark';
}

export class Model {
  source: Source | null = null;
  sceneId = '';
  scene: Scene | null = null;
  frame: Frame | null = null;
  status: Status | null = null;
  selection: Selection = null;
  connected = false;
  /** The certificate of the recording, or of the live run since its last reset. */
  summary: Summary = emptySummary();
  /** A past frame of a live run is shown; the next command continues from it. */
  past = false;
  readonly history = new History();
  readonly show: Show = {
    forces: 'resultants',
    points: true,
    open: false,
    normals: true,
    friction: true,
    cones: 'selected',
    joints: true,
    loads: true,
    colour: 'auto',
    edges: true,
    shadows: true,
    xray: false,
    follow: false,
    orthographic: null,
    scale: 1,
  };
  private readonly listeners: { [K in keyof Events]?: ((value: Events[K]) => void)[] } = {};

  on<K extends keyof Events>(event: K, act: (value: Events[K]) => void): void {
    const all = (this.listeners[event] ??= []) as ((value: Events[K]) => void)[];
    all.push(act);
  }

  emit<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const act of (this.listeners[event] ?? []) as ((value: Events[K]) => void)[]) act(value);
  }

  /** Starts a source and processes its messages. */
  attach(source: Source): void {
    this.source = source;
    const recorded = source.timeline?.frames ?? [];
    if (source.timeline !== null) this.history.load(recorded);
    source.start({
      scene: (id, scene) => {
        this.sceneId = id;
        this.scene = scene;
        this.frame = null;
        this.past = false;
        this.summary = summaryOf(recorded);
        if (source.timeline === null) this.history.clear();
        this.selection = null;
        this.emit('scene', scene);
        this.select(null);
      },
      frame: (bytes) => this.receive(bytes),
      status: (status) => {
        this.status = status;
        this.emit('status', status);
      },
      error: (message) => this.emit('message', message),
      link: (link) => {
        this.connected = link === 'connected';
        this.emit('link', link);
      },
    });
  }

  private receive(bytes: Uint8Array): void {
    let frame: Frame;
    try {
      frame = decodeFrame(bytes);
    } catch (error) {
      this.emit('message', `Invalid frame: ${String(error)}`);
      return;
    }
    if (this.source?.timeline === null) this.remember(bytes, frame.index);
    this.past = false;
    this.frame = frame;
    this.emit('frame', frame);
  }

  /** Appends a frame of a live run; a number that is known means that the run returned to it. */
  private remember(bytes: Uint8Array, index: number): void {
    if (index <= this.history.lastIndex()) {
      this.history.truncate(index);
      this.summary = summaryOf(this.history.frames);
    }
    this.history.push(bytes);
    include(this.summary, decodeHead(bytes));
  }

  /** Sends a command; one that continues the run from a past frame returns to it first. */
  send(command: Command): void {
    const continues = command.do === 'play' || command.do === 'step' || command.do === 'pull';
    if (this.past && continues && this.frame !== null) {
      this.past = false;
      this.source?.send({ do: 'rewind', index: this.frame.index });
    }
    this.source?.send(command);
  }

  /** The frames that can be shown: of the recording, or the latest ones of a live run. */
  get timeline(): Timeline | null {
    if (this.source === null) return null;
    if (this.source.timeline !== null) return this.source.timeline;
    return this.history.frames.length > 1 ? this.liveTimeline : null;
  }

  private readonly liveTimeline: Timeline = (() => {
    const model = this;
    return {
      get count() {
        return model.history.frames.length;
      },
      get frames() {
        return model.history.frames;
      },
      get index() {
        const { frames } = model.history;
        if (!model.past || model.frame === null) return frames.length - 1;
        const wanted = model.frame.index;
        return frames.findIndex((bytes) => decodeHead(bytes).index >= wanted);
      },
      timeOf: (index: number) => decodeHead(model.history.frames[index]!).time,
      seek: (index: number) => model.showPast(index),
    };
  })();

  /** Shows a past frame of a live run, which pauses. */
  private showPast(index: number): void {
    const { frames } = this.history;
    const at = Math.max(0, Math.min(frames.length - 1, index));
    const bytes = frames[at];
    if (bytes === undefined) return;
    if (this.status?.playing) this.source?.send({ do: 'pause' });
    this.past = at < frames.length - 1;
    this.frame = decodeFrame(bytes);
    this.emit('frame', this.frame);
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.emit('selection', selection);
  }

  changeShow(change: Partial<Show>): void {
    Object.assign(this.show, change);
    this.emit('show', this.show);
  }

  body(index: number): BodyInfo | undefined {
    return this.scene?.bodies[index];
  }

  nameOf(index: number): string {
    const name = this.body(index)?.name;
    return name === undefined || name === '' ? `body ${index}` : name;
  }

  /** The selected contact in the current frame, with its index. */
  selectedContact(): { contact: Contact; index: number } | null {
    const { selection, frame } = this;
    if (selection?.kind !== 'contact' || frame === null) return null;
    const index = frame.contacts.findIndex((contact) => contact.key === selection.key);
    const contact = frame.contacts[index];
    return contact === undefined ? null : { contact, index };
  }

  gravity(): Vec3 {
    return this.status?.gravity ?? this.scene?.gravity ?? [0, 0, 0];
  }

  /** Sizes of the quantities in the current frame. */
  scales(): Scales {
    return this.scene === null || this.frame === null
      ? { force: 0, speed: 0, length: 0, energy: 0 }
      : scalesOf(this.scene, this.frame, this.gravity());
  }

  /** Whether the point of a contact is drawn: it has a force or an impulse, or open ones are shown. */
  shows(contact: Contact): boolean {
    return this.show.open || contact.normalForce > 0 || contact.normalImpulse > 0;
  }

  /** Whether the arrows of a contact show the forces on its second body. */
  drawnOnSecond(contact: Pick<Contact, 'a' | 'b'>): boolean {
    if (this.selection?.kind === 'body') {
      if (this.selection.index === contact.a) return false;
      if (this.selection.index === contact.b) return true;
    }
    return this.body(contact.a)?.motion !== 'free' && this.body(contact.b)?.motion === 'free';
  }

  togglePlay(): void {
    this.send({ do: this.status?.playing ? 'pause' : 'play' });
  }

  /** Shows the previous frame. */
  back(): void {
    const { timeline } = this;
    if (timeline === null) return;
    if (this.status?.playing) this.send({ do: 'pause' });
    timeline.seek(timeline.index - 1);
  }

  /** Shows the next frame; at the end of a live run, computes it. */
  step(): void {
    if (this.past && this.timeline !== null) {
      this.timeline.seek(this.timeline.index + 1);
      return;
    }
    if (this.status?.playing && this.source?.timeline === null) this.send({ do: 'pause' });
    this.send({ do: 'step' });
  }

  /** Reads a scene from a text and shows it (live). */
  load(name: string, text: string): void {
    if (this.status?.live) this.send({ do: 'load', name, text });
    else this.emit('message', 'A scene can be opened in a live run only: stiction view.');
  }
}
