// Geometry of the shape kinds: solids, their outline edges, and half-spaces as gridded ground.

import * as THREE from 'three';
import type { Shape } from './frame';
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
  return Array.from({ length: count + 1 }, (_, i) =>
    at(Math.cos((TURN * i) / count), Math.sin((TURN * i) / count)),
  );
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
        [
          [r, 0, l],
          [r, 0, -l],
        ],
        [
          [-r, 0, l],
          [-r, 0, -l],
        ],
      );
      return { geometry, edges };
    }
    case 'cylinder': {
      const { half_length: l, radius: r } = shape;
      const edges = lines(
        circle(40, (c, s) => [r * c, r * s, l]),
        circle(40, (c, s) => [r * c, r * s, -l]),
        [
          [r, 0, l],
          [-r, 0, l],
        ],
        [
          [r, 0, -l],
          [-r, 0, -l],
        ],
        [
          [r, 0, l],
          [r, 0, -l],
        ],
        [
          [-r, 0, l],
          [-r, 0, -l],
        ],
      );
      return { geometry: new THREE.CylinderGeometry(r, r, 2 * l, 40).rotateX(Math.PI / 2), edges };
    }
    case 'cone': {
      const { half_length: l, radius: r } = shape;
      const edges = lines(
        circle(40, (c, s) => [r * c, r * s, -l]),
        [
          [r, 0, -l],
          [0, 0, l],
          [-r, 0, -l],
          [r, 0, -l],
        ],
      );
      return { geometry: new THREE.ConeGeometry(r, 2 * l, 40).rotateX(Math.PI / 2), edges };
    }
    case 'triangles': {
      const positions = shape.triangles.flatMap((corners) =>
        corners.flatMap((i) => shape.points[i] ?? [0, 0, 0]),
      );
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
      return shape.points.length <= 500
        ? shape.points
        : shape.points.filter((_, i) => i % Math.ceil(shape.points.length / 500) === 0);
    case 'half-space':
      return [];
  }
}

/** A flat four-sided patch spanned by two axes from a corner, seen from u × v. */
export function patch(corner: THREE.Vector3, u: THREE.Vector3, v: THREE.Vector3): THREE.BufferGeometry {
  const corners = [corner, corner.clone().add(u), corner.clone().add(u).add(v), corner.clone().add(v)];
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute(
    'position',
    new THREE.Float32BufferAttribute(
      corners.flatMap((point) => point.toArray()),
      3,
    ),
  );
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

/** Lines a cell apart near the centre and ten cells apart farther out, that run out into the ground. */
export function gridLines(
  centre: THREE.Vector3,
  cell: number,
  radius: number,
  line: THREE.Color,
  ground: THREE.Color,
): THREE.BufferGeometry {
  const positions: number[] = [];
  const colours: number[] = [];
  const colour = new THREE.Color();
  const put = (x: number, y: number, reach: number, strength: number) => {
    const away = Math.hypot(x - centre.x, y - centre.y);
    colour.lerpColors(line, ground, 1 - strength * (1 - smooth(0.2, 1, away / reach)));
    positions.push(x, y, 0);
    colours.push(...colour.toArray());
  };
  for (const [step, reach, strength] of [
    [cell, Math.min(radius, 26 * cell), 0.45],
    [10 * cell, radius, 1],
  ] as const) {
    for (const axis of [0, 1]) {
      const [across, along] = axis === 0 ? [centre.x, centre.y] : [centre.y, centre.x];
      for (let i = Math.ceil((across - reach) / step); i * step <= across + reach; i++) {
        const off = i * step - across;
        const half = Math.sqrt(Math.max(0, reach * reach - off * off));
        const pieces = 8;
        for (let k = 0; k < pieces; k++) {
          for (const end of [k, k + 1]) {
            const at = along - half + (2 * half * end) / pieces;
            if (axis === 0) put(i * step, at, reach, strength);
            else put(at, i * step, reach, strength);
          }
        }
      }
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute('color', new THREE.Float32BufferAttribute(colours, 3));
  return geometry;
}

function smooth(low: number, high: number, value: number): number {
  const part = Math.max(0, Math.min(1, (value - low) / (high - low)));
  return part * part * (3 - 2 * part);
}
