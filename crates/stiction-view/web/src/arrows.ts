// Contact points, force arrows and friction cones, each kind in one draw; joints, springs and the pull of the mouse as lines.

import * as THREE from 'three';
import { springForce } from './forces';
import type { Contact } from './frame';
import type { Model } from './model';
import type { Stage } from './stage';
import { type Vec3, add, length, perpendicular, rotate, scale } from './vec';

/** Of a drawn cone. */
const SIDES = 20;
/** Across, with its rim. */
const POINT_PIXELS = 9;
const SHAFT_PIXELS = 1.6;
const HEAD_PIXELS = 11;

/** Coloured triangles written anew on each drawing: one draw for all arrows, whatever they are made of. */
class Triangles {
  private readonly object: THREE.Mesh;
  private positions = new Float32Array(0);
  private colours = new Float32Array(0);
  private used = 0;

  constructor(parent: THREE.Object3D, material: THREE.Material, order: number) {
    this.object = new THREE.Mesh(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = order;
    parent.add(this.object);
  }

  /** With room for so many triangles. */
  begin(expected: number): void {
    this.used = 0;
    if (9 * expected <= this.positions.length) return;
    const room = Math.max(9 * 64, 18 * expected);
    [this.positions, this.colours] = [new Float32Array(room), new Float32Array(room)];
    this.object.geometry.dispose();
    this.object.geometry = new THREE.BufferGeometry();
    this.object.geometry.setAttribute(
      'position',
      new THREE.BufferAttribute(this.positions, 3).setUsage(THREE.DynamicDrawUsage),
    );
    this.object.geometry.setAttribute(
      'color',
      new THREE.BufferAttribute(this.colours, 3).setUsage(THREE.DynamicDrawUsage),
    );
  }

  add(a: THREE.Vector3, b: THREE.Vector3, c: THREE.Vector3, colour: THREE.Color): void {
    for (const corner of [a, b, c]) {
      corner.toArray(this.positions, this.used);
      colour.toArray(this.colours, this.used);
      this.used += 3;
    }
  }

  end(): void {
    const { geometry } = this.object;
    for (const attribute of Object.values(geometry.attributes))
      (attribute as THREE.BufferAttribute).needsUpdate = true;
    geometry.setDrawRange(0, this.used / 3);
    this.object.visible = this.used > 0;
  }
}

/** Round dots of a size in pixels. */
class Dots {
  private readonly object: THREE.Points;
  private positions = new THREE.BufferAttribute(new Float32Array(0), 3);
  private colours = new THREE.BufferAttribute(new Float32Array(0), 3);
  private sizes = new THREE.BufferAttribute(new Float32Array(0), 1);
  private readonly colour = new THREE.Color();
  private readonly ratio = { value: 1 };
  private count = 0;

  constructor(parent: THREE.Object3D) {
    const material = new THREE.ShaderMaterial({
      uniforms: { ratio: this.ratio },
      vertexShader: `
        attribute float size;
        attribute vec3 dye;
        uniform float ratio;
        varying vec3 vDye;
        void main() {
          vDye = dye;
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_PointSize = size * ratio;
        }`,
      fragmentShader: `
        varying vec3 vDye;
        void main() {
          vec2 off = gl_PointCoord - 0.5;
          float away = dot(off, off);
          if (away > 0.25) discard;
          gl_FragColor = vec4(away > 0.16 ? vec3(1.0) : vDye, 1.0);
        }`,
    });
    this.object = new THREE.Points(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
    parent.add(this.object);
  }

  begin(expected: number, ratio: number): void {
    this.count = 0;
    this.ratio.value = ratio;
    if (expected <= this.positions.count) return;
    const room = Math.max(64, 2 * expected);
    const make = (size: number) =>
      new THREE.BufferAttribute(new Float32Array(size * room), size).setUsage(THREE.DynamicDrawUsage);
    [this.positions, this.colours, this.sizes] = [make(3), make(3), make(1)];
    this.object.geometry.dispose();
    this.object.geometry = new THREE.BufferGeometry();
    this.object.geometry.setAttribute('position', this.positions);
    this.object.geometry.setAttribute('dye', this.colours);
    this.object.geometry.setAttribute('size', this.sizes);
  }

  add(at: Vec3, colour: number, size: number): void {
    this.positions.setXYZ(this.count, ...at);
    this.colour.set(colour).toArray(this.colours.array, 3 * this.count);
    this.sizes.setX(this.count, size);
    this.count++;
  }

  end(): void {
    for (const attribute of [this.positions, this.colours, this.sizes]) attribute.needsUpdate = true;
    this.object.geometry.setDrawRange(0, this.count);
    this.object.visible = this.count > 0;
  }
}

/** Line segments that are written anew on each drawing. */
class Strokes {
  private readonly object: THREE.LineSegments;
  private points = new Float32Array(3 * 256);
  private used = 0;

