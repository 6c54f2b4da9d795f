// Types of frames and scenes, and the decoder of frames and packed runs (docs/frames.md).

import type { BodyInfo, PartInfo, SceneDescription, ShapeInfo } from '../generated';
import type { Quat, Vec3 } from './vec';

/** Energy ledger of a run (J). */
export interface EnergyLedger {
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
export type Uniqueness = 'not checked' | 'unique' | 'not unique' | 'undecided';

export interface Contact {
  a: number;
  b: number;
  /** Identifier of the touching features, hexadecimal. */
  feature: string;
  /** Identifies the contact across frames. */
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
  /** Unused part of the friction cone; NaN without force or friction, and where the force is not unique. */
  margin: number;
  muStatic: number;
  muDynamic: number;
  mode: Mode;
  uniqueness: Uniqueness;
}

export type EventKind =
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
  kind: EventKind;
  joint: number;
  /** null if no body is involved. */
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
  ledger: EnergyLedger;
  laws: LawValue[];
  bodies: BodyState[];
  joints: JointState[];
  contacts: Contact[];
  events: Event[];
  /** Number of answers by solver since the last frame. */
  answers: [string, number][];
}

export type { BodyInfo, JointInfo, SpringInfo } from '../generated';
export type Scene = SceneDescription;
export type Part = PartInfo;
export type Shape = ShapeInfo;

/** Sizes in bytes. */
const HEAD = 176;
const BODY = 13 * 8;
const IMPULSE = 6 * 8;
const JOINT = 9 * 8;
const CONTACT = 24 * 8;
const EVENT = 6 * 8;
const WAYPOINT = 21 * 8;
const ANSWER = 4 * 8;
/** Marks an absent body. */
const NONE = 0xffffffff;

