// The force of one body on another through a pair of faces: the resultant of the contact forces there.
// Contacts belong to one pair of faces if their normals agree and they are on the same parts of both bodies.

import type { BodyInfo, BodyState, Contact, Frame, Mode, Part, Scene } from './frame';
import { add, dot, length, scale, sub, unrotate, type Vec3 } from './vec';

/** Contacts whose normals differ by less than this angle (its cosine) are of one pair of faces. */
const SAME_FACE = Math.cos((2 * Math.PI) / 180);

export interface Resultant {
  a: number;
  b: number;
  /** Where the normal forces balance: their weighted mean point. */
  point: Vec3;
  /** On the first body (N). */
  normal: Vec3;
  friction: Vec3;
  /** Slips if every loaded contact slips. */
  mode: Mode;
  /** Loaded contacts. */
  count: number;
}

interface Group extends Resultant {
  parts: string;
  direction: Vec3;
  weight: number;
}

/** About how far a point of the body frame is from a part: exact for boxes, else from the ball around the part. */
function distance({ position, rotation, shape }: Part, point: Vec3): number {
  const at = unrotate(rotation, sub(point, position));
  switch (shape.kind) {
    case 'box':
      return length(at.map((x, axis) => Math.max(0, Math.abs(x) - shape.half[axis]!)) as Vec3);
    case 'ball':
      return Math.max(0, length(at) - shape.radius);
    case 'capsule':
    case 'cylinder':
    case 'cone': {
      const [out, along] = [Math.hypot(at[0], at[1]) - shape.radius, Math.abs(at[2]) - shape.half_length];
      return Math.hypot(Math.max(0, out), Math.max(0, along));
    }
    case 'half-space':
      return Math.max(0, at[2]);
    case 'triangles':
      return Math.min(...shape.points.map((corner) => length(sub(at, corner))));
  }
}

/** The part of a body that a point of the world is on. */
function partAt(info: BodyInfo | undefined, state: BodyState | undefined, point: Vec3): number {
  if (info === undefined || state === undefined || info.parts.length < 2) return 0;
  const at = unrotate(state.rotation, sub(point, state.position));
  let best = 0;
  let least = Infinity;
  info.parts.forEach((part, i) => {
    const away = distance(part, at);
    if (away < least) [best, least] = [i, away];
  });
  return best;
}

/** The resultants of all loaded contacts, by pair of faces. */
export function resultants(scene: Scene, frame: Frame): Resultant[] {
  const pairs = new Map<number, Group[]>();
  const all: Group[] = [];
  for (const contact of frame.contacts) {
    if (!(contact.normalForce > 0)) continue;
    const pair = contact.a * 0x4000000 + contact.b;
    let groups = pairs.get(pair);
    if (groups === undefined) pairs.set(pair, (groups = []));
    const on = (body: number) => partAt(scene.bodies[body], frame.bodies[body], contact.point);
    const parts = `${on(contact.a)}/${on(contact.b)}`;
    let group = groups.find((it) => it.parts === parts && dot(it.direction, contact.normal) > SAME_FACE);
    if (group === undefined) {
      group = begin(contact, parts);
      groups.push(group);
      all.push(group);
    }
    include(group, contact);
  }
  return all;
}

function begin({ a, b, mode, normal }: Contact, parts: string): Group {
  const none: Vec3 = [0, 0, 0];
  return {
    a,
    b,
    point: none,
    normal: none,
    friction: none,
    mode,
    count: 0,
    parts,
    direction: normal,
    weight: 0,
  };
}

function include(group: Group, { point, normal, normalForce, friction, mode }: Contact): void {
  group.weight += normalForce;
  // The mean, updated: p ← p + (w / W) (x − p).
  const share = normalForce / group.weight;
  group.point = add(scale(1 - share, group.point), scale(share, point));
  group.normal = add(group.normal, scale(normalForce, normal));
  group.friction = add(group.friction, friction);
  group.count += 1;
  if (mode !== 'slips') group.mode = mode;
}
