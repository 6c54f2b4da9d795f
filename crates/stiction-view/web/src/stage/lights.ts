// The lights of the stage: a sun that follows the bodies, and the sky.

import * as THREE from 'three';
import type { BodyState, Scene } from '../frame';
import type { Extent } from './extent';

/** Direction towards the sun. */
export const TO_SUN = new THREE.Vector3(-0.42, -0.5, 0.95).normalize();

export class Lights {
  private readonly sun = new THREE.DirectionalLight(0xffffff, 1.7);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8c0ca, 2.2);

  constructor(world: THREE.Scene) {
    this.sun.position.copy(TO_SUN);
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.normalBias = 0.01;
    world.add(this.sun, this.sun.target, this.sky);
  }

  paint(dark: boolean, shadows: boolean): void {
    this.sky.groundColor.set(dark ? 0x59636f : 0xb8c0ca);
    this.sun.castShadow = shadows;
  }

  /** Moves the sun with the mean position of the free bodies, so that its shadow map covers them. */
  follow(scene: Scene, bodies: BodyState[], { centre, size }: Extent): void {
    if (!this.sun.castShadow) return;
    const mean = new THREE.Vector3();
    let count = 0;
    scene.bodies.forEach(({ motion }, i) => {
      if (motion !== 'free' || bodies[i] === undefined) return;
      mean.add(new THREE.Vector3(...bodies[i].position));
      count++;
    });
    if (count > 0) mean.divideScalar(count);
    else mean.copy(centre);
    const { camera } = this.sun.shadow;
    if (this.sun.target.position.distanceTo(mean) < 0.4 * size && camera.right === 2.2 * size) return;
    const distance = 8 * size;
    this.sun.target.position.copy(mean);
    this.sun.position.copy(mean).addScaledVector(TO_SUN, distance);
    camera.left = camera.bottom = -2.2 * size;
    camera.right = camera.top = 2.2 * size;
    camera.near = 0.1 * distance;
    camera.far = 2.5 * distance;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * size;
  }
}