const MODES: readonly Mode[] = ['open', 'sticks', 'slips'];
const UNIQUENESS: readonly Uniqueness[] = ['not checked', 'unique', 'not unique', 'undecided'];
const EVENT_KINDS: readonly EventKind[] = [
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

/** Laws of motion, in the order of frames. */
export const LAWS = ['contact', 'overlap', 'modes', 'joints', 'energy', 'momentum', 'uniqueness'] as const;
export type LawName = (typeof LAWS)[number];

/** Worst value of a law since the last frame; NaN if it was not judged. */
export interface LawValue {
  name: LawName;
  worst: number;
  broken: boolean;
}

/** The header of a frame, which plots read without decoding the rest. */
export interface Head {
  index: number;
  /** Contact problems solved since the last frame. */
  problems: number;
  /** Number of contacts and joints. */
  constraints: number;
  time: number;
  certified: boolean;
  residual: number;
  ledger: EnergyLedger;
  laws: LawValue[];
}

function ledgerAt(view: DataView, at: number): EnergyLedger {
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

/** Decodes the header of a frame. */
export function decodeHead(bytes: Uint8Array): Head {
  if (bytes.byteLength < HEAD)
    throw new Error(`a frame of ${bytes.byteLength} bytes is shorter than its header`);
  const view = viewOf(bytes);
  return {
    index: Number(view.getBigUint64(0, true)),
    time: view.getFloat64(8, true),
    problems: view.getUint32(40, true),
    constraints: view.getUint32(28, true) + view.getUint32(32, true),
    certified: (view.getUint32(44, true) & 1) === 1,
    residual: view.getFloat64(48, true),
    ledger: ledgerAt(view, 56),
    laws: LAWS.map((name, k) => ({
      name,
      worst: view.getFloat64(120 + 8 * k, true),
      broken: ((view.getUint32(44, true) >> (8 + k)) & 1) === 1,
    })),
  };
}

/** Reads numbers of a frame at byte offsets. */
class Reader {
  private readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.view = viewOf(bytes);
  }

  u32(at: number): number {
    return this.view.getUint32(at, true);
  }

  f64(at: number): number {
    return this.view.getFloat64(at, true);
  }

  vec(at: number): Vec3 {
    return [this.f64(at), this.f64(at + 8), this.f64(at + 16)];
  }

  hex(at: number): string {
    return this.view.getBigUint64(at, true).toString(16);
  }

  u64(at: number): number {
    return Number(this.view.getBigUint64(at, true));
  }

  name(at: number): string {
    const bytes = new Uint8Array(this.view.buffer, this.view.byteOffset + at, NAME);
    return new TextDecoder().decode(bytes).replace(/\0+$/, '');
  }

  /** Index of a body; null if there is none. */
  body(at: number): number | null {
    const index = this.u32(at);
    return index === NONE ? null : index;
  }
}

function bodyAt(reader: Reader, at: number): BodyState {
  return {
    position: reader.vec(at),
    rotation: [reader.f64(at + 24), reader.f64(at + 32), reader.f64(at + 40), reader.f64(at + 48)],
    velocity: reader.vec(at + 56),
    angular: reader.vec(at + 80),
  };
}

function jointAt(reader: Reader, at: number): JointState {
  return {
    force: reader.vec(at),
    torque: reader.vec(at + 24),
    drive: reader.f64(at + 48),
    coordinate: reader.f64(at + 56),
    turn: reader.f64(at + 64),
  };
}

function contactAt(reader: Reader, at: number): Contact {
  const [a, b, feature] = [reader.u32(at), reader.u32(at + 4), reader.hex(at + 8)];
  const mode = MODES[reader.u32(at + 184)] ?? 'open';
  const uniqueness = UNIQUENESS[reader.u32(at + 188)] ?? 'not checked';
  const open = mode !== 'slips' && (uniqueness === 'not unique' || uniqueness === 'undecided');
  return {
    a,
    b,
    feature,
    key: `${a}/${b}/${feature}`,
    point: reader.vec(at + 16),
    normal: reader.vec(at + 40),
    gap: reader.f64(at + 64),
    normalForce: reader.f64(at + 72),
    friction: reader.vec(at + 80),
    normalImpulse: reader.f64(at + 104),
    frictionImpulse: reader.vec(at + 112),
    slip: reader.vec(at + 136),
    margin: open ? NaN : reader.f64(at + 160),
    muStatic: reader.f64(at + 168),
    muDynamic: reader.f64(at + 176),
    mode,
    uniqueness,
  };
}

function eventAt(reader: Reader, at: number): Event {
  return {
    time: reader.f64(at),
    kind: EVENT_KINDS[reader.u32(at + 8)] ?? 'unknown',
    joint: reader.u32(at + 12),
    a: reader.body(at + 16),
    b: reader.body(at + 20),
    feature: reader.hex(at + 24),
    numbers: [reader.f64(at + 32), reader.f64(at + 40)],
  };
}

/** Length of a solver's name in bytes; shorter names are padded with zeros. */
const NAME = 24;

function answerAt(reader: Reader, at: number): [string, number] {
  return [reader.name(at), reader.u64(at + NAME)];
}

/** Decodes a frame. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const head = decodeHead(bytes);
  const reader = new Reader(bytes);
  const [bodies, joints, contacts, events] = [24, 28, 32, 36].map((at) => reader.u32(at)) as [
    number,
    number,
    number,
    number,
  ];
  const impulses = (bodies + 1) * IMPULSE;
  const [waypoints, answers] = [reader.u32(112), reader.u32(116)];
  const booked = waypoints * WAYPOINT + answers * ANSWER;
  const size =
    HEAD + bodies * BODY + impulses + joints * JOINT + contacts * CONTACT + events * EVENT + booked;
  if (size !== bytes.byteLength) {
    throw new Error(`a frame has ${bytes.byteLength} bytes, but its header implies ${size}`);
  }
  let at = HEAD;
  const each = <T>(count: number, stride: number, read: (reader: Reader, at: number) => T): T[] => {
    const all = new Array<T>(count);
    for (let i = 0; i < count; i++, at += stride) all[i] = read(reader, at);
    return all;
  };
  const states = each(bodies, BODY, bodyAt);
  at += impulses;
  const rest = {
    joints: each(joints, JOINT, jointAt),
    contacts: each(contacts, CONTACT, contactAt),
    events: each(events, EVENT, eventAt),
  };
  at += waypoints * WAYPOINT;
  return { ...head, hash: reader.hex(16), bodies: states, ...rest, answers: each(answers, ANSWER, answerAt) };
}

/** An unpacked run: the scene and the bytes of every frame. */
export interface Run {
  scene: Scene;
  frames: Uint8Array[];
}

/** Unpacks a packed run that has been decompressed. */
export function unpackRun(bytes: Uint8Array): Run {
  const view = viewOf(bytes);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
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

/** Parses a scene description; omitted fields get defaults. */
export function parseScene(json: Partial<Scene>): Scene {
  if (json.format !== 'stiction-frames-2') throw new Error(`unknown format ${String(json.format)}`);
  return {
    format: json.format,
    title: json.title ?? 'Untitled',
    look_for: json.look_for ?? '',
    separated: json.separated ?? '',
    figure: json.figure ?? '',
    run: json.run ?? { until: 0, dt: 0.01, stepper: '', solver: '' },
    gravity: json.gravity ?? [0, 0, 0],
    plane: json.plane ?? null,
    // Recordings made before bodies had levels lack them.
    bodies: (json.bodies ?? []).map((body: Omit<BodyInfo, 'levels'> & Partial<BodyInfo>) => ({
      ...body,
      levels: body.levels ?? [1],
    })),
    joints: json.joints ?? [],
    springs: json.springs ?? [],
  };
}

/** Decompresses gzip; returns other bytes unchanged. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Decodes base64; ignores white space. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replace(/\s+/g, ''));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
