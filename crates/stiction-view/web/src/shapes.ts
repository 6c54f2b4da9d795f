// Geometry of the shape kinds: solids, their outline edges, and half-spaces as gridded ground.

import * as THREE from 'three';
import type { Shape } from './frame';
import type { Palette } from './theme';
import type { Vec3 } from './vec';

export interface Solid {
  geometry: THREE.BufferGeometry;
  edges: THREE.BufferGeometry;
}

const TURN = 2 * Math.PI;

function lines(...runs: [number, number, number][][]): THREE.BufferGeometry {
  const points: number[] = [];
  for (const run of runs) {
    for (let i = 0; i + 1 < run.length; i++) points.push(...run[i]!, ...run[i + 1]!);
  }
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
}

function circle(count: number, at: (c: number, s: number) => Vec3): Vec3[] {
  return Array.from({ length: count + 1 }, (_, i) => at(Math.cos((TURN * i) / count), Math.sin((TURN * i) / count)));
}

/** A solid of a shape, axes as in the scene description; null for half-spaces. */
export function makeSolid(shape: Shape): Solid | null {
  switch (shape.kind) {
    case 'box': {
      const [x, y, z] = shape.half;
      const geometry = new THREE.BoxGeometry(2 * x, 2 * y, 2 * z);
      return { geometry, edges: new THREE.EdgesGeometry(geometry) };
    }
    case 'ball': {
      const r = shape.radius;
      const edges = lines(
        circle(48, (c, s) => [r * c, r * s, 0]),
        circle(48, (c, s) => [r * c, 0, r * s]),
        circle(48, (c, s) => [0, r * c, r * s]),
      );
      return { geometry: new THREE.SphereGeometry(r, 32, 20), edges };
    }
    case 'capsule': {
      const { half_length: l, radius: r } = shape;
      const geometry = new THREE.CapsuleGeometry(r, 2 * l, 8, 24).rotateX(Math.PI / 2);
      const arc = (end: number, at: (c: number, s: number) => Vec3) =>
        Array.from({ length: 17 }, (_, i) => {
          const angle = (Math.PI * i) / 16;
          const [x, y, z] = at(Math.cos(angle), Math.sin(angle));
          return [x, y, end * (l + z)] as Vec3;
        });
      const edges = lines(
        circle(32, (c, s) => [r * c, r * s, l]),
        circle(32, (c, s) => [r * c, r * s, -l]),
        ...[1, -1].map((end) => arc(end, (c, s) => [r * c, 0, r * s])),
        [[r, 0, l], [r, 0, -l]],
        [[-r, 0, l], [-r, 0, -l]],
      );
      return { geometry, edges };
    }
    case 'cylinder': {
      const { half_length: l, radius: r } = shape;
      const edges = lines(
        circle(40, (c, s) => [r * c, r * s, l]),
        circle(40, (c, s) => [r * c, r * s, -l]),
        [[r, 0, l], [-r, 0, l]],
        [[r, 0, -l], [-r, 0, -l]],
        [[r, 0, l], [r, 0, -l]],
        [[-r, 0, l], [-r, 0, -l]],
      );
      return { geometry: new THREE.CylinderGeometry(r, r, 2 * l, 40).rotateX(Math.PI / 2), edges };
    }
    case 'cone': {
      const { half_length: l, radius: r } = shape;
      const edges = lines(
        circle(40, (c, s) => [r * c, r * s, -l]),
        [[r, 0, -l], [0, 0, l], [-r, 0, -l], [r, 0, -l]],
      );
      return { geometry: new THREE.ConeGeometry(r, 2 * l, 40).rotateX(Math.PI / 2), edges };
    }
    case 'triangles': {
      const positions = shape.triangles.flatMap((corners) => corners.flatMap((i) => shape.points[i] ?? [0, 0, 0]));
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
      geometry.computeVertexNormals();
      return { geometry, edges: new THREE.EdgesGeometry(geometry, 20) };
    }
    case 'half-space':
      return null;
  }
}

