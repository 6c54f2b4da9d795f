// The state of the page: scene, frame, status, selection and display options. Panels subscribe to its changes.

import { type BodyInfo, type Contact, type Frame, type Scene, decodeFrame, decodeHead } from './frame';
import { History } from './history';
import type { Command, Link, Source, Status } from './source';
import type { Vec3 } from './vec';

export type Selection = { kind: 'body'; index: number } | { kind: 'contact'; key: string } | null;

/** Display options. */
export interface Show {
  points: boolean;
  normals: boolean;
  friction: boolean;
  cones: boolean;
  joints: boolean;
  edges: boolean;
  shadows: boolean;
  xray: boolean;
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
  /** Uncertified frames of the recording, or of the live run since its last reset. */
  uncertified = 0;
  readonly history = new History();
  readonly show: Show = {
    points: true,
    normals: true,
    friction: true,
    cones: false,
    joints: true,
    edges: true,
    shadows: true,
    xray: false,
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
        this.uncertified = recorded.filter((bytes) => !decodeHead(bytes).certified).length;
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
    if (this.source?.timeline === null) {
      if (this.frame !== null && frame.index < this.frame.index) {
        this.history.clear();
        this.uncertified = 0;
      }
      this.history.push(bytes);
      if (!frame.certified && frame.index !== this.frame?.index) this.uncertified++;
    }
    this.frame = frame;
    this.emit('frame', frame);
  }

  send(command: Command): void {
    this.source?.send(command);
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

  /** Whether the arrows of a contact show the forces on its second body. */
  drawnOnSecond(contact: Contact): boolean {
    if (this.selection?.kind === 'body') {
      if (this.selection.index === contact.a) return false;
      if (this.selection.index === contact.b) return true;
    }
    return this.body(contact.a)?.motion !== 'free' && this.body(contact.b)?.motion === 'free';
  }

  togglePlay(): void {
    this.send({ do: this.status?.playing ? 'pause' : 'play' });
  }

  /** Shows the previous frame of a recording. */
  back(): void {
    const timeline = this.source?.timeline;
    if (timeline) {
      if (this.status?.playing) this.send({ do: 'pause' });
      timeline.seek(timeline.index - 1);
    }
  }

  step(): void {
    if (this.status?.playing && this.source?.timeline === null) this.send({ do: 'pause' });
    this.send({ do: 'step' });
  }
}
