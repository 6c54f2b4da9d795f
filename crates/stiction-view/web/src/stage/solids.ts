// All solids of a scene in two draw calls: faces and edges. The CPU moves the vertices: with software rendering a draw
// call costs more than its vertices.

import * as THREE from 'three';
import type { BodyState, Part, Scene } from '../data/frame';
import { makeSolid } from './shapes';

/** Scenes with more parts are drawn without edges. */
const MAX_EDGED_PARTS = 400;

/** First and last (exclusive) vertex of a body. */
interface Range {
  faces: [number, number];
  lines: [number, number];
}

/** Vertices in body frames, with their current positions and colours. */
class VertexBuffer {
  readonly local: Float32Array;
  readonly now: THREE.BufferAttribute;
  readonly colours: THREE.BufferAttribute;

  constructor(points: number[]) {
    this.local = Float32Array.from(points);
    [this.now, this.colours] = [dynamicAttribute(points.length), dynamicAttribute(points.length)];
  }
}

const dynamicAttribute = (length: number): THREE.BufferAttribute =>
  new THREE.BufferAttribute(new Float32Array(length), 3).setUsage(THREE.DynamicDrawUsage);

/** The vertices of all bodies, in body frames. */
class Vertices {
  readonly points: number[] = [];
  readonly normals: number[] = [];
  readonly lines: number[] = [];
  readonly index: number[] = [];
  readonly faceBodies: number[] = [];
  readonly ranges: Range[] = [];

  constructor(scene: Scene) {
    const parts = scene.bodies.reduce((sum, body) => sum + body.parts.length, 0);
    scene.bodies.forEach(({ parts: own }, body) => {
      const range: Range = { faces: [this.points.length / 3, 0], lines: [this.lines.length / 3, 0] };
      for (const part of own) this.addPart(part, body, parts <= MAX_EDGED_PARTS);
      range.faces[1] = this.points.length / 3;
      range.lines[1] = this.lines.length / 3;
      this.ranges.push(range);
    });
  }

  private addPart(part: Part, body: number, withEdges: boolean): void {
    const solid = makeSolid(part.shape);
    if (solid === null) return;
    const at = new THREE.Vector3();
    const rotation = new THREE.Quaternion().fromArray(part.rotation);
    const offset = new THREE.Vector3().fromArray(part.position);
    const first = this.points.length / 3;
    const { position, normal } = solid.geometry.attributes as {
      position: THREE.BufferAttribute;
      normal: THREE.BufferAttribute;
    };
    for (let i = 0; i < position.count; i++) {
      at.fromBufferAttribute(position, i).applyQuaternion(rotation).add(offset);
      this.points.push(at.x, at.y, at.z);
      at.fromBufferAttribute(normal, i).applyQuaternion(rotation);
      this.normals.push(at.x, at.y, at.z);
    }
    const corners = solid.geometry.index;
    const total = corners === null ? position.count : corners.count;
    for (let i = 0; i < total; i++) this.index.push(first + (corners === null ? i : corners.getX(i)));
    for (let i = 0; i < total; i += 3) this.faceBodies.push(body);
    if (!withEdges) return;
    const ends = solid.edges.attributes['position'] as THREE.BufferAttribute;
    for (let i = 0; i < ends.count; i++) {
      at.fromBufferAttribute(ends, i).applyQuaternion(rotation).add(offset);
      this.lines.push(at.x, at.y, at.z);
    }
  }
}

export class Solids {
  readonly group = new THREE.Group();
  readonly mesh: THREE.Mesh;
  readonly edges: THREE.LineSegments;
  private readonly faceMaterial: THREE.MeshLambertMaterial;
  private readonly edgeMaterial = new THREE.LineBasicMaterial({ vertexColors: true });
  private readonly ranges: Range[];
  private readonly faces: VertexBuffer;
  private readonly lines: VertexBuffer;
  private readonly localNormals: Float32Array;
  private readonly normals: THREE.BufferAttribute;
  private readonly faceBodies: Uint32Array;
  private readonly poses: Float64Array;
  /** Colours of faces and edges by body. */
  private readonly painted: number[] = [];
  private readonly colour = new THREE.Color();

