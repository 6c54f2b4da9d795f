// Frames and scenes: the types, and frames read from their bytes (docs/frames.md).

import type { Mat3, Quat, Vec3 } from './vec';

export interface Book {
  kinetic: number;
  potential: number;
  work: number;
  friction: number;
  impacts: number;
  start: number;
  turnover: number;
}

export interface BodyState {
  position: Vec3;
  rotation: Quat;
  velocity: Vec3;
  angular: Vec3;
}

export interface JointState {
  /** On the first body (N). */
  force: Vec3;
  /** On the first body, about its centre of mass (N·m). */
  torque: Vec3;
  drive: number;
  coordinate: number;
  turn: number;
}

export type Mode = 'open' | 'sticks' | 'slips';
export type Uniqueness = 'not asked' | 'unique' | 'not unique' | 'undecided';

export interface Contact {
  a: number;
  b: number;
  /** Which features meet, hexadecimal. */
  feature: string;
  /** The same from frame to frame. */
  key: string;
  point: Vec3;
  /** From the second body into the first. */
  normal: Vec3;
  gap: number;
  normalForce: number;
  friction: Vec3;
  normalImpulse: number;
  frictionImpulse: Vec3;
  slip: Vec3;
  margin: number;
  muStatic: number;
  muDynamic: number;
  mode: Mode;
  uniqueness: Uniqueness;
}

export type Happening =
  | 'collision'
  | 'parts'
  | 'sticks'
  | 'slips'
  | 'moves'
  | 'impulse'
  | 'joint'
  | 'restitution reduced'
  | 'not certified'
  | 'fell back'
  | 'unknown';

export interface Event {
  time: number;
  kind: Happening;
  joint: number;
  /** null where there is none. */
  a: number | null;
  b: number | null;
  feature: string;
  numbers: [number, number];
}

export interface Frame {
  index: number;
  time: number;
  /** State hash, hexadecimal. */
  hash: string;
  problems: number;
  certified: boolean;
  residual: number;
  book: Book;
  bodies: BodyState[];
  joints: JointState[];
  contacts: Contact[];
  events: Event[];
}

export type Shape =
  | { kind: 'box'; half: Vec3 }
  | { kind: 'ball'; radius: number }
  | { kind: 'capsule' | 'cylinder' | 'cone'; half_length: number; radius: number }
  | { kind: 'half-space' }
  | { kind: 'triangles'; points: Vec3[]; triangles: Vec3[] };

export interface Part {
  position: Vec3;
  rotation: Quat;
  shape: Shape;
}

export interface BodyInfo {
  name: string;
  motion: 'free' | 'fixed' | 'driven';
  /** null where it is infinite. */
  mass: number | null;
  /** In the body frame. */
  inertia: Mat3 | null;
  force: Vec3;
  torque: Vec3;
  parts: Part[];
}

export interface JointInfo {
  name: string;
  kind: string;
  a: number;
  b: number | null;
  frame_a: { position: Vec3; rotation: Quat };
  frame_b: { position: Vec3; rotation: Quat };
}

export interface SpringInfo {
  name: string;
  a: number;
  b: number | null;
  on_a: Vec3;
  on_b: Vec3;
  length: number;
  stiffness: number;
  damping: number;
}

export interface Scene {
  format: string;
  title: string;
  look_for: string;
  figure: string;
  run: { until: number; dt: number; stepper: string; solver: string };
  gravity: Vec3;
  plane: Vec3 | null;
  bodies: BodyInfo[];
  joints: JointInfo[];
  springs: SpringInfo[];
}

const HEAD = 112;
const BODY = 13 * 8;
const JOINT = 9 * 8;
const CONTACT = 24 * 8;
const EVENT = 6 * 8;
const NONE = 0xffffffff;

const MODES: readonly Mode[] = ['open', 'sticks', 'slips'];
const UNIQUENESS: readonly Uniqueness[] = ['not asked', 'unique', 'not unique', 'undecided'];
const HAPPENINGS: readonly Happening[] = [
  'collision',
  'parts',
  'sticks',
  'slips',
  'moves',
  'impulse',
  'joint',
  'restitution reduced',
  'not certified',
  'fell back',
];

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** What plots need of every frame, without the rest. */
export interface Head {
  index: number;
  time: number;
  certified: boolean;
  residual: number;
  book: Book;
}

function bookAt(view: DataView, at: number): Book {
  const word = (i: number) => view.getFloat64(at + 8 * i, true);
  return {
    kinetic: word(0),
    potential: word(1),
    work: word(2),
    friction: word(3),
    impacts: word(4),
    start: word(5),
    turnover: word(6),
  };
}

