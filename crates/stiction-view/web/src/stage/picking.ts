// Picking: the body or contact under a point of the page.

import type * as THREE from 'three';
import type { Model } from '../data/model';
import type { CameraRig } from './camera';
import type { Ground } from './ground';
import type { Solids } from './solids';

/** A point of the surface of a body. */
export interface Hit {
  body: number;
  point: THREE.Vector3;
}

/** The body under a point of the page, and the point of its surface. */
export function pickBody(
  rig: CameraRig,
  solids: Solids | null,
  ground: Ground,
  x: number,
  y: number,
): Hit | null {
  if (solids === null) return null;
  const targets = [solids.mesh, ...ground.tops()];
  const hit = rig.raycaster(x, y).intersectObjects(targets, false)[0];
  if (hit === undefined) return null;
  const onSolid = hit.object === solids.mesh;
  const body = onSolid ? solids.bodyOf(hit.faceIndex ?? -1) : ground.bodyOf(hit.object);
  return { body, point: hit.point };
}

/** The drawn contact nearest to a point of the page, at most `within` pixels away. */
export function pickContact(
  rig: CameraRig,
  model: Model,
  x: number,
  y: number,
  within: number,
): string | null {
  let best: string | null = null;
  let least = within;
  for (const contact of model.frame?.contacts ?? []) {
    if (!model.shows(contact)) continue;
    const at = rig.project(contact.point);
    if (at === null) continue;
    const distance = Math.hypot(at.x - x, at.y - y);
    if (distance < least) [best, least] = [contact.key, distance];
  }
  return best;
}
