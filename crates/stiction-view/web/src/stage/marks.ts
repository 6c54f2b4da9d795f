// The marks of the overlay as flat triangles that face the camera: arrows, arcs, rings, ribbons, cones.

import * as THREE from 'three';
import type { Vec3 } from '../data/vec';
import { Triangles } from './buffers';
import type { CameraRig } from './camera';

/** Sides of a drawn circle. */
const SIDES = 20;
const SHAFT_PIXELS = 1.7;
const HEAD_PIXELS = 11;
/** Radius of the arc of a torque (pixels), and how much of a turn it spans. */
const ARC_PIXELS = 24;
const ARC = 0.72;

export class Marks {
  private readonly flat: Triangles;
  private readonly transparent: Triangles;
  private readonly colour = new THREE.Color();
  /** Scratch vectors. */
  private readonly v = Array.from({ length: 8 }, () => new THREE.Vector3());

  constructor(
    parent: THREE.Object3D,
    private readonly rig: CameraRig,
  ) {
    const look = { side: THREE.DoubleSide, vertexColors: true } as const;
    const opaque = new THREE.MeshBasicMaterial({ ...look, depthTest: false, depthWrite: false });
    const transparent = new THREE.MeshBasicMaterial({
      ...look,
      transparent: true,
      opacity: 0.3,
      depthWrite: false,
      forceSinglePass: true,
    });
    this.flat = new Triangles(parent, opaque, 3);
    this.transparent = new Triangles(parent, transparent, 0);
  }

  begin(arrows: number, cones: number): void {
    this.flat.begin(arrows);
    this.transparent.begin(SIDES * cones);
  }

  end(): void {
    this.flat.end();
    this.transparent.end();
  }

  /** The size of a pixel at a point (m). */
  pixel(at: THREE.Vector3): number {
    return 1 / this.rig.pixelsPerMetre(at);
  }

  /** A vector across a line that is seen from the side. */
  private across(at: THREE.Vector3, along: THREE.Vector3, into: THREE.Vector3): THREE.Vector3 {
    this.rig.towardsEye(at, into).cross(along);
    if (into.lengthSq() < 1e-24) into.set(1, 0, 0);
    return into.normalize();
  }

  /** An arrow along a vector of a length (m); returns the position of its tip. */
  arrow(from: Vec3, direction: Vec3, long: number, colour: number, pixels = SHAFT_PIXELS): void {
    const [start, along, side, neck, tip, a, b, c] = this.v as Scratch;
    start.fromArray(from);
    along.fromArray(direction).normalize();
    const pixel = this.pixel(start);
    if (!(long > 1.5 * pixel)) return;
    this.across(start, along, side);
    const head = Math.min(HEAD_PIXELS * pixel, 0.55 * long);
    const halfWidth = (pixels * head) / HEAD_PIXELS;
    this.colour.set(colour);
    neck.copy(start).addScaledVector(along, long - head);
    tip.copy(start).addScaledVector(along, long);
    this.flat.add(
      tip,
      a.copy(neck).addScaledVector(side, 0.42 * head),
      b.copy(neck).addScaledVector(side, -0.42 * head),
      this.colour,
    );
    a.copy(start).addScaledVector(side, halfWidth);
    b.copy(start).addScaledVector(side, -halfWidth);
    c.copy(neck).addScaledVector(side, -halfWidth);
    this.flat.add(a, b, c, this.colour);
    this.flat.add(a, c, b.copy(neck).addScaledVector(side, halfWidth), this.colour);
  }

  /** A band of a width in pixels from one point to another. */
  ribbon(from: Vec3, to: Vec3, pixels: number, colour: number): void {
    const [start, end, side, a, b, c, d, along] = this.v as Scratch;
    start.fromArray(from);
    end.fromArray(to);
    along.subVectors(end, start);
    this.across(start, along, side).multiplyScalar((pixels / 2) * this.pixel(start));
    this.colour.set(colour);
    a.copy(start).add(side);
    b.copy(start).sub(side);
    c.copy(end).add(side);
    d.copy(end).sub(side);
    this.flat.add(a, b, c, this.colour);
    this.flat.add(b, d, c, this.colour);
  }