/** Radius of a ball about the part's origin that holds the shape; 0 for half-spaces. */
export function reach(shape: Shape): number {
  switch (shape.kind) {
    case 'box':
      return Math.hypot(...shape.half);
    case 'ball':
      return shape.radius;
    case 'capsule':
      return shape.half_length + shape.radius;
    case 'cylinder':
    case 'cone':
      return Math.hypot(shape.half_length, shape.radius);
    case 'triangles':
      return shape.points.reduce((most, point) => Math.max(most, Math.hypot(...point)), 0);
    case 'half-space':
      return 0;
  }
}

/** Points whose hull is (nearly) the shape, for outlines. */
export function hullPoints(shape: Shape): Vec3[] {
  const ring = (r: number, z: number) => circle(24, (c, s) => [r * c, r * s, z]);
  switch (shape.kind) {
    case 'box': {
      const [x, y, z] = shape.half;
      return [-1, 1].flatMap((i) => [-1, 1].flatMap((j) => [-1, 1].map((k): Vec3 => [i * x, j * y, k * z])));
    }
    case 'ball':
    case 'capsule': {
      const l = shape.kind === 'ball' ? 0 : shape.half_length;
      const levels = [-1, -0.9, -0.6, -0.3, 0, 0.3, 0.6, 0.9, 1];
      return levels.flatMap((t) => {
        const r = shape.radius * Math.sqrt(1 - t * t);
        return [-l, l].flatMap((end) => ring(r, end + shape.radius * t));
      });
    }
    case 'cylinder':
      return [...ring(shape.radius, shape.half_length), ...ring(shape.radius, -shape.half_length)];
    case 'cone':
      return [[0, 0, shape.half_length], ...ring(shape.radius, -shape.half_length)];
    case 'triangles':
      return shape.points.length <= 500 ? shape.points : shape.points.filter((_, i) => i % Math.ceil(shape.points.length / 500) === 0);
    case 'half-space':
      return [];
  }
}

/** The look of the ground: grid lines a cell apart, fading with distance. */
export class Ground {
  readonly material: THREE.MeshLambertMaterial;
  private readonly uniforms = {
    uLine: { value: new THREE.Color() },
    uCell: { value: 1 },
    uFade: { value: 50 },
  };

  constructor(side: THREE.Side) {
    this.material = new THREE.MeshLambertMaterial({ transparent: true, side });
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace('void main() {', 'varying vec2 vGrid;\nvoid main() {')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\nvGrid = uv;');
      shader.fragmentShader = shader.fragmentShader
        .replace(
          'void main() {',
          `varying vec2 vGrid;
           uniform vec3 uLine; uniform float uCell; uniform float uFade;
           float gridLines(vec2 g) {
             vec2 w = fwidth(g);
             vec2 l = abs(fract(g - 0.5) - 0.5) / max(w, vec2(1e-6));
             return (1.0 - min(min(l.x, l.y), 1.0)) * (1.0 - smoothstep(0.1, 0.5, max(w.x, w.y)));
           }
           void main() {`,
        )
        .replace(
          '#include <color_fragment>',
          `#include <color_fragment>
           float line = max(0.45 * gridLines(vGrid / uCell), gridLines(vGrid / (10.0 * uCell)));
           diffuseColor.rgb = mix(diffuseColor.rgb, uLine, line);
           diffuseColor.a *= 1.0 - smoothstep(0.25 * uFade, uFade, length(vGrid));`,
        );
    };
  }

  paint(palette: Palette): void {
    this.material.color.set(palette.floor);
    this.uniforms.uLine.value.set(palette.line);
  }

  measure(cell: number, fade: number): void {
    this.uniforms.uCell.value = cell;
    this.uniforms.uFade.value = fade;
  }
}

/** A flat patch spanned by two axes from low to high corners; its uv are lengths along them from an origin. */
export function patch(
  u: THREE.Vector3,
  v: THREE.Vector3,
  low: [number, number],
  high: [number, number],
  origin: [number, number],
): THREE.BufferGeometry {
  const corners: [number, number][] = [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
  const normal = new THREE.Vector3().crossVectors(u, v).normalize();
  const positions = corners.flatMap(([a, b]) => new THREE.Vector3().addScaledVector(u, a).addScaledVector(v, b).toArray());
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new THREE.Float32BufferAttribute(corners.flatMap(() => normal.toArray()), 3));
  geometry.setAttribute('uv', new THREE.Float32BufferAttribute(corners.flatMap(([a, b]) => [a - origin[0], b - origin[1]]), 2));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}