/** Reads the head of a frame. */
export function decodeHead(bytes: Uint8Array): Head {
  if (bytes.byteLength < HEAD) throw new Error(`a frame of ${bytes.byteLength} bytes has no head`);
  const view = viewOf(bytes);
  return {
    index: Number(view.getBigUint64(0, true)),
    time: view.getFloat64(8, true),
    certified: (view.getUint32(44, true) & 1) === 1,
    residual: view.getFloat64(48, true),
    book: bookAt(view, 56),
  };
}

/** Reads a frame. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const head = decodeHead(bytes);
  const view = viewOf(bytes);
  const [bodies, joints, contacts, events] = [24, 28, 32, 36].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
    number,
  ];
  const size = HEAD + bodies * BODY + joints * JOINT + contacts * CONTACT + events * EVENT;
  if (size !== bytes.byteLength) {
    throw new Error(`a frame of ${bytes.byteLength} bytes says that it has ${size}`);
  }
  const f64 = (at: number) => view.getFloat64(at, true);
  const vec = (at: number): Vec3 => [f64(at), f64(at + 8), f64(at + 16)];
  const hex = (at: number) => view.getBigUint64(at, true).toString(16);
  let at = HEAD;
  const each = <T>(count: number, stride: number, read: (at: number) => T): T[] => {
    const all = new Array<T>(count);
    for (let i = 0; i < count; i++, at += stride) all[i] = read(at);
    return all;
  };
  return {
    ...head,
    hash: hex(16),
    problems: view.getUint32(40, true),
    bodies: each(bodies, BODY, (o) => ({
      position: vec(o),
      rotation: [f64(o + 24), f64(o + 32), f64(o + 40), f64(o + 48)],
      velocity: vec(o + 56),
      angular: vec(o + 80),
    })),
    joints: each(joints, JOINT, (o) => ({
      force: vec(o),
      torque: vec(o + 24),
      drive: f64(o + 48),
      coordinate: f64(o + 56),
      turn: f64(o + 64),
    })),
    contacts: each(contacts, CONTACT, (o) => {
      const a = view.getUint32(o, true);
      const b = view.getUint32(o + 4, true);
      const feature = hex(o + 8);
      return {
        a,
        b,
        feature,
        key: `${a}/${b}/${feature}`,
        point: vec(o + 16),
        normal: vec(o + 40),
        gap: f64(o + 64),
        normalForce: f64(o + 72),
        friction: vec(o + 80),
        normalImpulse: f64(o + 104),
        frictionImpulse: vec(o + 112),
        slip: vec(o + 136),
        margin: f64(o + 160),
        muStatic: f64(o + 168),
        muDynamic: f64(o + 176),
        mode: MODES[view.getUint32(o + 184, true)] ?? 'open',
        uniqueness: UNIQUENESS[view.getUint32(o + 188, true)] ?? 'not asked',
      };
    }),
    events: each(events, EVENT, (o) => {
      const body = (at: number) => {
        const index = view.getUint32(at, true);
        return index === NONE ? null : index;
      };
      return {
        time: f64(o),
        kind: HAPPENINGS[view.getUint32(o + 8, true)] ?? 'unknown',
        joint: view.getUint32(o + 12, true),
        a: body(o + 16),
        b: body(o + 20),
        feature: hex(o + 24),
        numbers: [f64(o + 32), f64(o + 40)],
      };
    }),
  };
}

/** A run taken out of its package: the scene and the bytes of every frame. */
export interface Run {
  scene: Scene;
  frames: Uint8Array[];
}

/** Takes an (already decompressed) packed run apart. */
export function unpackRun(bytes: Uint8Array): Run {
  const view = viewOf(bytes);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength;) {
    if (at + 4 > bytes.byteLength) throw new Error('the run ends inside a length');
    const size = view.getUint32(at, true);
    if (at + 4 + size > bytes.byteLength) throw new Error('the run ends inside a frame');
    pieces.push(bytes.subarray(at + 4, at + 4 + size));
    at += 4 + size;
  }
  const [first, ...frames] = pieces;
  if (first === undefined) throw new Error('the run is empty');
  return { scene: parseScene(JSON.parse(new TextDecoder().decode(first))), frames };
}

/** A scene description with what may be left out filled in. */
export function parseScene(json: Partial<Scene>): Scene {
  if (json.format !== 'stiction-frames-1') throw new Error(`unknown format ${String(json.format)}`);
  return {
    format: json.format,
    title: json.title ?? 'Untitled',
    look_for: json.look_for ?? '',
    figure: json.figure ?? '',
    run: json.run ?? { until: 0, dt: 0.01, stepper: '', solver: '' },
    gravity: json.gravity ?? [0, 0, 0],
    plane: json.plane ?? null,
    bodies: json.bodies ?? [],
    joints: json.joints ?? [],
    springs: json.springs ?? [],
  };
}

/** Decompresses gzip; bytes that are not gzip are taken as they are. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bytes of base64 text, white space allowed. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/\s+/g, ''));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