  constructor(
    parent: THREE.Object3D,
    readonly material: THREE.LineBasicMaterial,
  ) {
    this.object = new THREE.LineSegments(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 3;
    parent.add(this.object);
  }

  begin(): void {
    this.used = 0;
  }

  line(a: Vec3, b: Vec3): void {
    if (this.used + 6 > this.points.length) {
      const more = new Float32Array(2 * this.points.length);
      more.set(this.points);
      this.points = more;
    }
    this.points.set(a, this.used);
    this.points.set(b, this.used + 3);
    this.used += 6;
  }

  end(): void {
    const { geometry } = this.object;
    const old = geometry.getAttribute('position');
    if (old === undefined || old.array !== this.points) {
      geometry.setAttribute(
        'position',
        new THREE.BufferAttribute(this.points, 3).setUsage(THREE.DynamicDrawUsage),
      );
    } else old.needsUpdate = true;
    geometry.setDrawRange(0, this.used / 3);
    this.object.visible = this.used > 0;
  }
}

/** Red where nothing of the cone is left, amber at a third, green where all of it is. */
export function marginColour(margin: number, into = new THREE.Color()): THREE.Color {
  const part = Number.isNaN(margin) ? 1 : Math.max(0, Math.min(1, margin));
  return into.setHSL((0.012 + 0.38 * Math.min(1, part * 1.15)) % 1, 0.72, 0.45);
}

export class Arrows {
  /** Where the mouse pulls: the point on the body and the point of the world. */
  pull: { from: Vec3; to: Vec3; kind: 'force' | 'torque' } | null = null;
  private readonly points: Dots;
  private readonly arrows: Triangles;
  private readonly cones: Triangles;
  private readonly springs: Strokes;
  private readonly joints: Strokes;
  private readonly rope: Strokes;
  /** Metres of arrow per newton. */
  private perNewton = 0.01;
  private readonly colour = new THREE.Color();
  private readonly eye = new THREE.Vector3();
  private readonly v = Array.from({ length: 8 }, () => new THREE.Vector3());

