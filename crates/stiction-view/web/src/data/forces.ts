// The forces and torques on a body, their sums, and how far a contact is from slipping.

import type { PullStatus } from '../generated';
import type { BodyInfo, BodyState, Contact, Frame, Scene, SpringInfo } from './frame';
import { add, cross, dot, length, rotate, scale, solve, sub, times, unit, unrotate, type Vec3 } from './vec';

/** A force and torque on a body. */
export interface Load {
  kind: 'weight' | 'applied' | 'contact' | 'joint' | 'spring' | 'pull' | 'plane' | 'drive';
  label: string;
  /** Point of application; null for a pure torque. */
  at: Vec3 | null;
  force: Vec3;
  /** About the centre of mass. */
  torque: Vec3;
  /** Index of the contact in the frame. */
  contact?: number;
  /** The sum of the rows that follow it, or one of these. */
  subtotal?: boolean;
  part?: boolean;
}

export interface FreeBody {
  loads: Load[];
  force: Vec3;
  torque: Vec3;
  /** Sum of the magnitudes: the scale for rounding errors of the sums. */
  forceScale: number;
  torqueScale: number;
  /** Accelerations that the sums imply; null unless the body is free. */
  acceleration: Vec3 | null;
  angularAcceleration: Vec3 | null;
}

/** A pull with the mouse; force and torque are absent until the server reports them. */
export type Pull = Pick<PullStatus, 'body'> & Partial<PullStatus>;

/** Force of a contact on one of its bodies (N). */
export function contactForce(contact: Contact, body: number): Vec3 {
  const onFirst = add(scale(contact.normalForce, contact.normal), contact.friction);
  return body === contact.a ? onFirst : scale(-1, onFirst);
}

/** Both ends of a spring and the force on the first body. */
export function springForce(spring: SpringInfo, frame: Frame): { ends: [Vec3, Vec3]; force: Vec3 } {
  const end = (body: number | null, on: Vec3): [Vec3, Vec3] => {
    const state = body === null ? undefined : frame.bodies[body];
    if (state === undefined) return [on, [0, 0, 0]];
    const arm = rotate(state.rotation, on);
    return [add(state.position, arm), add(state.velocity, cross(state.angular, arm))];
  };
  const [pa, va] = end(spring.a, spring.on_a);
  const [pb, vb] = end(spring.b, spring.on_b);
  const apart = sub(pa, pb);
  const along = unit(apart);
  const stretch = length(apart) - spring.length;
  const rate = dot(along, sub(va, vb));
  return { ends: [pa, pb], force: scale(-(spring.stiffness * stretch + spring.damping * rate), along) };
}

/** All loads on a body, their sums and the accelerations they imply. */
export function freeBody(
  scene: Scene,
  frame: Frame,
  gravity: Vec3,
  body: number,
  pull: Pull | null = null,
): FreeBody {
  const info = scene.bodies[body];
  const state = frame.bodies[body];
  if (info === undefined || state === undefined) return sumUp([], null, null);
  const loads = [
    ...externalLoads(info, state, gravity),
    ...contactLoads(scene, frame, body, state.position),
    ...jointLoads(scene, frame, body, state.position),
    ...springLoads(scene, frame, body, state.position),
    ...pullLoads(pull, body, state),
  ];
  if (info.motion === 'driven') loads.push(...driveLoads(loads, state.position));
  if (!isFree(info)) return sumUp(loads, null, null);
  loads.push(...planeLoads(scene.plane, loads, state.position));
  const [force, torque] = total(loads);
  return sumUp(loads, scale(1 / info.mass!, force), angularAcceleration(info, state, torque));
}

const isFree = (info: BodyInfo): boolean => info.motion === 'free' && info.mass !== null && info.mass > 0;

function sumUp(loads: Load[], acceleration: Vec3 | null, angularAcceleration: Vec3 | null): FreeBody {
  const [force, torque] = total(loads);
  const [forceScale, torqueScale] = scales(loads);
  return { loads, force, torque, forceScale, torqueScale, acceleration, angularAcceleration };
}

/** A force at a point, with its torque about a centre of mass. */
function forceAt(kind: Load['kind'], label: string, at: Vec3, force: Vec3, centre: Vec3): Load {
  return { kind, label, at, force, torque: cross(sub(at, centre), force) };
}

/** Weight and the applied force and torque of the scene. */
function externalLoads(info: BodyInfo, { position: centre }: BodyState, gravity: Vec3): Load[] {
  const loads: Load[] = [];
  if (isFree(info) && length(gravity) > 0)
    loads.push(forceAt('weight', 'weight', centre, scale(info.mass!, gravity), centre));
  const { force, torque } = info;
  if (length(force) > 0 || length(torque) > 0)
    loads.push({ kind: 'applied', label: 'applied', at: length(force) > 0 ? centre : null, force, torque });
  return loads;
}

function contactLoads(scene: Scene, frame: Frame, body: number, centre: Vec3): Load[] {
  return frame.contacts.flatMap((contact, index) => {
    if (contact.a !== body && contact.b !== body) return [];
    if (contact.normalForce === 0 && length(contact.friction) === 0) return [];
    const other = contact.a === body ? contact.b : contact.a;
    const name = scene.bodies[other]?.name ?? `body ${other}`;
    const load = forceAt('contact', name, contact.point, contactForce(contact, body), centre);
    return [{ ...load, contact: index }];
  });
}

