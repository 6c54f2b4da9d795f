// The camera: fits, turns and shifts the view, and maps between the world and the screen.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Vec3 } from '../vec';
import type { Extent } from './extent';

/** Duration of the animation to a fitted view (ms). */
const ANIMATION = 550;

/** Position and target of the camera. */
type View = [THREE.Vector3, THREE.Vector3];

/** Direction from the bodies to the camera in a fitted view. */
function viewDirection(plane: Vec3 | null): THREE.Vector3 {
  const towards = new THREE.Vector3(0.5, -1, 0.42);
  if (plane !== null) {
    towards.set(...plane);
    const main =
      Math.abs(towards.z) > 0.7 ? towards.z : -(Math.abs(towards.y) > 0.5 ? towards.y : -towards.x);
    if (main < 0) towards.negate();
    if (Math.abs(towards.z) > 0.99) towards.y -= 1e-3;
  }
  return towards.normalize();
}

export class CameraRig {
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /** Whether the view is still the fitted one: nothing has moved the camera since. */
  fitted = false;
  private animation: { from: View; to: View; start: number } | null = null;
  private readonly caster = new THREE.Raycaster();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly holder: HTMLElement,
    private readonly onChange: () => void,
  ) {
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(4, -6, 3);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', onChange);
    this.controls.addEventListener('start', () => this.leaveFit());
  }

  private leaveFit(): void {
    this.animation = null;
    this.fitted = false;
  }

  /** Fits the view to the bodies. */
  fit({ centre, half, size }: Extent, plane: Vec3 | null, smooth: boolean): void {
    this.fitted = true;
    const towards = viewDirection(plane);
    const right = new THREE.Vector3().crossVectors(this.camera.up, towards).normalize();
    if (right.lengthSq() === 0) right.set(1, 0, 0);
    const up = new THREE.Vector3().crossVectors(towards, right);
    // A planar scene is shown nearly without perspective.
    this.camera.fov = plane === null ? 32 : 12;
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    let distance = 0;
    for (const i of [-1, 1])
      for (const j of [-1, 1])
        for (const k of [-1, 1]) {
          const corner = new THREE.Vector3(i * half.x, j * half.y, k * half.z);
          const near = corner.dot(towards);
          distance = Math.max(
            distance,
            Math.abs(corner.dot(up)) / tall + near,
            Math.abs(corner.dot(right)) / (tall * this.camera.aspect) + near,
          );
        }
    distance = Math.max((plane === null ? 1.2 : 1.35) * distance, 2.2 * size);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.moveTo([centre.clone().addScaledVector(towards, distance), centre.clone()], smooth);
    this.onChange();
  }

  private moveTo(to: View, smooth: boolean): void {
    const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (smooth && !reducedMotion) {
      const from: View = [this.camera.position.clone(), this.controls.target.clone()];
      this.animation = { from, to, start: performance.now() };
    } else {
      this.animation = null;
      this.camera.position.copy(to[0]);
      this.controls.target.copy(to[1]);
    }
  }

  /** Advances the animation to a fitted view; returns whether the camera moved. */
  animate(now: number): boolean {
    if (this.animation === null) return false;
    const { from, to, start } = this.animation;
    const fraction = Math.min(1, (now - start) / ANIMATION);
    const eased = 1 - (1 - fraction) ** 3;
    this.camera.position.lerpVectors(from[0], to[0], eased);
    this.controls.target.lerpVectors(from[1], to[1], eased);
    if (fraction >= 1) this.animation = null;
    return true;
  }

  /** Turns the view by angles (rad) and zooms by a factor. */
  turn(azimuth: number, height: number, zoom: number): void {
    this.leaveFit();
    const arm = this.camera.position.clone().sub(this.controls.target);
    const spherical = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
    spherical.theta += azimuth;
    spherical.phi = Math.max(0.01, Math.min(Math.PI - 0.01, spherical.phi - height));
    spherical.radius *= zoom;
    const turned = new THREE.Vector3().setFromSpherical(spherical);
    this.camera.position.set(turned.x, -turned.z, turned.y).add(this.controls.target);
    this.onChange();
  }

  /** Shifts the view by fractions of the height of the stage. */
  shift(right: number, up: number): void {
    this.leaveFit();
    const tall = this.holder.clientHeight / this.pixelsPerMetre();
    this.camera.updateMatrixWorld();
    const by = new THREE.Vector3()
      .setFromMatrixColumn(this.camera.matrixWorld, 0)
      .multiplyScalar(right * tall)
      .addScaledVector(new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1), up * tall);
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.onChange();
  }

  /** Position of a world point on the page, in pixels; null if it is outside the depth range. */
  project(point: Vec3): { x: number; y: number } | null {
    const at = new THREE.Vector3(...point).project(this.camera);
    if (at.z > 1 || at.z < -1) return null;
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  }

  /** A raycaster through a point of the page. */
  raycaster(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.caster.setFromCamera(at, this.camera);
    return this.caster;
  }

  /** Pixels per metre at the target of the camera. */
  pixelsPerMetre(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.holder.clientHeight / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
  }
}
