// Where frames come from: a running engine over a WebSocket, or a recorded run with a timeline.

import type { Pull } from './forces';
import { type Run, type Scene, decodeHead, fromBase64, gunzip, parseScene, unpackRun } from './frame';
import type { Vec3 } from './vec';

export type Command =
  | { do: 'play' | 'pause' | 'step' | 'reset' | 'release' }
  | { do: 'speed'; factor: number }
  | { do: 'scene'; id: string }
  | { do: 'stepper' | 'solver'; name: string }
  | { do: 'gravity'; value: Vec3 }
  | { do: 'friction'; factor: number }
  | { do: 'pull'; body: number; on: Vec3; to: Vec3; kind: 'force' | 'torque' };

export interface Status {
  playing: boolean;
  speed: number;
  stepper: string;
  solver: string;
  gravity: Vec3;
  friction: number;
  real_time_factor: number | null;
  step_ms: number | null;
  solvers: string[];
  steppers: string[];
  live: boolean;
  pull: Pull | null;
}

export interface Listener {
  scene(id: string, scene: Scene): void;
  frame(bytes: Uint8Array): void;
  status(status: Status): void;
  error(message: string): void;
  link(state: Link): void;
}

/** Whether the engine is reached: yes; no answer; an answer, but another run of it that does not know our token. */
export type Link = 'connected' | 'gone' | 'restarted';

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

/** An engine at the other end of a WebSocket; comes back after the line was cut. */
export class LiveSource implements Source {
  readonly timeline = null;
  private socket: WebSocket | null = null;
  private wait = 500;
  private begun = false;

  constructor(private readonly address: string) {}

  start(listener: Listener): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.wait = 500;
      listener.link('connected');
      if (!this.begun && asksToPlay()) this.send({ do: 'play' });
      this.begun = true;
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data !== 'string') {
        listener.frame(new Uint8Array(data));
        return;
      }
      let message: { say: string } & Record<string, unknown>;
      let scene: Scene | null = null;
      try {
        message = JSON.parse(data) as typeof message;
        if (message.say === 'scene') scene = parseScene(message['scene'] as Partial<Scene>);
      } catch (error) {
        listener.error(`The server was not understood: ${String(error)}`);
        return;
      }
      if (scene !== null) listener.scene(String(message['id'] ?? ''), scene);
      else if (message.say === 'status') listener.status(message as unknown as Status);
      else if (message.say === 'error') listener.error(String(message['message']));
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      listener.link('gone');
      void this.again(listener);
    };
  }

  /** Tries again after a while, unless the server says that it is another one now. */
  private async again(listener: Listener): Promise<void> {
    // A socket does not tell why it was refused; a request does.
    const answer = await fetch(beside('scenes')).catch(() => null);
    if (answer?.status === 403) {
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

/** A recorded run, played by the page itself. */
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
    this.tell();
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
        this.listener?.error('This is a recording: it can be played, not changed.');
    }
    this.tell();
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
      this.tell();
      return;
    }
    requestAnimationFrame(this.tick);
  };

  private show(index: number): void {
    this.at = Math.max(0, Math.min(this.count - 1, index));
    const bytes = this.frames[this.at];
    if (bytes !== undefined) this.listener?.frame(bytes);
  }

  private tell(): void {
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
      solvers: solver === '' ? [] : [solver],
      steppers: stepper === '' ? [] : [stepper],
      live: false,
      pull: null,
    });
  }
}

/** Whether the address asks the run to move at once. */
const asksToPlay = (): boolean => new URLSearchParams(location.search).has('play');

/** The token that the page was opened with, as a query. */
export function tokenQuery(): string {
  const token = new URLSearchParams(location.search).get('token');
  return token === null ? '' : `?token=${encodeURIComponent(token)}`;
}

/** An address beside the page. */
export const beside = (path: string): string => new URL(`./${path}${tokenQuery()}`, location.href).href;

/** What the server says it shows; without its word both are tried. */
function servedMode(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name=stiction-mode]')?.content ?? null;
}

/** The run inside the page, else the recording beside it, else the engine that serves it. */
export async function findSource(): Promise<Source> {
  const element = document.getElementById('run');
  const inside = element?.textContent;
  if (inside !== null && inside !== undefined && inside.trim() !== '') {
    element?.remove();
    return new RecordedSource(unpackRun(await gunzip(fromBase64(inside))));
  }
  const live = servedMode() === 'live';
  const answer = live ? null : await fetch(beside('recording')).catch(() => null);
  if (answer?.ok) {
    return new RecordedSource(unpackRun(await gunzip(new Uint8Array(await answer.arrayBuffer()))));
  }
  if (!location.protocol.startsWith('http'))
    throw new Error('The page has no run in it and no server behind it.');
  return new LiveSource(beside('live').replace(/^http/, 'ws'));
}
