// The overlay of the stage: contact points, force arrows, friction cones, joints, springs and the pull of the mouse.

import * as THREE from 'three';
import { springForce } from '../data/forces';
import type { Contact, Frame, JointInfo, Scene } from '../data/frame';
import type { Model } from '../data/model';
import { add, length, rotate, scale, type Vec3 } from '../data/vec';
import type { Palette } from '../page/theme';
import { Dots, Lines } from './buffers';
import { type ArrowKind, loadsOf } from './loads';
import { Marks } from './marks';
import { reference } from './scale';
import type { Stage } from './stage';

/** Diameter of a contact point as a fraction of the size of a body; the selected one is larger. */
const POINT_SIZE = 0.1;
/** Longest arrow as a fraction of the smaller side of the picture. */
const LONGEST = 0.25;
/** Length of the arrow of the reference force: in sizes of a body, and its limits as fractions of the picture. */
const BODY_SIZES = 2.4;
const REFERENCE = [0.05, 0.2] as const;
/** Height of a friction cone (pixels). */
const CONE_PIXELS = 80;
/** Radius of a pin: fraction of the smaller of its two bodies, and its limits (pixels). */
const PIN_SIZE = 0.1;
const PIN_PIXELS = [4, 11] as const;
/** Width of the line of a pull, and of its arrow (pixels). */
const PULL_PIXELS = 5;

/** Colour of a friction margin: red at 0, amber at a third, green at 1. */
export function marginColour(margin: number, into = new THREE.Color()): THREE.Color {
  const fraction = Number.isNaN(margin) ? 1 : Math.max(0, Math.min(1, margin));
  return into.setHSL((0.012 + 0.38 * Math.min(1, fraction * 1.15)) % 1, 0.72, 0.45);
}

export class Arrows {
  /** The pull of the mouse: from a point on the body to a point in the world. */
  pull: { from: Vec3; to: Vec3; kind: 'force' | 'torque' } | null = null;
  /** The force whose arrow the legend shows (N); 0 before the first force. */
  referenceForce = 0;
  /** What the last picture shows, for tests: arrows, those that were cut, those that end outside, the longest (pixels). */
  drawn = { arrows: 0, cut: 0, outside: 0, longest: 0, torques: 0, points: 0, cones: 0 };
  private readonly points: Dots;
  private readonly marks: Marks;
  private readonly springs: Lines;
  private readonly joints: Lines;
  /** Length of the arrow of one newton, and the greatest length (m, at the target). */
  private perNewton = 0;
  private longest = 0;

  constructor(
    private readonly model: Model,
    stage: Stage,
  ) {
    const { overlay } = stage;
    this.points = new Dots(overlay);
    this.marks = new Marks(overlay, stage.rig);
    this.springs = new Lines(overlay, new THREE.LineBasicMaterial());
    this.joints = new Lines(overlay, new THREE.LineBasicMaterial());
    model.on('scene', () => (this.referenceForce = 0));
    stage.addLayer(this);
  }

  /** Current length of arrows (m/N). */
  metresPerNewton(): number {
    return this.perNewton;
  }

  update(stage: Stage): void {
    const { frame, scene, show } = this.model;
    if (frame === null || scene === null) return;
    const { palette } = stage;
    const loads = loadsOf(this.model);
    this.setScale(
      stage,
      loads.forces.map(({ force }) => length(force)),
    );
    const cones = frame.contacts.filter((contact) => this.hasCone(contact));
    const rings = show.joints ? 80 * scene.joints.length : 0;
    this.marks.begin(3 * loads.forces.length + 40 * loads.torques.length + rings + 16, cones.length);
    this.drawn = { arrows: 0, cut: 0, outside: 0, longest: 0, torques: 0, points: 0, cones: cones.length };
    this.addPoints(stage, frame);
    for (const lines of [this.joints, this.springs]) lines.begin();
    this.joints.material.color.set(palette.joint);
    this.springs.material.color.set(palette.spring);
    if (show.joints) {
      scene.joints.forEach((joint) => this.addJoint(stage, scene, joint, frame));
      for (const spring of scene.springs) {
        const { ends } = springForce(spring, frame);
        this.addSpring(ends[0], ends[1], 5 / stage.pixelsPerMetre());
      }
    }
    for (const { kind, at, force } of loads.forces) this.addForce(stage, at, force, kind);
    this.drawn.torques = loads.torques.length;
    for (const { kind, at, torque } of loads.torques) this.marks.arc(at, torque, colourOf(palette, kind));
    for (const contact of cones) this.addCone(stage, contact);
    this.addPull(palette);
    for (const buffer of [this.points, this.marks, this.joints, this.springs]) buffer.end();
  }

  /** The reference force gets a length that suits bodies and picture. */
  private setScale(stage: Stage, sizes: number[]): void {
    this.referenceForce = reference(sizes, this.referenceForce);
    const { width, height } = stage.size();
    const side = Math.min(width, height) / stage.pixelsPerMetre();
    const [least, most] = REFERENCE;
    const long = Math.max(least * side, Math.min(most * side, BODY_SIZES * stage.bodySize));
    this.longest = LONGEST * side;
    this.perNewton = this.referenceForce > 0 ? (this.model.show.scale * long) / this.referenceForce : 0;
  }