  /** An arc with a head that turns about an axis. */
  arc(at: Vec3, axis: Vec3, colour: number): void {
    const [centre, normal, u, w, a, b, c, d] = this.v as Scratch;
    centre.fromArray(at);
    normal.fromArray(axis).normalize();
    const pixel = this.pixel(centre);
    this.basis(normal, u, w);
    this.colour.set(colour);
    const point = (into: THREE.Vector3, part: number, radius: number) =>
      into
        .copy(centre)
        .addScaledVector(u, radius * pixel * Math.cos(2 * Math.PI * part))
        .addScaledVector(w, radius * pixel * Math.sin(2 * Math.PI * part));
    const [inner, outer] = [ARC_PIXELS - SHAFT_PIXELS, ARC_PIXELS + SHAFT_PIXELS];
    const last = ARC - 0.08;
    const pieces = 16;
    for (let i = 0; i < pieces; i++) {
      const [from, to] = [(last * i) / pieces, (last * (i + 1)) / pieces];
      point(a, from, inner);
      point(b, from, outer);
      point(c, to, inner);
      point(d, to, outer);
      this.flat.add(a, b, c, this.colour);
      this.flat.add(b, d, c, this.colour);
    }
    point(a, last, ARC_PIXELS - 6);
    point(b, last, ARC_PIXELS + 6);
    this.flat.add(a, b, point(c, ARC, ARC_PIXELS), this.colour);
  }

  /** A ring with a disc inside, in the plane of an axis or facing the camera. */
  pin(at: Vec3, axis: Vec3 | null, radius: number, ring: number, disc: number): void {
    const [centre, normal, u, w, a, b] = this.v as Scratch;
    centre.fromArray(at);
    if (axis === null) this.rig.towardsEye(centre, normal);
    else normal.fromArray(axis);
    this.basis(normal.normalize(), u, w);
    for (const [size, colour] of [
      [radius, ring],
      [0.55 * radius, disc],
    ] as const) {
      this.colour.set(colour);
      const rim = (into: THREE.Vector3, i: number) =>
        into
          .copy(centre)
          .addScaledVector(u, size * Math.cos((2 * Math.PI * i) / SIDES))
          .addScaledVector(w, size * Math.sin((2 * Math.PI * i) / SIDES));
      for (let i = 0; i < SIDES; i++) this.flat.add(centre, rim(a, i), rim(b, i + 1), this.colour);
    }
  }

  /** A friction cone of a height (m) about an axis. */
  cone(at: Vec3, axis: Vec3, mu: number, height: number, colour: THREE.Color): void {
    const [apex, normal, u, w, centre, a, b] = this.v as Scratch;
    apex.fromArray(at);
    normal.fromArray(axis);
    this.basis(normal, u, w);
    centre.copy(apex).addScaledVector(normal, height);
    const rim = (into: THREE.Vector3, i: number) =>
      into
        .copy(centre)
        .addScaledVector(u, mu * height * Math.cos((2 * Math.PI * i) / SIDES))
        .addScaledVector(w, mu * height * Math.sin((2 * Math.PI * i) / SIDES));
    for (let i = 0; i < SIDES; i++) this.transparent.add(apex, rim(a, i), rim(b, i + 1), colour);
  }

  /** Two unit vectors across a unit vector. */
  private basis(normal: THREE.Vector3, u: THREE.Vector3, w: THREE.Vector3): void {
    u.set(Math.abs(normal.x) < 0.6 ? 1 : 0, Math.abs(normal.x) < 0.6 ? 0 : 1, 0)
      .cross(normal)
      .normalize();
    w.crossVectors(normal, u);
  }
}

type Scratch = [
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
  THREE.Vector3,
];
