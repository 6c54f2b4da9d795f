// The overlay of the stage: contact points, force arrows, friction cones, joints, springs and the pull of the mouse.

import * as THREE from 'three';
import { springForce } from './forces';
import type { Contact, Frame, JointInfo } from './frame';
import type { Model } from './model';
import type { Stage } from './stage';
import { Dots, Lines, Triangles } from './stage/buffers';
import type { Palette } from './theme';
import { type Vec3, add, length, perpendicular, rotate, scale } from './vec';

/** Sides of a drawn cone. */
const SIDES = 20;
/** Diameter of a contact point with its rim. */
const POINT_PIXELS = 9;
const SHAFT_PIXELS = 1.6;
const HEAD_PIXELS = 11;
const AXES: Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** Colour of a friction margin: red at 0, amber at a third, green at 1. */
export function marginColour(margin: number, into = new THREE.Color()): THREE.Color {
  const fraction = Number.isNaN(margin) ? 1 : Math.max(0, Math.min(1, margin));
  return into.setHSL((0.012 + 0.38 * Math.min(1, fraction * 1.15)) % 1, 0.72, 0.45);
}

export class Arrows {
  /** The pull of the mouse: from a point on the body to a point in the world. */
  pull: { from: Vec3; to: Vec3; kind: 'force' | 'torque' } | null = null;
  private readonly points: Dots;
  private readonly arrows: Triangles;
  private readonly cones: Triangles;
  private readonly springs: Lines;
  private readonly joints: Lines;
  private readonly pullLine: Lines;
  /** Length of arrows at scale 1 (m/N); 0 until it is set for the scene. */
  private perNewton = 0.01;
  /** Size of a pixel at the target of the camera (m). */
  private pixel = 0;
  private readonly colour = new THREE.Color();
  private readonly eye = new THREE.Vector3();
  /** Scratch vectors. */
  private readonly v = Array.from({ length: 8 }, () => new THREE.Vector3());