  private addForce(stage: Stage, at: Vec3, force: Vec3, kind: ArrowKind): void {
    const size = length(force);
    const start = new THREE.Vector3(...at);
    // Arrows near the camera are not longer on the screen than others.
    const nearer = Math.min(1, stage.pixelsPerMetre() / stage.pixelsPerMetre(start));
    const wanted = size * this.perNewton;
    const long = Math.min(wanted, this.longest * nearer);
    this.drawn.arrows += 1;
    this.drawn.longest = Math.max(this.drawn.longest, long * stage.pixelsPerMetre(start));
    if (long < wanted) this.drawn.cut += 1;
    if (this.isOutside(stage, add(at, scale(long / size, force)))) this.drawn.outside += 1;
    this.marks.arrow(
      at,
      force,
      long,
      colourOf(stage.palette, kind),
      kind === 'pull' ? PULL_PIXELS / 2 : undefined,
    );
  }

  private isOutside(stage: Stage, point: Vec3): boolean {
    const at = new THREE.Vector3(...point).project(stage.camera);
    return Math.max(Math.abs(at.x), Math.abs(at.y)) > 1;
  }

  private addPoints(stage: Stage, frame: Frame): void {
    const { show, selection } = this.model;
    const { palette } = stage;
    const { height } = stage.size();
    this.points.begin(frame.contacts.length, stage.pixelRatio, stage.camera, height);
    const size = POINT_SIZE * 2 * stage.bodySize;
    for (const contact of frame.contacts) {
      const selected = selection?.kind === 'contact' && selection.key === contact.key;
      if (!selected && !(show.points && this.model.shows(contact))) continue;
      this.drawn.points += 1;
      this.points.add(
        contact.point,
        selected ? palette.accent : palette[contact.mode],
        selected ? 2.2 * size : size,
      );
    }
  }

  private hasCone(contact: Contact): boolean {
    const { show, selection } = this.model;
    if (show.cones === 'all') return contact.normalForce > 0;
    return show.cones === 'selected' && selection?.kind === 'contact' && selection.key === contact.key;
  }

  /** The friction cone, of a fixed height on the screen. */
  private addCone(stage: Stage, contact: Contact): void {
    const mu = contact.mode === 'slips' ? contact.muDynamic : contact.muStatic;
    if (!(mu > 0)) return;
    const sign = this.model.drawnOnSecond(contact) ? -1 : 1;
    const height = CONE_PIXELS / stage.pixelsPerMetre(new THREE.Vector3(...contact.point));
    const margin = contact.uniqueness === 'not unique' ? NaN : contact.margin;
    // A wide cone is lower, so that it is no larger than others.
    const fixed = height / Math.max(1, mu);
    this.marks.cone(contact.point, scale(sign, contact.normal), mu, fixed, marginColour(margin));
  }

  /** The pin of a joint, and its axis; a line between its frames if they are apart. */
  private addJoint(stage: Stage, scene: Scene, joint: JointInfo, frame: Frame): void {
    const body = frame.bodies[joint.a];
    if (body === undefined) return;
    const at = add(body.position, rotate(body.rotation, joint.frame_a.position));
    const other = joint.b === null ? undefined : frame.bodies[joint.b];
    const end = other
      ? add(other.position, rotate(other.rotation, joint.frame_b.position))
      : joint.frame_b.position;
    const pixel = 1 / stage.pixelsPerMetre(new THREE.Vector3(...at));
    const axis = rotate(body.rotation, rotate(joint.frame_a.rotation, [0, 0, 1]));
    const radii = [joint.a, joint.b].map((i) => (i === null ? 0 : stage.radiusOf(i))).filter((r) => r > 0);
    const [least, most] = PIN_PIXELS;
    const radius = Math.max(least * pixel, Math.min(most * pixel, PIN_SIZE * Math.min(...radii)));
    const { palette } = stage;
    const half = joint.kind === 'slider' ? 26 * pixel : 14 * pixel;
    if (joint.kind !== 'ball') this.joints.add(add(at, scale(half, axis)), add(at, scale(-half, axis)));
    const facing = joint.kind === 'hinge' || joint.kind === 'cylindrical' ? axis : null;
    if (scene.joints.length < 400) this.marks.pin(at, facing, radius, palette.joint, palette.background);
    this.joints.add(at, end);
  }

  /** A thick line from the body to the mouse. */
  private addPull(palette: Palette): void {
    if (this.pull === null) return;
    const colour = this.pull.kind === 'torque' ? palette.joint : palette.accent;
    this.marks.ribbon(this.pull.from, this.pull.to, PULL_PIXELS, colour);
    for (const end of [this.pull.from, this.pull.to]) {
      const pixel = this.marks.pixel(new THREE.Vector3(...end));
      this.marks.pin(end, null, 1.4 * PULL_PIXELS * pixel, colour, palette.background);
    }
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

const colourOf = (palette: Palette, kind: ArrowKind): number =>
  kind === 'pull' ? palette.accent : palette[kind];
