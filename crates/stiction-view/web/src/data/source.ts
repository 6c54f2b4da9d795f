// Sources of frames: a live run over a WebSocket, or a recording with a timeline.

import type { Command, Message, Status } from '../generated';
import { decodeHead, fromBase64, gunzip, parseScene, type Run, type Scene, unpackRun } from './frame';

export type { Command, Status } from '../generated';

export interface Listener {
  scene(id: string, scene: Scene): void;
  frame(bytes: Uint8Array): void;
  status(status: Status): void;
  error(message: string): void;
  link(state: Link): void;
}

/** State of the connection; 'restarted': another server with another token uses the address. */
export type Link = 'connected' | 'lost' | 'restarted';

export interface Timeline {
  readonly count: number;
  readonly index: number;
  /** Bytes of every frame. */
  readonly frames: readonly Uint8Array[];
  timeOf(index: number): number;
  seek(index: number): void;
}

export interface Source {
  readonly timeline: Timeline | null;
  start(listener: Listener): void;
  send(command: Command): void;
}

/** Passes a text message of the server on. */
function receive(message: Message, listener: Listener): void {
  switch (message.say) {
    case 'scene':
      listener.scene(message.id, parseScene(message.scene));
      break;
    case 'status':
      listener.status(message);
      break;
    case 'error':
      listener.error(message.message);
      break;
  }
}

/** A live run over a WebSocket; reconnects after the connection is lost. */
export class LiveSource implements Source {
  readonly timeline = null;
  private socket: WebSocket | null = null;
  /** Time until the next attempt to connect (ms). */
  private wait = 500;
  private started = false;

  constructor(private readonly address: string) {}

  start(listener: Listener): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.wait = 500;
      listener.link('connected');
      if (!this.started && startsPlaying()) this.send({ do: 'play' });
      this.started = true;
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data !== 'string') {
        listener.frame(new Uint8Array(data));
        return;
      }
      try {
        receive(JSON.parse(data) as Message, listener);
      } catch (error) {
        listener.error(`Invalid message from the server: ${String(error)}`);
      }
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      listener.link('lost');
      void this.reconnect(listener);
    };
  }

  /** Connects again after a while, unless another server uses the address. */
  private async reconnect(listener: Listener): Promise<void> {
    // A WebSocket does not report why it was rejected; an HTTP request does.
    const response = await fetch(siblingUrl('scenes')).catch(() => null);
    if (response?.status === 403) {
      listener.link('restarted');
      return;
    }
    setTimeout(() => this.start(listener), this.wait);
    this.wait = Math.min(5000, 1.6 * this.wait);
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}

/** A recording, played by the page itself. */
export class RecordedSource implements Source, Timeline {
  readonly timeline = this;
  readonly frames: readonly Uint8Array[];
  private readonly scene: Scene;
  private readonly times: Float64Array;
  private listener: Listener | null = null;
  private at = 0;
  private clock = 0;
  private last = 0;
  private playing = false;
  private speed = 1;

  constructor(run: Run) {
    this.scene = run.scene;
    this.frames = run.frames;
    this.times = Float64Array.from(run.frames, (bytes) => decodeHead(bytes).time);
  }

  get count(): number {
    return this.frames.length;
  }

  get index(): number {
    return this.at;
  }

  timeOf(index: number): number {
    return this.times[Math.max(0, Math.min(this.count - 1, index))] ?? 0;
  }

  start(listener: Listener): void {
    this.listener = listener;
    listener.link('connected');
    listener.scene('', this.scene);
    this.publishStatus();
    this.show(0);
  }

  send(command: Command): void {
    switch (command.do) {
      case 'play':
        if (this.at >= this.count - 1) this.show(0);
        this.clock = this.timeOf(this.at);
        this.last = performance.now();
        if (!this.playing) {
          this.playing = true;
          requestAnimationFrame(this.tick);
        }
        break;
      case 'pause':
        this.playing = false;
        break;
      case 'step':
        this.playing = false;
        this.show(this.at + 1);
        break;
      case 'reset':
        this.playing = false;
        this.show(0);
        break;
      case 'speed':
        this.speed = command.factor;
        break;
      default:
        this.listener?.error('A recording can be played but not changed.');
    }
    this.publishStatus();
  }

  seek(index: number): void {
    this.show(index);
    this.clock = this.timeOf(this.at);
  }

  private readonly tick = (now: number): void => {
    if (!this.playing) return;
    this.clock += (Math.max(0, now - this.last) / 1000) * this.speed;
    this.last = now;
    let next = this.at;
    while (next + 1 < this.count && this.timeOf(next + 1) <= this.clock) next++;
    if (next !== this.at) this.show(next);
    if (this.at >= this.count - 1) {
      this.playing = false;
      this.publishStatus();
      return;
    }
    requestAnimationFrame(this.tick);
  };

  private show(index: number): void {
    this.at = Math.max(0, Math.min(this.count - 1, index));
    const bytes = this.frames[this.at];
    if (bytes !== undefined) this.listener?.frame(bytes);
  }

  private publishStatus(): void {
    const { stepper, solver } = this.scene.run;
    this.listener?.status({
      playing: this.playing,
      speed: this.speed,
      stepper,
      solver,
      gravity: this.scene.gravity,
      friction: 1,
      real_time_factor: null,
      step_ms: null,
      computing_ms: null,
      oldest: 0,
      solvers: solver === '' ? [] : [solver],
      steppers: stepper === '' ? [] : [stepper],
      live: false,
      pull: null,
    });
  }
}

/** Whether the URL requests that the run starts playing. */
const startsPlaying = (): boolean => new URLSearchParams(location.search).has('play');

/** The token of the page's URL, as a query. */
function tokenQuery(): string {
  const token = new URLSearchParams(location.search).get('token');
  return token === null ? '' : `?token=${encodeURIComponent(token)}`;
}

/** The URL of a path relative to the page, with the token. */
export const siblingUrl = (path: string): string => new URL(`./${path}${tokenQuery()}`, location.href).href;

/** What the server shows: 'live' or 'recording'; null if the page does not state it. */
function servedMode(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name=stiction-mode]')?.content ?? null;
}

/** The source of frames: the run in the page, else the recording of the server, else its live run. */
export async function findSource(): Promise<Source> {
  const element = document.getElementById('run');
  const embedded = element?.textContent;
  if (embedded !== null && embedded !== undefined && embedded.trim() !== '') {
    element?.remove();
    return new RecordedSource(unpackRun(await gunzip(fromBase64(embedded))));
  }
  const live = servedMode() === 'live';
  const response = live ? null : await fetch(siblingUrl('recording')).catch(() => null);
  if (response?.ok) {
    return new RecordedSource(unpackRun(await gunzip(new Uint8Array(await response.arrayBuffer()))));
  }
  if (!location.protocol.startsWith('http'))
    throw new Error('The page contains no run and was not opened from a server.');
  return new LiveSource(siblingUrl('live').replace(/^http/, 'ws'));
}
