// All solids of a scene in three draws (faces, edges, shadows on the ground), moved by the processor:
// without a graphics card every draw call costs more than the vertices in it.

import * as THREE from 'three';
import type { BodyState, Scene } from './frame';
import { makeSolid } from './shapes';
import type { Vec3 } from './vec';

/** More parts than this are drawn without edges. */
const EDGED = 400;

export interface Ground {
  normal: THREE.Vector3;
  /** Of the plane along its normal. */
  offset: number;
}

interface Range {
  faces: [number, number];
  lines: [number, number];
}

/** Vertices in body frames and where they are now. */
class Cloud {
  readonly local: Float32Array;
  readonly now: THREE.BufferAttribute;
  readonly colours: THREE.BufferAttribute;

  constructor(points: number[]) {
    this.local = Float32Array.from(points);
    const make = () =>
      new THREE.BufferAttribute(new Float32Array(points.length), 3).setUsage(THREE.DynamicDrawUsage);
    [this.now, this.colours] = [make(), make()];
  }
}

export class Solids {
  readonly group = new THREE.Group();
  readonly mesh: THREE.Mesh;
  readonly edges: THREE.LineSegments;
  readonly shade: THREE.Mesh;
  readonly faceMaterial: THREE.MeshBasicMaterial | THREE.MeshLambertMaterial;
  private readonly edgeMaterial = new THREE.LineBasicMaterial({ vertexColors: true });
  private readonly ranges: Range[] = [];
  private readonly faces: Cloud;
  private readonly lines: Cloud;
  private readonly localNormals: Float32Array;
  private readonly normals: THREE.BufferAttribute;
  private readonly faceBodies: Uint32Array;
  private readonly index: number[];
  private readonly poses: Float64Array;
  private colours: THREE.Color[] = [];
  private dirty = true;

  /** With lit the light is worked out at the vertices; else by the material, with shadows on each other. */
  constructor(
    scene: Scene,
    private readonly lit: boolean,
    private readonly light: THREE.Vector3,
    shadeMaterial: THREE.Material,
  ) {
    const [points, normals, lines, index, faceBodies] = [[], [], [], [], []] as number[][] as [
      number[],
      number[],
      number[],
      number[],
      number[],
    ];
    const count = scene.bodies.reduce((sum, body) => sum + body.parts.length, 0);
    const at = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    scene.bodies.forEach((body, which) => {
      const range: Range = { faces: [points.length / 3, 0], lines: [lines.length / 3, 0] };
      for (const part of body.parts) {
        const solid = makeSolid(part.shape);
        if (solid === null) continue;
        turn.fromArray(part.rotation);
        const first = points.length / 3;
        const { position, normal } = solid.geometry.attributes as {
          position: THREE.BufferAttribute;
          normal: THREE.BufferAttribute;
        };
        for (let i = 0; i < position.count; i++) {
          at.fromBufferAttribute(position, i).applyQuaternion(turn);
          points.push(at.x + part.position[0], at.y + part.position[1], at.z + part.position[2]);
          at.fromBufferAttribute(normal, i).applyQuaternion(turn);
          normals.push(at.x, at.y, at.z);
        }
        const corners = solid.geometry.index;
        const corner = (i: number) => first + (corners === null ? i : corners.getX(i));
        const total = corners === null ? position.count : corners.count;
        for (let i = 0; i < total; i++) index.push(corner(i));
        for (let i = 0; i < total; i += 3) faceBodies.push(which);
        if (count <= EDGED) {
          const ends = solid.edges.attributes['position'] as THREE.BufferAttribute;
          for (let i = 0; i < ends.count; i++) {
            at.fromBufferAttribute(ends, i).applyQuaternion(turn);
            lines.push(at.x + part.position[0], at.y + part.position[1], at.z + part.position[2]);
          }
        }
      }
      range.faces[1] = points.length / 3;
      range.lines[1] = lines.length / 3;
      this.ranges.push(range);
    });
    this.faces = new Cloud(points);
    this.lines = new Cloud(lines);
    this.localNormals = Float32Array.from(normals);
    this.normals = new THREE.BufferAttribute(new Float32Array(normals.length), 3).setUsage(
      THREE.DynamicDrawUsage,
    );
    this.index = index;
    this.faceBodies = Uint32Array.from(faceBodies);
    this.poses = new Float64Array(7 * scene.bodies.length).fill(NaN);

    // Faces a little behind their edges.
    const look = { vertexColors: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 };
    this.faceMaterial = lit ? new THREE.MeshBasicMaterial(look) : new THREE.MeshLambertMaterial(look);
    const everywhere = new THREE.Sphere(new THREE.Vector3(), Infinity);
    const geometry = new THREE.BufferGeometry().setIndex(index);
    geometry.setAttribute('position', this.faces.now);
    geometry.setAttribute('color', this.faces.colours);
    if (!lit) geometry.setAttribute('normal', this.normals);
    geometry.boundingSphere = everywhere;
    this.mesh = new THREE.Mesh(geometry, this.faceMaterial);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    const edges = new THREE.BufferGeometry();
    edges.setAttribute('position', this.lines.now);
    edges.setAttribute('color', this.lines.colours);
    this.edges = new THREE.LineSegments(edges, this.edgeMaterial);
    this.shade = new THREE.Mesh(new THREE.BufferGeometry(), shadeMaterial);
    this.shade.renderOrder = -3;
    for (const object of [this.mesh, this.edges, this.shade]) {
      object.frustumCulled = false;
      this.group.add(object);
    }
  }