  constructor(scene: Scene) {
    const vertices = new Vertices(scene);
    this.ranges = vertices.ranges;
    this.faces = new VertexBuffer(vertices.points);
    this.lines = new VertexBuffer(vertices.lines);
    this.localNormals = Float32Array.from(vertices.normals);
    this.normals = dynamicAttribute(vertices.normals.length);
    this.faceBodies = Uint32Array.from(vertices.faceBodies);
    this.poses = new Float64Array(7 * scene.bodies.length).fill(NaN);

    // The offset keeps faces behind their edges.
    const look = { vertexColors: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 };
    this.faceMaterial = new THREE.MeshLambertMaterial({ ...look, shadowSide: THREE.BackSide });
    const geometry = new THREE.BufferGeometry().setIndex(vertices.index);
    geometry.setAttribute('position', this.faces.now);
    geometry.setAttribute('color', this.faces.colours);
    geometry.setAttribute('normal', this.normals);
    geometry.boundingSphere = new THREE.Sphere(new THREE.Vector3(), Infinity);
    this.mesh = new THREE.Mesh(geometry, this.faceMaterial);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    const edges = new THREE.BufferGeometry();
    edges.setAttribute('position', this.lines.now);
    edges.setAttribute('color', this.lines.colours);
    this.edges = new THREE.LineSegments(edges, this.edgeMaterial);
    for (const object of [this.mesh, this.edges]) {
      object.frustumCulled = false;
      this.group.add(object);
    }
  }

  dispose(): void {
    for (const { geometry } of [this.mesh, this.edges]) geometry.dispose();
    this.faceMaterial.dispose();
    this.edgeMaterial.dispose();
  }

  /** The body of a triangle. */
  bodyOf(face: number): number {
    return this.faceBodies[face] ?? -1;
  }

  setTransparent(transparent: boolean): void {
    this.faceMaterial.transparent = transparent;
    this.faceMaterial.opacity = transparent ? 0.3 : 1;
    this.faceMaterial.depthWrite = !transparent;
    this.faceMaterial.needsUpdate = true;
  }

  /** Sets the colours of the faces and edges of every body; those that did not change cost nothing. */
  paint(faces: number[], edges: number[]): void {
    let changed = false;
    this.ranges.forEach(({ faces: [from, to], lines: [first, last] }, body) => {
      const [face, edge] = [faces[body]!, edges[body]!];
      if (this.painted[2 * body] === face && this.painted[2 * body + 1] === edge) return;
      [this.painted[2 * body], this.painted[2 * body + 1]] = [face, edge];
      this.colour.set(face);
      for (let i = from; i < to; i++) this.colour.toArray(this.faces.colours.array, 3 * i);
      this.colour.set(edge);
      for (let i = first; i < last; i++) this.colour.toArray(this.lines.colours.array, 3 * i);
      changed = true;
    });
    if (changed) this.faces.colours.needsUpdate = this.lines.colours.needsUpdate = true;
  }

  /** Moves every body to its pose; returns whether anything moved. */
  place(bodies: BodyState[]): boolean {
    let moved = false;
    this.ranges.forEach((range, body) => {
      const state = bodies[body];
      if (state === undefined || range.faces[0] === range.faces[1]) return;
      const pose = [...state.position, ...state.rotation];
      if (pose.every((value, i) => value === this.poses[7 * body + i])) return;
      this.poses.set(pose, 7 * body);
      this.move(range, state);
      moved = true;
    });
    if (moved) {
      this.faces.now.needsUpdate = this.lines.now.needsUpdate = true;
      this.normals.needsUpdate = true;
    }
    return moved;
  }

  private move(
    { faces: [from, to], lines: [first, last] }: Range,
    { position: [px, py, pz], rotation: [x, y, z, w] }: BodyState,
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
  }

  /** Corners of bodies in the world: x, y, z one after the other. */
  corners(bodies: number[]): Float32Array {
    const ranges = bodies.map((body) => this.ranges[body]!.faces);
    const out = new Float32Array(3 * ranges.reduce((sum, [from, to]) => sum + to - from, 0));
    let at = 0;
    for (const [from, to] of ranges) {
      out.set(this.faces.now.array.subarray(3 * from, 3 * to) as Float32Array, at);
      at += 3 * (to - from);
    }
    return out;
  }
}
