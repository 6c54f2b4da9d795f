// The extent of the bodies: what the camera fits, and the scale of grid, ground, shadows and arrows.

import * as THREE from 'three';
import type { Model } from '../data/model';
import type { Solids } from './solids';

export interface Extent {
  /** Centre of the box about the bodies. */
  centre: THREE.Vector3;
  /** Radius of that box. */
  size: number;
  /** Median radius of the free bodies. */
  bodySize: number;
  /** Distance between grid lines (m). */
  cell: number;
}

export const DEFAULT_EXTENT: Extent = { centre: new THREE.Vector3(), size: 1, bodySize: 1, cell: 1 };
/** Fixed and driven bodies of at most this many sizes of the free ones belong to the picture. */
const NEIGHBOURHOOD = 2.5;
/** This fraction of the bodies at each end of an axis may lie outside of the picture. */
const STRAYS = 0.04;

/** The bodies that the camera shows: the free ones without strays, and small ones that hold them. */
export function shownBodies(model: Model, radii: number[]): number[] {
  const { scene, frame } = model;
  if (scene === null || frame === null) return [];
  const solid = scene.bodies.map((_, i) => i).filter((i) => (radii[i] ?? 0) > 0);
  const free = solid.filter((i) => scene.bodies[i]!.motion === 'free');
  if (free.length === 0) return solid;
  const position = (i: number) => frame.bodies[i]!.position;
  const middle = [0, 1, 2].map((axis) => {
    const sorted = free.map((i) => position(i)[axis]!).sort((a, b) => a - b);
    const out = Math.floor(STRAYS * sorted.length);
    return [sorted[out]!, sorted[sorted.length - 1 - out]!] as const;
  });
  const largest = Math.max(...free.map((i) => radii[i]!));
  const span = Math.max(largest, ...middle.map(([low, high]) => (high - low) / 2 + largest));
  const inside = (i: number, beyond: number) =>
    middle.every(([low, high], axis) => {
      const at = position(i)[axis]!;
      return at > low - beyond && at < high + beyond;
    });
  const others = solid.filter(
    (i) => scene.bodies[i]!.motion !== 'free' && radii[i]! < NEIGHBOURHOOD * span && inside(i, span),
  );
  return [...free.filter((i) => inside(i, 2 * largest)), ...others];
}

export function measureExtent(model: Model, radii: number[], solids: Solids | null): Extent {
  const box = new THREE.Box3();
  const points = solids?.corners(shownBodies(model, radii)) ?? new Float32Array(0);
  for (let k = 0; k < points.length; k += 3)
    box.expandByPoint(new THREE.Vector3(points[k]!, points[k + 1]!, points[k + 2]!));
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  const centre = box.getCenter(new THREE.Vector3());
  const size = Math.max(1e-6, box.getSize(new THREE.Vector3()).length() / 2);
  const free = radii
    .filter((radius, i) => radius > 0 && model.body(i)?.motion === 'free')
    .sort((a, b) => a - b);
  return {
    centre,
    size,
    bodySize: free[free.length >> 1] ?? size,
    cell: 10 ** Math.round(Math.log10(size / 6)),
  };
}