  dispose(): void {
    for (const { geometry } of [this.mesh, this.edges, this.shade]) geometry.dispose();
    this.faceMaterial.dispose();
    this.edgeMaterial.dispose();
  }

  bodyOf(face: number): number {
    return this.faceBodies[face] ?? -1;
  }

  /** Colours of the faces and edges of every body. */
  paint(faces: THREE.Color[], edges: THREE.Color[]): void {
    this.colours = faces;
    this.ranges.forEach(({ faces: [from, to], lines: [first, last] }, body) => {
      for (let i = from; i < to; i++) faces[body]!.toArray(this.faces.colours.array, 3 * i);
      for (let i = first; i < last; i++) edges[body]!.toArray(this.lines.colours.array, 3 * i);
    });
    this.faces.colours.needsUpdate = this.lines.colours.needsUpdate = true;
    this.dirty = true;
  }

  /** Puts every body where it is; true where anything moved. */
  place(bodies: BodyState[]): boolean {
    let moved = false;
    this.ranges.forEach((range, body) => {
      const state = bodies[body];
      if (state === undefined || range.faces[0] === range.faces[1]) return;
      const pose = [...state.position, ...state.rotation];
      if (!this.dirty && pose.every((value, i) => value === this.poses[7 * body + i])) return;
      this.poses.set(pose, 7 * body);
      this.move(range, state, this.colours[body]);
      moved = true;
    });
    this.dirty = false;
    if (moved) {
      this.faces.now.needsUpdate = this.lines.now.needsUpdate = true;
      if (this.lit) this.faces.colours.needsUpdate = true;
      else this.normals.needsUpdate = true;
    }
    return moved;
  }

  private move(
    { faces: [from, to], lines: [first, last] }: Range,
    { position: [px, py, pz], rotation: [x, y, z, w] }: BodyState,
    colour: THREE.Color | undefined,
  ): void {
    const [xx, xy, xz] = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)];
    const [yx, yy, yz] = [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)];
    const [zx, zy, zz] = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
    const put = (
      local: Float32Array,
      out: THREE.TypedArray,
      low: number,
      high: number,
      ox: number,
      oy: number,
      oz: number,
    ) => {
      for (let k = 3 * low; k < 3 * high; k += 3) {
        const [a, b, c] = [local[k]!, local[k + 1]!, local[k + 2]!];
        out[k] = xx * a + xy * b + xz * c + ox;
        out[k + 1] = yx * a + yy * b + yz * c + oy;
        out[k + 2] = zx * a + zy * b + zz * c + oz;
      }
    };
    put(this.faces.local, this.faces.now.array, from, to, px, py, pz);
    put(this.lines.local, this.lines.now.array, first, last, px, py, pz);
    put(this.localNormals, this.normals.array, from, to, 0, 0, 0);
    if (!this.lit || colour === undefined) return;
    const { x: lx, y: ly, z: lz } = this.light;
    const [normals, colours] = [this.normals.array, this.faces.colours.array];
    for (let k = 3 * from; k < 3 * to; k += 3) {
      const [a, b, c] = [normals[k]!, normals[k + 1]!, normals[k + 2]!];
      const shine = 0.66 + 0.1 * c + 0.36 * Math.max(0, a * lx + b * ly + c * lz);
      colours[k] = Math.min(1, colour.r * shine);
      colours[k + 1] = Math.min(1, colour.g * shine);
      colours[k + 2] = Math.min(1, colour.b * shine);
    }
  }

  /** Whether anything reaches below a plane. */
  below(normal: THREE.Vector3, offset: number, by: number): boolean {
    const points = this.faces.now.array;
    for (let k = 0; k < points.length; k += 3) {
      if (normal.x * points[k]! + normal.y * points[k + 1]! + normal.z * points[k + 2]! < offset - by)
        return true;
    }
    return false;
  }

  /** Presses every solid flat onto the grounds along the light. */
  cast(grounds: Ground[]): void {
    const facing = grounds.filter(({ normal }) => normal.dot(this.light) > 0.05);
    const count = this.faces.local.length;
    const { geometry } = this.shade;
    let out = geometry.attributes['position'] as THREE.BufferAttribute | undefined;
    if (out === undefined || out.array.length !== facing.length * count) {
      geometry.dispose();
      const fresh = new THREE.BufferGeometry();
      out = new THREE.BufferAttribute(new Float32Array(facing.length * count), 3).setUsage(
        THREE.DynamicDrawUsage,
      );
      fresh.setAttribute('position', out);
      fresh.setIndex(facing.flatMap((_, i) => this.index.map((corner) => corner + (i * count) / 3)));
      this.shade.geometry = fresh;
    }
    const [points, flat] = [this.faces.now.array, out.array];
    facing.forEach(({ normal, offset }, i) => {
      const [lx, ly, lz] = this.light.toArray() as Vec3;
      const down = normal.dot(this.light);
      for (let k = 0, o = i * count; k < count; k += 3, o += 3) {
        const [a, b, c] = [points[k]!, points[k + 1]!, points[k + 2]!];
        const far = Math.max(0, normal.x * a + normal.y * b + normal.z * c - offset) / down;
        flat[o] = a - far * lx;
        flat[o + 1] = b - far * ly;
        flat[o + 2] = c - far * lz;
      }
    });
    out.needsUpdate = true;
  }
}