  constructor(
    private readonly model: Model,
    stage: Stage,
  ) {
    const flat = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, vertexColors: true });
    const transparent = new THREE.MeshBasicMaterial({
      transparent: true,
      opacity: 0.3,
      side: THREE.DoubleSide,
      depthWrite: false,
      vertexColors: true,
      forceSinglePass: true,
    });
    const { overlay } = stage;
    this.points = new Dots(overlay);
    this.arrows = new Triangles(overlay, flat, 1);
    this.cones = new Triangles(overlay, transparent, 0);
    this.springs = new Lines(overlay, new THREE.LineBasicMaterial());
    this.joints = new Lines(overlay, new THREE.LineBasicMaterial());
    this.pullLine = new Lines(overlay, new THREE.LineBasicMaterial());
    model.on('scene', () => (this.perNewton = 0));
    stage.addLayer(this);
  }

  /** Sets the arrow length of a scene: the largest contact force or half the largest weight spans 1.3 body radii. */
  private setScale(stage: Stage): void {
    const { scene, frame } = this.model;
    if (scene === null || frame === null) return;
    const gravity = length(scene.gravity);
    let largest = 0;
    for (const body of scene.bodies) {
      if (body.motion === 'free')
        largest = Math.max(largest, 0.5 * (body.mass ?? 0) * gravity, 0.5 * length(body.force));
    }
    for (const contact of frame.contacts) largest = Math.max(largest, contact.normalForce);
    if (largest > 0) this.perNewton = (1.3 * stage.bodySize) / largest;
  }

  /** Current length of arrows (m/N). */
  metresPerNewton(): number {
    return this.perNewton * this.model.show.scale;
  }

  update(stage: Stage): void {
    const { frame, scene, show } = this.model;
    if (frame === null || scene === null) return;
    if (this.perNewton === 0) this.setScale(stage);
    const count = frame.contacts.length;
    this.pixel = 1 / stage.pixelsPerMetre();
    this.eye.copy(stage.camera.position);
    this.points.begin(count, stage.pixelRatio);
    this.arrows.begin(3 * (2 * count + scene.joints.length));
    this.cones.begin(show.cones ? SIDES * count : 0);
    for (const lines of [this.joints, this.springs, this.pullLine]) lines.begin();
    this.joints.material.color.set(stage.palette.joint);
    this.springs.material.color.set(stage.palette.spring);
    this.pullLine.material.color.set(
      this.pull?.kind === 'torque' ? stage.palette.joint : stage.palette.accent,
    );
    for (const contact of frame.contacts) this.addContact(contact, stage.palette);
    if (show.joints) {
      scene.joints.forEach((joint, i) => this.addJoint(joint, i, frame, stage.palette));
      for (const spring of scene.springs) {
        const { ends } = springForce(spring, frame);
        this.addSpring(ends[0], ends[1], 5 * this.pixel);
      }
    }
    if (this.pull !== null) this.pullLine.add(this.pull.from, this.pull.to);
    for (const buffer of [this.points, this.arrows, this.cones]) buffer.end();
    for (const lines of [this.joints, this.springs, this.pullLine]) lines.end();
  }

  /** The point, arrows and cone of a contact; contacts of other bodies show only their point. */
  private addContact(contact: Contact, palette: Palette): void {
    const { show, selection } = this.model;
    const selected = selection?.kind === 'contact' && selection.key === contact.key;
    const ofOtherBody =
      selection?.kind === 'body' && contact.a !== selection.index && contact.b !== selection.index;
    const mode = palette[contact.mode];
    if (show.points) {
      this.points.add(
        contact.point,
        selected ? palette.accent : mode,
        selected ? 1.7 * POINT_PIXELS : POINT_PIXELS,
      );
    }
    if (contact.normalForce === 0 || ofOtherBody) return;
    const sign = this.model.drawnOnSecond(contact) ? -1 : 1;
    const normal = scale(sign * contact.normalForce, contact.normal);
    if (show.normals) this.addArrow(contact.point, normal, palette.normal);
    if (show.friction) this.addArrow(contact.point, scale(sign, contact.friction), mode);
    if (show.cones) this.addCone(contact, sign);
  }

  /** A line between the joint frames, their axes and the joint force. */
  private addJoint(joint: JointInfo, index: number, frame: Frame, palette: Palette): void {
    const body = frame.bodies[joint.a];
    if (body === undefined) return;
    const at = add(body.position, rotate(body.rotation, joint.frame_a.position));
    const other = joint.b === null ? undefined : frame.bodies[joint.b];
    const end = other
      ? add(other.position, rotate(other.rotation, joint.frame_b.position))
      : joint.frame_b.position;
    this.joints.add(at, end);
    for (const axis of AXES) {
      const arm = scale(
        (axis[2] === 1 && joint.kind !== 'ball' ? 14 : 5) * this.pixel,
        rotate(body.rotation, rotate(joint.frame_a.rotation, axis)),
      );
      this.joints.add(add(at, arm), add(at, scale(-1, arm)));
    }
    this.addArrow(at, frame.joints[index]?.force ?? [0, 0, 0], palette.joint);
  }

  /** A flat arrow that faces the camera. */
  private addArrow(from: Vec3, force: Vec3, colour: number): void {
    const { pixel } = this;
    const size = length(force);
    const long = size * this.metresPerNewton();
    if (!(long > 1.5 * pixel)) return;
    const [start, along, side, neck, tip, a, b, c] = this.v as [
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
    ];
    start.fromArray(from);
    along.fromArray(force).divideScalar(size);
    side.subVectors(this.eye, start).cross(along);
    if (side.lengthSq() === 0) side.set(1, 0, 0);
    side.normalize();
    const head = Math.min(HEAD_PIXELS * pixel, 0.55 * long);
    const halfWidth = (SHAFT_PIXELS * pixel * head) / (HEAD_PIXELS * pixel);
    this.colour.set(colour);
    neck.copy(start).addScaledVector(along, long - head);
    tip.copy(start).addScaledVector(along, long);
    this.arrows.add(
      tip,
      a.copy(neck).addScaledVector(side, 0.42 * head),
      b.copy(neck).addScaledVector(side, -0.42 * head),
      this.colour,
    );
    a.copy(start).addScaledVector(side, halfWidth);
    b.copy(start).addScaledVector(side, -halfWidth);
    c.copy(neck).addScaledVector(side, -halfWidth);
    this.arrows.add(a, b, c, this.colour);
    this.arrows.add(a, c, b.copy(neck).addScaledVector(side, halfWidth), this.colour);
  }

  /** The friction cone, as high as the normal arrow. */
  private addCone(contact: Contact, sign: number): void {
    const mu = contact.mode === 'slips' ? contact.muDynamic : contact.muStatic;
    const height = contact.normalForce * this.metresPerNewton();
    if (!(mu > 0) || !(height > 0)) return;
    const [apex, axis, u, w, centre, a, b] = this.v as [
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
    ];
    marginColour(contact.margin, this.colour);
    apex.fromArray(contact.point);
    axis.fromArray(contact.normal).multiplyScalar(sign);
    u.fromArray(perpendicular(contact.normal));
    w.crossVectors(axis, u);
    centre.copy(apex).addScaledVector(axis, height);
    const rim = (into: THREE.Vector3, i: number) =>
      into
        .copy(centre)
        .addScaledVector(u, mu * height * Math.cos((2 * Math.PI * i) / SIDES))
        .addScaledVector(w, mu * height * Math.sin((2 * Math.PI * i) / SIDES));
    for (let i = 0; i < SIDES; i++) this.cones.add(apex, rim(a, i), rim(b, i + 1), this.colour);
  }

  /** A zigzag line. */
  private addSpring(a: Vec3, b: Vec3, width: number): void {
    const along: Vec3 = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const side = new THREE.Vector3(...along)
      .cross(new THREE.Vector3(0.31, 0.95, 0.1))
      .normalize()
      .multiplyScalar(width)
      .toArray() as Vec3;
    const turns = 12;
    let last = a;
    for (let i = 1; i <= turns; i++) {
      const swing = i < 2 || i > turns - 2 ? 0 : i % 2 === 0 ? 1 : -1;
      const next = add(add(a, scale(i / turns, along)), scale(swing, side));
      this.springs.add(last, next);
      last = next;
    }
  }
}
