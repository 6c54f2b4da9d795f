// The free-body diagram as numbers: every force and torque on a body, their sum, what it takes to slip.

import type { Contact, Frame, Scene, SpringInfo } from './frame';
import { type Vec3, add, cross, dot, length, rotate, scale, solve, sub, times, unit, unrotate } from './vec';

export interface Act {
  kind: 'weight' | 'applied' | 'contact' | 'joint' | 'spring' | 'pull' | 'plane';
  label: string;
  /** Where it acts; null for pure torques. */
  at: Vec3 | null;
  force: Vec3;
  /** About the centre of mass. */
  torque: Vec3;
  /** Index of the contact in the frame. */
  contact?: number;
}

export interface FreeBody {
  acts: Act[];
  force: Vec3;
  torque: Vec3;
  /** Sum of magnitudes: what the sums are measured by. */
  forceScale: number;
  torqueScale: number;
  /** Implied by the sums, for free bodies. */
  acceleration: Vec3 | null;
  angularAcceleration: Vec3 | null;
}

/** A pull with the mouse, where its force is known. */
export interface Pull {
  body: number;
  force?: Vec3;
  torque?: Vec3;
  on?: Vec3;
}

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

/** Everything that acts on a body. */
export function freeBody(
  scene: Scene,
  frame: Frame,
  gravity: Vec3,
  body: number,
  pull: Pull | null = null,
): FreeBody {
  const info = scene.bodies[body];
  const state = frame.bodies[body];
  const acts: Act[] = [];
  if (info === undefined || state === undefined) {
    return {
      acts,
      force: [0, 0, 0],
      torque: [0, 0, 0],
      forceScale: 0,
      torqueScale: 0,
      acceleration: null,
      angularAcceleration: null,
    };
  }
  const centre = state.position;
  const push = (
    kind: Act['kind'],
    label: string,
    at: Vec3 | null,
    force: Vec3,
    torque?: Vec3,
    contact?: number,
  ) => {
    const about = torque ?? (at === null ? ([0, 0, 0] as Vec3) : cross(sub(at, centre), force));
    acts.push({ kind, label, at, force, torque: about, ...(contact === undefined ? {} : { contact }) });
  };
  const free = info.motion === 'free' && info.mass !== null && info.mass > 0;
  if (free && length(gravity) > 0) push('weight', 'weight', centre, scale(info.mass!, gravity));
  if (length(info.force) > 0 || length(info.torque) > 0) {
    push('applied', 'applied', length(info.force) > 0 ? centre : null, info.force, info.torque);
  }
  frame.contacts.forEach((contact, index) => {
    if (contact.a !== body && contact.b !== body) return;
    if (contact.normalForce === 0 && length(contact.friction) === 0) return;
    const other = contact.a === body ? contact.b : contact.a;
    const name = scene.bodies[other]?.name ?? `body ${other}`;
    push('contact', name, contact.point, contactForce(contact, body), undefined, index);
  });
  scene.joints.forEach((joint, index) => {
    const now = frame.joints[index];
    if (now === undefined || (joint.a !== body && joint.b !== body)) return;
    const first = frame.bodies[joint.a];
    if (first === undefined) return;
    const at = add(first.position, rotate(first.rotation, joint.frame_a.position));
    const label = joint.name || `${joint.kind} joint`;
    if (joint.a === body) push('joint', label, at, now.force, now.torque);
    else {
      // Minus the same about the other centre of mass.
      const force = scale(-1, now.force);
      const torque = add(scale(-1, now.torque), cross(sub(first.position, centre), force));
      push('joint', label, at, force, torque);
    }
  });
  scene.springs.forEach((spring) => {
    if (spring.a !== body && spring.b !== body) return;
    const { ends, force } = springForce(spring, frame);
    const label = spring.name || 'spring';
    if (spring.a === body) push('spring', label, ends[0], force);
    else push('spring', label, ends[1], scale(-1, force));
  });
  if (pull !== null && pull.body === body && (pull.force !== undefined || pull.torque !== undefined)) {
    const at = pull.on === undefined ? centre : add(centre, rotate(state.rotation, pull.on));
    push('pull', 'mouse pull', at, pull.force ?? [0, 0, 0], pull.torque);
  }
  let [force, torque] = total(acts);
  const plane = scene.plane;
  if (free && plane !== null) {
    const outOf = scale(-dot(plane, force), plane);
    const tilt = sub(scale(dot(plane, torque), plane), torque);
    const [forceScale, torqueScale] = scales(acts);
    if (length(outOf) > 1e-12 * forceScale || length(tilt) > 1e-12 * torqueScale) {
      push('plane', 'held in the plane', centre, outOf, tilt);
      [force, torque] = total(acts);
    }
  }
  const [forceScale, torqueScale] = scales(acts);
  let acceleration: Vec3 | null = null;
  let angularAcceleration: Vec3 | null = null;
  if (free) {
    acceleration = scale(1 / info.mass!, force);
    if (info.inertia !== null) {
      const spin = unrotate(state.rotation, state.angular);
      const about = sub(unrotate(state.rotation, torque), cross(spin, times(info.inertia, spin)));
      const turned = solve(info.inertia, about);
      angularAcceleration = turned && rotate(state.rotation, turned);
    }
  }
  return { acts, force, torque, forceScale, torqueScale, acceleration, angularAcceleration };
}

function total(acts: Act[]): [Vec3, Vec3] {
  let force: Vec3 = [0, 0, 0];
  let torque: Vec3 = [0, 0, 0];
  for (const act of acts) {
    force = add(force, act.force);
    torque = add(torque, act.torque);
  }
  return [force, torque];
}

function scales(acts: Act[]): [number, number] {
  let force = 0;
  let torque = 0;
  for (const act of acts) {
    force += length(act.force);
    torque += length(act.torque);
  }
  return [force, torque];
}

export interface Slipping {
  /** Coefficient that holds now: static while it sticks, dynamic while it slips. */
  mu: number;
  /** Greatest friction force, μN (N). */
  limit: number;
  /** |T| (N). */
  friction: number;
  /** μN − |T| (N). */
  reserve: number;
  /** Normal force at which the same friction would slip, |T| / μ (N). */
  leastNormal: number;
  /** Angle of the force to the normal, and of the cone (rad). */
  angle: number;
  cone: number;
}

/** What it would take for a contact to slip. */
export function slipping(contact: Contact): Slipping {
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
