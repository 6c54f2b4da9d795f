// Pulls bodies with the mouse: Ctrl + right drag applies a force, Ctrl + left drag a torque; touch uses a tool button.

import * as THREE from 'three';
import type { Model } from '../data/model';
import { add, rotate, sub, unrotate, type Vec3 } from '../data/vec';
import { throttled } from '../page/dom';
import type { Arrows } from './arrows';
import type { Stage } from './stage';

export type Tool = 'look' | 'force' | 'torque';

export class Puller {
  /** Effect of a drag without Ctrl; touch has no Ctrl. */
  tool: Tool = 'look';
  private pull: {
    pointer: number;
    body: number;
    on: Vec3;
    to: Vec3;
    kind: 'force' | 'torque';
    plane: THREE.Plane;
  } | null = null;
  private readonly sendThrottled = throttled(25, () => this.send());

  constructor(
    private readonly model: Model,
    private readonly stage: Stage,
    private readonly arrows: Arrows,
  ) {
    const { canvas } = stage;
    // The capture phase runs before the camera controls.
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(end, (event) => this.up(event), { capture: true });
    }
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    model.on('frame', () => this.draw());
    model.on('scene', () => this.end(false));
  }

  /** Where the mouse holds the pull; null without one. */
  target(): Vec3 | null {
    return this.pull?.to ?? null;
  }

  private down(event: PointerEvent): void {
    if (this.pull !== null) {
      // A second finger turns a torque into a force.
      if (event.pointerType === 'touch') {
        this.pull.kind = 'force';
        event.stopImmediatePropagation();
      }
      return;
    }
    const requested = event.ctrlKey || event.metaKey || this.tool !== 'look';
    if (!requested || (event.button !== 0 && event.button !== 2)) return;
    const hit = this.stage.pickBody(event.clientX, event.clientY);
    const state = hit === null ? undefined : this.model.frame?.bodies[hit.body];
    if (hit === null || state === undefined || this.model.body(hit.body)?.motion !== 'free') return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.stage.canvas.focus({ preventScroll: true });
    if (!this.model.status?.live) {
      this.model.emit('message', 'Bodies can be pulled in live runs only.');
      return;
    }
    const kind = this.tool !== 'look' ? this.tool : event.button === 2 ? 'force' : 'torque';
    const at = hit.point.toArray() as Vec3;
    const towards = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.pull = {
      pointer: event.pointerId,
      body: hit.body,
      on: unrotate(state.rotation, sub(at, state.position)),
      to: at,
      kind,
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(towards, hit.point),
    };
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.controls.enabled = false;
    this.send();
    this.draw();
  }

  private move(event: PointerEvent): void {
    const { pull } = this;
    if (pull === null || event.pointerId !== pull.pointer) return;
    event.stopImmediatePropagation();
    const to = this.stage.ray(event.clientX, event.clientY).intersectPlane(pull.plane, new THREE.Vector3());
    if (to === null) return;
    pull.to = to.toArray() as Vec3;
    this.sendThrottled();
    this.draw();
  }

  private up(event: PointerEvent): void {
    if (this.pull === null || event.pointerId !== this.pull.pointer) return;
    event.stopImmediatePropagation();
    this.end(true);
  }

  /** Ends the pull; `release` sends the command to the server. */
  private end(release: boolean): void {
    if (this.pull === null) return;
    this.pull = null;
    this.stage.controls.enabled = true;
    if (release) this.model.send({ do: 'release' });
    this.draw();
  }

  private send(): void {
    if (this.pull === null) return;
    const { body, on, to, kind } = this.pull;
    this.model.send({ do: 'pull', body, on, to, kind });
  }

  /** Draws the pull as a line. */
  private draw(): void {
    const state = this.pull === null ? undefined : this.model.frame?.bodies[this.pull.body];
    if (this.pull === null || state === undefined) {
      if (this.arrows.pull !== null) this.stage.invalidate();
      this.arrows.pull = null;
      return;
    }
    this.arrows.pull = {
      from: add(state.position, rotate(state.rotation, this.pull.on)),
      to: this.pull.to,
      kind: this.pull.kind,
    };
    this.stage.invalidate();
  }
}