function jointLoads(scene: Scene, frame: Frame, body: number, centre: Vec3): Load[] {
  return scene.joints.flatMap((joint, index): Load[] => {
    const now = frame.joints[index];
    if (now === undefined || (joint.a !== body && joint.b !== body)) return [];
    const first = frame.bodies[joint.a];
    if (first === undefined) return [];
    const at = add(first.position, rotate(first.rotation, joint.frame_a.position));
    const label = joint.name || `${joint.kind} joint`;
    if (joint.a === body) return [{ kind: 'joint', label, at, force: now.force, torque: now.torque }];
    // The reaction, with its torque about the centre of mass of the second body.
    const force = scale(-1, now.force);
    const torque = add(scale(-1, now.torque), cross(sub(first.position, centre), force));
    return [{ kind: 'joint', label, at, force, torque }];
  });
}

function springLoads(scene: Scene, frame: Frame, body: number, centre: Vec3): Load[] {
  return scene.springs.flatMap((spring) => {
    if (spring.a !== body && spring.b !== body) return [];
    const { ends, force } = springForce(spring, frame);
    const label = spring.name || 'spring';
    return spring.a === body
      ? [forceAt('spring', label, ends[0], force, centre)]
      : [forceAt('spring', label, ends[1], scale(-1, force), centre)];
  });
}

/** The pull of the mouse, if it acts on this body and its force is known. */
function pullLoads(pull: Pull | null, body: number, { position: centre, rotation }: BodyState): Load[] {
  if (pull === null || pull.body !== body) return [];
  if (pull.force === undefined && pull.torque === undefined) return [];
  const at = pull.on === undefined ? centre : add(centre, rotate(rotation, pull.on));
  const load = forceAt('pull', 'mouse pull', at, pull.force ?? [0, 0, 0], centre);
  return [pull.torque === undefined ? load : { ...load, torque: pull.torque }];
}

/** What the drive of a body applies to it: its motion is given, so the drive takes up all other loads. */
function driveLoads(loads: Load[], centre: Vec3): Load[] {
  const [force, torque] = total(loads);
  if (length(force) === 0 && length(torque) === 0) return [];
  return [{ kind: 'drive', label: 'drive', at: centre, force: scale(-1, force), torque: scale(-1, torque) }];
}

/** The reaction that keeps a body of a planar scene in its plane. */
function planeLoads(plane: Vec3 | null, loads: Load[], centre: Vec3): Load[] {
  if (plane === null) return [];
  const [sumForce, sumTorque] = total(loads);
  const force = scale(-dot(plane, sumForce), plane);
  const torque = sub(scale(dot(plane, sumTorque), plane), sumTorque);
  const [forceScale, torqueScale] = scales(loads);
  if (!(length(force) > 1e-12 * forceScale || length(torque) > 1e-12 * torqueScale)) return [];
  return [{ kind: 'plane', label: 'plane constraint', at: centre, force, torque }];
}

/** Euler's equation for the angular acceleration; null if the inertia is unknown or singular. */
function angularAcceleration(info: BodyInfo, state: BodyState, torque: Vec3): Vec3 | null {
  if (info.inertia === null) return null;
  const spin = unrotate(state.rotation, state.angular);
  const net = sub(unrotate(state.rotation, torque), cross(spin, times(info.inertia, spin)));
  const acceleration = solve(info.inertia, net);
  return acceleration && rotate(state.rotation, acceleration);
}

function total(loads: Load[]): [Vec3, Vec3] {
  let force: Vec3 = [0, 0, 0];
  let torque: Vec3 = [0, 0, 0];
  for (const load of loads) {
    force = add(force, load.force);
    torque = add(torque, load.torque);
  }
  return [force, torque];
}

function scales(loads: Load[]): [number, number] {
  let force = 0;
  let torque = 0;
  for (const load of loads) {
    force += length(load.force);
    torque += length(load.torque);
  }
  return [force, torque];
}

/** Friction of a contact compared with its limit. */
export interface SlipLimits {
  /** Effective coefficient: static while sticking, dynamic while slipping. */
  mu: number;
  /** Friction limit μN (N). */
  limit: number;
  /** |T| (N). */
  friction: number;
  /** μN − |T| (N). */
  reserve: number;
  /** Normal force below which the same friction force would slip: |T| / μ (N). */
  leastNormal: number;
  /** Angle between force and normal, and half-angle of the friction cone (rad). */
  angle: number;
  cone: number;
}

/** Compares the friction of a contact with its limit. */
export function slipLimits(contact: Contact): SlipLimits {
  const mu = contact.mode === 'slips' ? contact.muDynamic : contact.muStatic;
  const friction = length(contact.friction);
  const limit = mu * contact.normalForce;
  return {
    mu,
    limit,
    friction,
    reserve: limit - friction,
    leastNormal: mu > 0 ? friction / mu : 0,
    angle: Math.atan2(friction, contact.normalForce),
    cone: Math.atan(mu),
  };
}
