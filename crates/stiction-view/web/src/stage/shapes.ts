// Geometry of the shapes: solids with their edges, outlines, and the grid of the ground.

import * as THREE from 'three';
import type { Shape } from '../data/frame';
import type { Vec3 } from '../data/vec';

export interface Solid {
  geometry: THREE.BufferGeometry;
  edges: THREE.BufferGeometry;
}

const TURN = 2 * Math.PI;

/** Line segments along polylines. */
function lines(...polylines: Vec3[][]): THREE.BufferGeometry {
  const points: number[] = [];
  for (const line of polylines) {
    for (let i = 0; i + 1 < line.length; i++) points.push(...line[i]!, ...line[i + 1]!);
  }
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
}

/** Points of a closed circle; `at` maps cosine and sine to a point. */
function circle(count: number, at: (c: number, s: number) => Vec3): Vec3[] {
  return Array.from({ length: count + 1 }, (_, i) =>
    at(Math.cos((TURN * i) / count), Math.sin((TURN * i) / count)),
  );
}

/** The solid of a shape, with the axes of the scene description; null for half-spaces. */
export function makeSolid(shape: Shape): Solid | null {
  switch (shape.kind) {
    case 'box': {
      const [x, y, z] = shape.half;
      const geometry = new THREE.BoxGeometry(2 * x, 2 * y, 2 * z);
      return { geometry, edges: new THREE.EdgesGeometry(geometry) };
    }
    case 'ball':
      return makeBall(shape.radius);
    case 'capsule':
      return makeCapsule(shape.half_length, shape.radius);
    case 'cylinder':
      return makeCylinder(shape.half_length, shape.radius);
    case 'cone':
      return makeCone(shape.half_length, shape.radius);
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

function makeBall(r: number): Solid {
  const edges = lines(
    circle(48, (c, s) => [r * c, r * s, 0]),
    circle(48, (c, s) => [r * c, 0, r * s]),
    circle(48, (c, s) => [0, r * c, r * s]),
  );
  return { geometry: new THREE.SphereGeometry(r, 32, 20), edges };
}

/** A line from (x, 0, l) to (x, 0, -l). */
const side = (x: number, l: number): Vec3[] => [
  [x, 0, l],
  [x, 0, -l],
];

function makeCapsule(l: number, r: number): Solid {
  const arc = (end: number) =>
    Array.from({ length: 17 }, (_, i): Vec3 => {
      const angle = (Math.PI * i) / 16;
      return [r * Math.cos(angle), 0, end * (l + r * Math.sin(angle))];
    });
  const edges = lines(
    circle(32, (c, s) => [r * c, r * s, l]),
    circle(32, (c, s) => [r * c, r * s, -l]),
    arc(1),
    arc(-1),
    side(r, l),
    side(-r, l),
  );
  return { geometry: new THREE.CapsuleGeometry(r, 2 * l, 8, 24).rotateX(Math.PI / 2), edges };
}

function makeCylinder(l: number, r: number): Solid {
  const diameter = (z: number): Vec3[] => [
    [r, 0, z],
    [-r, 0, z],
  ];
  const edges = lines(
    circle(40, (c, s) => [r * c, r * s, l]),
    circle(40, (c, s) => [r * c, r * s, -l]),
    diameter(l),
    diameter(-l),
    side(r, l),
    side(-r, l),
  );
  return { geometry: new THREE.CylinderGeometry(r, r, 2 * l, 40).rotateX(Math.PI / 2), edges };
}

function makeCone(l: number, r: number): Solid {
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

/** Bounding radius of a shape about the origin of its part; 0 for half-spaces. */
export function boundingRadius(shape: Shape): number {
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

/** Points whose convex hull is approximately the shape, for outlines. */
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

/** A parallelogram spanned by u and v from a corner, visible from the side of u × v. */
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
