// The extent of the bodies: what the camera fits, and the scale of grid, ground and shadows.

import * as THREE from 'three';
import type { Model } from '../model';

export interface Extent {
  /** Centre and half size of the box about the bodies. */
  centre: THREE.Vector3;
  half: THREE.Vector3;
  /** Radius of that box. */
  size: number;
  /** Median radius of the free bodies. */
  bodySize: number;
  /** Distance between grid lines (m). */
  cell: number;
}

export const DEFAULT_EXTENT: Extent = {
  centre: new THREE.Vector3(),
  half: new THREE.Vector3(1, 1, 1),
  size: 1,
  bodySize: 1,
  cell: 1,
};

/** The extent of the free bodies; of the driven or fixed ones if no body is free. */
export function measureExtent(model: Model, radii: number[]): Extent {
  const box = new THREE.Box3();
  const at = new THREE.Vector3();
  for (const motion of ['free', 'driven', 'fixed']) {
    model.scene?.bodies.forEach((body, i) => {
      const state = model.frame?.bodies[i];
      const radius = radii[i] ?? 0;
      if (state === undefined || radius === 0 || body.motion !== motion) return;
      at.fromArray(state.position);
      const r = radius * 0.8;
      box.expandByPoint(at.clone().addScalar(r)).expandByPoint(at.clone().addScalar(-r));
    });
    if (!box.isEmpty()) break;
  }
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  const centre = box.getCenter(new THREE.Vector3());
  const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
  const size = Math.max(1e-6, half.length());
  const free = radii
    .filter((radius, i) => radius > 0 && model.body(i)?.motion === 'free')
    .sort((a, b) => a - b);
  return {
    centre,
    half,
    size,
    bodySize: free[free.length >> 1] ?? size,
    cell: 10 ** Math.round(Math.log10(size / 6)),
  };
}
