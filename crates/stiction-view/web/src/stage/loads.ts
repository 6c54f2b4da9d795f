// Which forces are drawn: on the selected body all of them, else one arrow per pair of faces, joint and applied force.

import { freeBody, type Load, springForce } from '../data/forces';
import type { Contact, Frame, Scene } from '../data/frame';
import type { Model } from '../data/model';
import { type Resultant, resultants } from '../data/resultants';
import { add, length, rotate, scale, type Vec3 } from '../data/vec';

export type ArrowKind = 'normal' | 'sticks' | 'slips' | 'joint' | 'spring' | 'load' | 'pull';

/** A force to draw, in N. */
export interface ForceArrow {
  kind: ArrowKind;
  at: Vec3;
  force: Vec3;
}

/** A torque to draw as an arc about its axis, in N·m. */
export interface TorqueArrow {
  kind: ArrowKind;
  at: Vec3;
  torque: Vec3;
}

export interface Loads {
  forces: ForceArrow[];
  torques: TorqueArrow[];
}

/** Forces below this fraction of the largest one are rounding noise. */
const NOISE = 1e-9;

/** All arrows of a frame. */
export function loadsOf(model: Model): Loads {
  const { scene, frame, selection } = model;
  const loads: Loads = { forces: [], torques: [] };
  if (scene === null || frame === null) return loads;
  addContacts(model, scene, frame, loads);
  if (selection?.kind === 'body') addOthersOn(model, scene, frame, selection.index, loads);
  else addAll(model, scene, frame, loads);
  const largest = Math.max(0, ...loads.forces.map(({ force }) => length(force)));
  loads.forces = loads.forces.filter(({ force }) => length(force) > NOISE * largest);
  const strongest = Math.max(0, ...loads.torques.map(({ torque }) => length(torque)));
  loads.torques = loads.torques.filter(({ torque }) => length(torque) > Math.max(1e-12, NOISE * strongest));
  return loads;
}

function addContacts(model: Model, scene: Scene, frame: Frame, { forces }: Loads): void {
  const { show, selection } = model;
  const body = selection?.kind === 'body' ? selection.index : null;
  const concerned = ({ a, b }: { a: number; b: number }) => body === null || a === body || b === body;
  const push = (
    pair: { a: number; b: number },
    point: Vec3,
    normal: Vec3,
    friction: Vec3,
    mode: Contact['mode'],
  ) => {
    const sign = model.drawnOnSecond(pair) ? -1 : 1;
    const kind = mode === 'slips' ? 'slips' : 'sticks';
    if (show.forces === 'resultants' && show.normals && show.friction) {
      forces.push({ kind, at: point, force: scale(sign, add(normal, friction)) });
      return;
    }
    if (show.normals) forces.push({ kind: 'normal', at: point, force: scale(sign, normal) });
    if (show.friction) forces.push({ kind, at: point, force: scale(sign, friction) });
  };
  if (show.forces === 'points') {
    for (const contact of frame.contacts.filter(concerned))
      if (contact.normalForce > 0)
        push(
          contact,
          contact.point,
          scale(contact.normalForce, contact.normal),
          contact.friction,
          contact.mode,
        );
    return;
  }
  const chosen = model.selectedContact()?.contact;
  const others = (it: Resultant) => chosen === undefined || it.a !== chosen.a || it.b !== chosen.b;
  for (const it of resultants(scene, frame).filter(concerned))
    if (others(it)) push(it, it.point, it.normal, it.friction, it.mode);
  // The faces of the selected contact show their points one by one.
  if (chosen === undefined) return;
  for (const contact of frame.contacts) {
    if (contact.a !== chosen.a || contact.b !== chosen.b || !(contact.normalForce > 0)) continue;
    const sign = model.drawnOnSecond(contact) ? -1 : 1;
    forces.push({
      kind: 'normal',
      at: contact.point,
      force: scale(sign * contact.normalForce, contact.normal),
    });
    forces.push({
      kind: contact.mode === 'slips' ? 'slips' : 'sticks',
      at: contact.point,
      force: scale(sign, contact.friction),
    });
  }
}

const KINDS: Record<Load['kind'], ArrowKind> = {
  weight: 'load',
  applied: 'load',
  drive: 'load',
  plane: 'load',
  contact: 'normal',
  joint: 'joint',
  spring: 'spring',
  pull: 'pull',
};

/** Everything but contacts on the selected body. */
function addOthersOn(model: Model, scene: Scene, frame: Frame, body: number, to: Loads): void {
  const { show } = model;
  const all = freeBody(scene, frame, model.gravity(), body, model.status?.pull ?? null);
  for (const { kind, at, force, torque } of all.loads) {
    if (kind === 'contact' || kind === 'plane') continue;
    if (kind === 'joint' || kind === 'spring' ? !show.joints : !show.loads) continue;
    const centre = frame.bodies[body]!.position;
    to.forces.push({ kind: KINDS[kind], at: at ?? centre, force });
    if (at === null) to.torques.push({ kind: KINDS[kind], at: centre, torque });
  }
}

/** Forces of joints and springs on their first body, applied forces, drives, and the pull. */
function addAll(model: Model, scene: Scene, frame: Frame, to: Loads): void {
  const { show } = model;
  if (show.joints) {
    scene.joints.forEach((joint, i) => {
      const [body, now] = [frame.bodies[joint.a], frame.joints[i]];
      if (body === undefined || now === undefined) return;
      const at = add(body.position, rotate(body.rotation, joint.frame_a.position));
      to.forces.push({ kind: 'joint', at, force: now.force });
      // The free axis of hinges and sliders is the z axis of their frame.
      const axis = rotate(body.rotation, rotate(joint.frame_a.rotation, [0, 0, 1]));
      if (!show.loads || now.drive === 0 || Number.isNaN(now.drive)) return;
      if (joint.kind === 'slider') to.forces.push({ kind: 'load', at, force: scale(now.drive, axis) });
      else to.torques.push({ kind: 'load', at, torque: scale(now.drive, axis) });
    });
    for (const spring of scene.springs) {
      const { ends, force } = springForce(spring, frame);
      to.forces.push({ kind: 'spring', at: ends[0], force });
    }
  }
  if (!show.loads) return;
  scene.bodies.forEach((body, i) => {
    const state = frame.bodies[i];
    if (state === undefined) return;
    if (body.motion === 'driven') {
      const drive = freeBody(scene, frame, model.gravity(), i).loads.find(({ kind }) => kind === 'drive');
      if (drive === undefined) return;
      to.forces.push({ kind: 'load', at: state.position, force: drive.force });
      to.torques.push({ kind: 'load', at: state.position, torque: drive.torque });
      return;
    }
    to.forces.push({ kind: 'load', at: state.position, force: body.force });
    to.torques.push({ kind: 'load', at: state.position, torque: body.torque });
  });
  const pull = model.status?.pull;
  const held = pull ? frame.bodies[pull.body] : undefined;
  if (!pull || held === undefined) return;
  const at = add(held.position, rotate(held.rotation, pull.on));
  if (pull.kind === 'force') to.forces.push({ kind: 'pull', at, force: pull.force });
  else to.torques.push({ kind: 'pull', at: held.position, torque: pull.torque });
}
