// Contact points, force arrows and friction cones, instanced; joints, springs and the pull of the mouse as lines.

import * as THREE from 'three';
import { springForce } from './forces';
import type { Contact } from './frame';
import type { Model } from './model';
import type { Stage } from './stage';
import { type Vec3, add, length, rotate, scale } from './vec';

const UP = new THREE.Vector3(0, 1, 0);
/** Across, with its rim. */
const POINT_PIXELS = 9;
const SHAFT_PIXELS = 1.6;
const HEAD_PIXELS = 11;

/** Instances of one shape that grow as needed. */
class Swarm {
  private mesh: THREE.InstancedMesh;
  private count = 0;
  private readonly colour = new THREE.Color();

  constructor(
    private readonly parent: THREE.Object3D,
    private readonly geometry: THREE.BufferGeometry,
    private readonly material: THREE.Material,
    private readonly order: number,
  ) {
    this.mesh = this.grow(64);
  }

  private grow(capacity: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.setColorAt(0, this.colour);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.count = 0;
    this.parent.add(mesh);
    return mesh;
  }

  begin(expected: number): void {
    this.count = 0;
    if (expected <= this.mesh.instanceMatrix.count) return;
    this.parent.remove(this.mesh);
    this.mesh.dispose();
    this.mesh = this.grow(Math.max(expected, 2 * this.mesh.instanceMatrix.count));
  }

  add(matrix: THREE.Matrix4, colour: number | THREE.Color): void {
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count, this.colour.set(colour));
    this.count++;
  }

  end(): void {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor !== null) this.mesh.instanceColor.needsUpdate = true;
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
    const make = (size: number) => new THREE.BufferAttribute(new Float32Array(size * room), size).setUsage(THREE.DynamicDrawUsage);
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

  constructor(parent: THREE.Object3D, readonly material: THREE.LineBasicMaterial) {
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
      geometry.setAttribute('position', new THREE.BufferAttribute(this.points, 3).setUsage(THREE.DynamicDrawUsage));
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
  private readonly shafts: Swarm;
  private readonly heads: Swarm;
  private readonly cones: Swarm;
  private readonly springs: Strokes;
  private readonly joints: Strokes;
  private readonly rope: Strokes;
  /** Metres of arrow per newton. */
  private perNewton = 0.01;
  private readonly matrix = new THREE.Matrix4();
  private readonly at = new THREE.Vector3();
  private readonly stretch = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  private readonly direction = new THREE.Vector3();
  private readonly colour = new THREE.Color();

  constructor(
    private readonly model: Model,
    stage: Stage,
  ) {
    const flat = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
    const through = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.3, side: THREE.DoubleSide, depthWrite: false });
    const { overlay } = stage;
    this.points = new Dots(overlay);
    this.shafts = new Swarm(overlay, new THREE.CylinderGeometry(1, 1, 1, 4, 1, true).translate(0, 0.5, 0), flat, 1);
    this.heads = new Swarm(overlay, new THREE.ConeGeometry(1, 1, 8, 1, true).translate(0, -0.5, 0), flat, 1);
    this.cones = new Swarm(overlay, new THREE.ConeGeometry(1, 1, 24, 1, true).rotateX(Math.PI).translate(0, 0.5, 0), through, 0);
    this.springs = new Strokes(overlay, new THREE.LineBasicMaterial());
    this.joints = new Strokes(overlay, new THREE.LineBasicMaterial());
    this.rope = new Strokes(overlay, new THREE.LineBasicMaterial());
    model.on('scene', () => (this.perNewton = 0));
    stage.addLayer(this);
  }

  /** One length for a scene: the weight of its heaviest free body is as long as its bodies are big. */
  private measure(stage: Stage): void {
    const { scene, frame } = this.model;
    if (scene === null || frame === null) return;
    const gravity = length(scene.gravity);
    let most = 0;
    for (const body of scene.bodies) {
      if (body.motion === 'free') most = Math.max(most, (body.mass ?? 0) * gravity, length(body.force));
    }
    if (most === 0) for (const contact of frame.contacts) most = Math.max(most, contact.normalForce);
    if (most > 0) this.perNewton = (0.55 * stage.size) / most;
  }

  update(stage: Stage): void {
    const { frame, scene, show, selection } = this.model;
    if (frame === null || scene === null) return;
    if (this.perNewton === 0) this.measure(stage);
    const pixel = 1 / stage.pixelsPerMetre();
    const perNewton = this.perNewton * show.scale;
    const { palette } = stage;
    const count = frame.contacts.length;
    this.points.begin(count, stage.pixelRatio);
    this.shafts.begin(2 * count + scene.joints.length);
    this.heads.begin(2 * count + scene.joints.length);
    this.cones.begin(count);
    for (const contact of frame.contacts) {
      const chosen = selection?.kind === 'contact' && selection.key === contact.key;
      const faded = selection?.kind === 'body' && contact.a !== selection.index && contact.b !== selection.index;
      const mode = palette[contact.mode];
      if (show.points) {
        this.points.add(contact.point, chosen ? palette.accent : mode, chosen ? 1.7 * POINT_PIXELS : POINT_PIXELS);
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
        const far = other ? add(other.position, rotate(other.rotation, joint.frame_b.position)) : joint.frame_b.position;
        this.joints.line(at, far);
        for (const axis of [[1, 0, 0], [0, 1, 0], [0, 0, 1]] as Vec3[]) {
          const arm = scale((axis[2] === 1 && joint.kind !== 'ball' ? 14 : 5) * pixel, rotate(body.rotation, rotate(joint.frame_a.rotation, axis)));
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
    for (const swarm of [this.points, this.shafts, this.heads, this.cones]) swarm.end();
    for (const strokes of [this.joints, this.springs, this.rope]) strokes.end();
  }

  private arrow(from: Vec3, force: Vec3, perNewton: number, pixel: number, colour: number): void {
    const size = length(force);
    const long = size * perNewton;
    if (!(long > 1.5 * pixel)) return;
    this.direction.fromArray(force).divideScalar(size);
    this.turn.setFromUnitVectors(UP, this.direction);
    const head = Math.min(HEAD_PIXELS * pixel, 0.5 * long);
    const thin = Math.min(1, (2 * head) / (HEAD_PIXELS * pixel)) * pixel;
    this.at.fromArray(from);
    this.matrix.compose(this.at, this.turn, this.stretch.set(SHAFT_PIXELS * thin, long - 0.8 * head, SHAFT_PIXELS * thin));
    this.shafts.add(this.matrix, colour);
    this.at.addScaledVector(this.direction, long);
    this.matrix.compose(this.at, this.turn, this.stretch.set(0.38 * head, head, 0.38 * head));
    this.heads.add(this.matrix, colour);
  }

  private cone(contact: Contact, sign: number, perNewton: number): void {
    const mu = contact.mode === 'slips' ? contact.muDynamic : contact.muStatic;
    const high = contact.normalForce * perNewton;
    if (!(mu > 0) || !(high > 0)) return;
    this.direction.fromArray(contact.normal).multiplyScalar(sign);
    this.turn.setFromUnitVectors(UP, this.direction);
    this.matrix.compose(this.at.fromArray(contact.point), this.turn, this.stretch.set(mu * high, high, mu * high));
    this.cones.add(this.matrix, marginColour(contact.margin, this.colour));
  }

  private coil(a: Vec3, b: Vec3, width: number): void {
    const along: Vec3 = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const side = new THREE.Vector3(...along).cross(new THREE.Vector3(0.31, 0.95, 0.1)).normalize().multiplyScalar(width).toArray() as Vec3;
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
