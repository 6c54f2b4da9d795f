// The camera: fits, turns, shifts and follows, and maps between the world and the screen.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Vec3 } from '../data/vec';
import type { GroundPlane } from './ground';

/** Duration of the animation to a fitted view (ms). */
const ANIMATION = 550;
/** Vertical angle of view (degrees). */
const ANGLE = 32;
/** Fraction of the picture that a fitted scene fills; the rest is for arrows. */
const FILLED = 0.78;
/** Least height of the camera above the ground, as a fraction of its distance to the target. */
const CLEARANCE = 0.02;

/** Position and target of the camera. */
type View = [THREE.Vector3, THREE.Vector3];

/** Directions from the bodies to the camera. */
export const STANDARD_VIEWS = {
  angled: [0.5, -1, 0.42],
  front: [0, -1, 0],
  right: [1, 0, 0],
  top: [0, -1e-3, 1],
} as const satisfies Record<string, Vec3>;
export type StandardView = keyof typeof STANDARD_VIEWS;

/** A camera with perspective or, at the same scale at its target, without. */
class StageCamera extends THREE.PerspectiveCamera {
  orthographic = false;
  /** Distance of the plane that both projections show at the same scale (m). */
  reach = 1;

  override updateProjectionMatrix(): void {
    super.updateProjectionMatrix();
    if (!this.orthographic) return;
    const top = this.reach * Math.tan((this.fov * Math.PI) / 360);
    const depth = 60 * this.reach;
    this.projectionMatrix.makeOrthographic(-top * this.aspect, top * this.aspect, top, -top, -depth, depth);
    this.projectionMatrixInverse.copy(this.projectionMatrix).invert();
  }
}

/** Direction from the bodies of a planar scene to the camera. */
export function planarDirection(plane: Vec3): THREE.Vector3 {
  const towards = new THREE.Vector3(...plane);
  const main = Math.abs(towards.z) > 0.7 ? towards.z : -(Math.abs(towards.y) > 0.5 ? towards.y : -towards.x);
  if (main < 0) towards.negate();
  if (Math.abs(towards.z) > 0.99) towards.y -= 1e-3;
  return towards;
}

/** The largest value of a linear form among points. */
function extreme(points: Float32Array, [x, y, z]: Vec3): number {
  let most = -Infinity;
  for (let k = 0; k < points.length; k += 3)
    most = Math.max(most, x * points[k]! + y * points[k + 1]! + z * points[k + 2]!);
  return most;
}

