// The lights of the stage: a sun whose soft shadows fall on everything, and the sky.

import * as THREE from 'three';
import type { Extent } from './extent';
import { MOVING_RADIUS, STILL_RADIUS, soften } from './soft';

soften();

/** Direction towards the sun. */
const TO_SUN = new THREE.Vector3(-0.42, -0.5, 0.95).normalize();
/** Side of the shadow map (pixels): with a graphics card, and with software rendering. */
const MAP_SIZE = { hardware: 2048, software: 1024 };
/** Half the side of the region with shadows, as a multiple of the size of the scene. */
const REGION = 1.25;

export class Lights {
  private readonly sun = new THREE.DirectionalLight(0xffffff, 1.7);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8c0ca, 2.2);

  constructor(
    world: THREE.Scene,
    private readonly software: boolean,
  ) {
    const side = software ? MAP_SIZE.software : MAP_SIZE.hardware;
    this.sun.position.copy(TO_SUN);
    this.sun.shadow.mapSize.set(side, side);
    world.add(this.sun, this.sun.target, this.sky);
  }

  paint(dark: boolean, shadows: boolean): void {
    this.sky.groundColor.set(dark ? 0x59636f : 0xb8c0ca);
    this.sun.castShadow = shadows;
  }

  /** Still pictures have soft shadows; moving ones too, unless they are drawn in software. */
  soften(still: boolean): void {
    this.sun.shadow.radius = still || !this.software ? STILL_RADIUS : MOVING_RADIUS;
  }

  /** Covers the bodies with the shadow map. */
  follow({ centre, size }: Extent): void {
    if (!this.sun.castShadow) return;
    const { camera } = this.sun.shadow;
    const half = REGION * size;
    const near = this.sun.target.position.distanceTo(centre) < 0.1 * size;
    if (near && Math.abs(camera.right - half) < 0.05 * half) return;
    const distance = 4 * half;
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).addScaledVector(TO_SUN, distance);
    camera.left = camera.bottom = -half;
    camera.right = camera.top = half;
    camera.near = 0.1 * distance;
    camera.far = 2 * distance;
    camera.updateProjectionMatrix();
    // Half a pixel of the map (m).
    this.sun.shadow.normalBias = (1.5 * half) / this.sun.shadow.mapSize.x;
  }
}
