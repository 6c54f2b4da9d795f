// Vertex buffers of the overlay: triangles, dots and lines, each kind in one draw call.

import * as THREE from 'three';
import type { Vec3 } from '../data/vec';

/** Coloured triangles in one draw call, rewritten for each picture. */
export class Triangles {
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

  /** Starts a new picture with capacity for the expected number of triangles. */
  begin(expected: number): void {
    this.used = 0;
    if (9 * expected <= this.positions.length) return;
    const capacity = Math.max(9 * 64, 18 * expected);
    [this.positions, this.colours] = [new Float32Array(capacity), new Float32Array(capacity)];
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

/** Least and largest diameter of a dot (pixels). */
const DOT_PIXELS = [1.5, 10] as const;
/** Smaller dots (pixels) have no rim. */
const RIMMED = '6.0';

/** Round dots with a size in the world, so that they shrink with the distance. */
export class Dots {
  private readonly object: THREE.Points;
  private positions = new THREE.BufferAttribute(new Float32Array(0), 3);
  private colours = new THREE.BufferAttribute(new Float32Array(0), 3);
  private sizes = new THREE.BufferAttribute(new Float32Array(0), 1);
  private readonly colour = new THREE.Color();
  /** Pixels per metre at unit depth, and the limits of the diameter in pixels. */
  private readonly uniforms = { scale: { value: 1 }, limits: { value: new THREE.Vector2() } };
  private count = 0;

  constructor(parent: THREE.Object3D) {
    const material = new THREE.ShaderMaterial({
      uniforms: this.uniforms,
      vertexShader: `
        attribute float size;
        attribute vec3 dotColour;
        uniform float scale;
        uniform vec2 limits;
        varying vec3 vColour;
        varying float vSize;
        void main() {
          vColour = dotColour;
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_PointSize = clamp(size * scale / gl_Position.w, limits.x, limits.y);
          vSize = gl_PointSize;
        }`,
      fragmentShader: `
        varying vec3 vColour;
        varying float vSize;
        void main() {
          vec2 off = gl_PointCoord - 0.5;
          float distance2 = dot(off, off);
          if (distance2 > 0.25) discard;
          gl_FragColor = vec4(distance2 > 0.16 && vSize > ${RIMMED} ? mix(vColour, vec3(1.0), 0.75) : vColour, 1.0);
        }`,
    });
    this.object = new THREE.Points(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
    parent.add(this.object);
  }

  /** Starts a new picture of a height (pixels) with capacity for the expected number of dots. */
  begin(expected: number, pixelRatio: number, camera: THREE.Camera, height: number): void {
    this.count = 0;
    this.uniforms.scale.value = 0.5 * pixelRatio * height * camera.projectionMatrix.elements[5]!;
    this.uniforms.limits.value.set(...DOT_PIXELS).multiplyScalar(pixelRatio);
    if (expected <= this.positions.count) return;
    const capacity = Math.max(64, 2 * expected);
    const make = (size: number) =>
      new THREE.BufferAttribute(new Float32Array(size * capacity), size).setUsage(THREE.DynamicDrawUsage);
    [this.positions, this.colours, this.sizes] = [make(3), make(3), make(1)];
    this.object.geometry.dispose();
    this.object.geometry = new THREE.BufferGeometry();
    this.object.geometry.setAttribute('position', this.positions);
    this.object.geometry.setAttribute('dotColour', this.colours);
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

/** Line segments in one draw call, rewritten for each picture. */
export class Lines {
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

  add(a: Vec3, b: Vec3): void {
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