  constructor(
    private readonly model: Model,
    stage: Stage,
  ) {
    const flat = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, vertexColors: true });
    const through = new THREE.MeshBasicMaterial({
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
    this.cones = new Triangles(overlay, through, 0);
    this.springs = new Strokes(overlay, new THREE.LineBasicMaterial());
    this.joints = new Strokes(overlay, new THREE.LineBasicMaterial());
    this.rope = new Strokes(overlay, new THREE.LineBasicMaterial());
    model.on('scene', () => (this.perNewton = 0));
    stage.addLayer(this);
  }

  /** One length for a scene: the greatest contact force, or half the greatest weight, is as long as a body is big. */
  private measure(stage: Stage): void {
    const { scene, frame } = this.model;
    if (scene === null || frame === null) return;
    const gravity = length(scene.gravity);
    let most = 0;
    for (const body of scene.bodies) {
      if (body.motion === 'free')
        most = Math.max(most, 0.5 * (body.mass ?? 0) * gravity, 0.5 * length(body.force));
    }
    for (const contact of frame.contacts) most = Math.max(most, contact.normalForce);
    if (most > 0) this.perNewton = (1.3 * stage.bodySize) / most;
  }

  /** Length of arrows now. */
  metresPerNewton(): number {
    return this.perNewton * this.model.show.scale;
  }

  update(stage: Stage): void {
    const { frame, scene, show, selection } = this.model;
    if (frame === null || scene === null) return;
    if (this.perNewton === 0) this.measure(stage);
    const pixel = 1 / stage.pixelsPerMetre();
    const perNewton = this.metresPerNewton();
    const { palette } = stage;
    const count = frame.contacts.length;
    this.points.begin(count, stage.pixelRatio);
    this.arrows.begin(3 * (2 * count + scene.joints.length));
    this.cones.begin(show.cones ? SIDES * count : 0);
    this.eye.copy(stage.camera.position);
    for (const contact of frame.contacts) {
      const chosen = selection?.kind === 'contact' && selection.key === contact.key;
      const faded =
        selection?.kind === 'body' && contact.a !== selection.index && contact.b !== selection.index;
      const mode = palette[contact.mode];
      if (show.points) {
        this.points.add(
          contact.point,
          chosen ? palette.accent : mode,
          chosen ? 1.7 * POINT_PIXELS : POINT_PIXELS,
        );
      }
      if (contact.normalForce === 0 || faded) continue;
      const sign = this.model.drawnOnSecond(contact) ? -1 : 1;
      const tip = scale(sign * contact.normalForce, contact.normal);
      if (show.normals) this.arrow(contact.point, tip, perNewton, pixel, palette.normal);
      if (show.friction) this.arrow(contact.point, scale(sign, contact.friction), perNewton, pixel, mode);
      if (show.cones) this.cone(contact, sign, perNewton);
    }
    this.joints.material.color.set(palette.joint);
    this.springs.material.color.set(palette.spring);
    this.rope.material.color.set(this.pull?.kind === 'torque' ? palette.joint : palette.accent);
    this.joints.begin();
    this.springs.begin();
    this.rope.begin();
    if (show.joints) {
      scene.joints.forEach((joint, i) => {
        const body = frame.bodies[joint.a];
        if (body === undefined) return;
        const at = add(body.position, rotate(body.rotation, joint.frame_a.position));
        const other = joint.b === null ? undefined : frame.bodies[joint.b];
        const far = other
          ? add(other.position, rotate(other.rotation, joint.frame_b.position))
          : joint.frame_b.position;
        this.joints.line(at, far);
        for (const axis of [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ] as Vec3[]) {
          const arm = scale(
            (axis[2] === 1 && joint.kind !== 'ball' ? 14 : 5) * pixel,
            rotate(body.rotation, rotate(joint.frame_a.rotation, axis)),
          );
          this.joints.line(add(at, arm), add(at, scale(-1, arm)));
        }
        this.arrow(at, frame.joints[i]?.force ?? [0, 0, 0], perNewton, pixel, palette.joint);
      });
      for (const spring of scene.springs) {
        const { ends } = springForce(spring, frame);
        this.coil(ends[0], ends[1], 5 * pixel);
      }
    }
    if (this.pull !== null) this.rope.line(this.pull.from, this.pull.to);
    for (const drawn of [this.points, this.arrows, this.cones]) drawn.end();
    for (const strokes of [this.joints, this.springs, this.rope]) strokes.end();
  }

  /** A ribbon with a head that faces the eye. */
  private arrow(from: Vec3, force: Vec3, perNewton: number, pixel: number, colour: number): void {
    const size = length(force);
    const long = size * perNewton;
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
    const thin = (SHAFT_PIXELS * pixel * head) / (HEAD_PIXELS * pixel);
    this.colour.set(colour);
    neck.copy(start).addScaledVector(along, long - head);
    tip.copy(start).addScaledVector(along, long);
    this.arrows.add(
      tip,
      a.copy(neck).addScaledVector(side, 0.42 * head),
      b.copy(neck).addScaledVector(side, -0.42 * head),
      this.colour,
    );
    a.copy(start).addScaledVector(side, thin);
    b.copy(start).addScaledVector(side, -thin);
    c.copy(neck).addScaledVector(side, -thin);
    this.arrows.add(a, b, c, this.colour);
    this.arrows.add(a, c, b.copy(neck).addScaledVector(side, thin), this.colour);
  }

  /** As high as the normal arrow is long: the force lies inside while it sticks. */
  private cone(contact: Contact, sign: number, perNewton: number): void {
    const mu = contact.mode === 'slips' ? contact.muDynamic : contact.muStatic;
    const high = contact.normalForce * perNewton;
    if (!(mu > 0) || !(high > 0)) return;
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
    centre.copy(apex).addScaledVector(axis, high);
    const rim = (into: THREE.Vector3, i: number) =>
      into
        .copy(centre)
        .addScaledVector(u, mu * high * Math.cos((2 * Math.PI * i) / SIDES))
        .addScaledVector(w, mu * high * Math.sin((2 * Math.PI * i) / SIDES));
    for (let i = 0; i < SIDES; i++) this.cones.add(apex, rim(a, i), rim(b, i + 1), this.colour);
  }

  private coil(a: Vec3, b: Vec3, width: number): void {
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
      this.springs.line(last, next);
      last = next;
    }
  }
}