export class CameraRig {
  readonly camera = new StageCamera(ANGLE, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /** Whether the view is still the fitted one: nothing has moved the camera since. */
  fitted = false;
  /** The camera stays above these surfaces. */
  planes: GroundPlane[] = [];
  private direction = new THREE.Vector3();
  private animation: { from: View; to: View; start: number } | null = null;
  private readonly caster = new THREE.Raycaster();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly holder: HTMLElement,
    private readonly onChange: () => void,
  ) {
    this.camera.up.set(0, 0, 1);
    this.look('angled', null);
    this.camera.position.copy(this.direction);
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

  /** Chooses the direction of the next fit; planar scenes are seen along their normal. */
  look(view: StandardView, plane: Vec3 | null): void {
    const towards = plane !== null && view === 'angled' ? planarDirection(plane) : null;
    this.direction = (towards ?? new THREE.Vector3(...STANDARD_VIEWS[view])).normalize();
  }

  set orthographic(on: boolean) {
    this.camera.orthographic = on;
    this.controls.zoomToCursor = !on;
    this.updateProjection();
    this.onChange();
  }

  get orthographic(): boolean {
    return this.camera.orthographic;
  }

  /** Fits the view to points (x, y, z one after the other); `turned` keeps the present direction. */
  fit(points: Float32Array, smooth: boolean, turned = false): void {
    if (points.length === 0) return;
    this.fitted = true;
    if (turned) this.direction = this.camera.position.clone().sub(this.controls.target).normalize();
    const towards = this.direction;
    const right = new THREE.Vector3().crossVectors(this.camera.up, towards).normalize();
    const up = new THREE.Vector3().crossVectors(towards, right);
    const tall = FILLED * Math.tan((ANGLE * Math.PI) / 360);
    const nearest = extreme(points, towards.toArray());
    const farthest = -extreme(points, towards.clone().negate().toArray());
    // Inside the view are points with |x − cx| ≤ w (cz − z): the extremes of x ± w z decide.
    const slope = this.camera.orthographic ? 0 : 1;
    const axis = (across: THREE.Vector3, width: number): [number, number] => {
      const form = (sign: number) =>
        extreme(
          points,
          across
            .clone()
            .multiplyScalar(sign)
            .addScaledVector(towards, slope * width)
            .toArray(),
        );
      const [high, low] = [form(1), form(-1)];
      return [(high - low) / 2, (high + low) / (2 * width)];
    };
    const [x, fromX] = axis(right, tall * this.camera.aspect);
    const [y, fromY] = axis(up, tall);
    const middle = (nearest + farthest) / 2;
    const size = Math.max(1e-6, nearest - farthest, fromX * tall, fromY * tall);
    const distance = Math.max(fromX, fromY) - slope * middle;
    const target = new THREE.Vector3()
      .addScaledVector(right, x)
      .addScaledVector(up, y)
      .addScaledVector(towards, middle);
    const away = Math.max(distance, 0.6 * size);
    this.camera.near = away / 200;
    this.camera.far = away * 60;
    this.moveTo([target.clone().addScaledVector(towards, away), target], smooth);
    this.updateProjection();
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

  /** Advances an animation and keeps the camera above the ground; returns whether it moved. */
  update(now: number): boolean {
    const moved = this.animate(now);
    this.controls.update();
    this.keepAbove();
    if (this.camera.orthographic) this.updateProjection();
    return moved;
  }

  private animate(now: number): boolean {
    if (this.animation === null) return false;
    const { from, to, start } = this.animation;
    const fraction = Math.min(1, (now - start) / ANIMATION);
    const eased = 1 - (1 - fraction) ** 3;
    this.camera.position.lerpVectors(from[0], to[0], eased);
    this.controls.target.lerpVectors(from[1], to[1], eased);
    if (fraction >= 1) this.animation = null;
    return true;
  }

  /** Lifts the camera off the ground. */
  private keepAbove(): void {
    const { position } = this.camera;
    const least = CLEARANCE * position.distanceTo(this.controls.target);
    for (const { normal, offset } of this.planes) {
      const short = least - (normal.dot(position) - offset);
      if (short <= 0) continue;
      position.addScaledVector(normal, short);
      this.camera.lookAt(this.controls.target);
    }
  }

  updateProjection(): void {
    this.camera.reach = this.camera.position.distanceTo(this.controls?.target ?? new THREE.Vector3());
    this.camera.updateProjectionMatrix();
  }

  /** Moves camera and target with something that moves. */
  follow(by: THREE.Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    if (this.animation !== null)
      for (const end of [...this.animation.from, ...this.animation.to]) end.add(by);
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
    const tall = this.height();
    this.camera.updateMatrixWorld();
    const by = new THREE.Vector3()
      .setFromMatrixColumn(this.camera.matrixWorld, 0)
      .multiplyScalar(right * tall)
      .addScaledVector(new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1), up * tall);
    this.follow(by);
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
    const [u, v] = [((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2];
    const near = new THREE.Vector3(u, v, -1).unproject(this.camera);
    const far = new THREE.Vector3(u, v, 1).unproject(this.camera);
    this.caster.set(near, far.sub(near).normalize());
    return this.caster;
  }

  /** Direction from a point of the world to the eye, not normalised. */
  towardsEye(point: THREE.Vector3, into: THREE.Vector3): THREE.Vector3 {
    const { position } = this.camera;
    return this.camera.orthographic
      ? into.subVectors(position, this.controls.target)
      : into.subVectors(position, point);
  }

  /** Height of the picture at the target (m). */
  height(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return 2 * distance * Math.tan((this.camera.fov * Math.PI) / 360);
  }

  /** Pixels per metre at the target, or at the depth of a point. */
  pixelsPerMetre(point?: THREE.Vector3): number {
    const atTarget = this.holder.clientHeight / this.height();
    if (point === undefined || this.camera.orthographic) return atTarget;
    const towards = this.camera.getWorldDirection(new THREE.Vector3());
    const depth = point.clone().sub(this.camera.position).dot(towards);
    const target = this.controls.target.clone().sub(this.camera.position).dot(towards);
    return (atTarget * target) / Math.max(depth, 1e-3 * target);
  }
}
