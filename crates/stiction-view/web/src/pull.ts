// Pulling bodies with the mouse: Ctrl and right button a force, Ctrl and left button a torque; a tool for touch.

import * as THREE from 'three';
import type { Arrows } from './arrows';
import { throttled } from './dom';
import type { Model } from './model';
import type { Stage } from './stage';
import { type Vec3, add, rotate, sub, unrotate } from './vec';

export type Tool = 'look' | 'force' | 'torque';

export class Puller {
  /** What an unmodified drag does; for touch, where there is no Ctrl. */
  tool: Tool = 'look';
  private held: {
    pointer: number;
    body: number;
    on: Vec3;
    to: Vec3;
    kind: 'force' | 'torque';
    plane: THREE.Plane;
  } | null = null;
  private readonly say = throttled(25, () => this.tell());

  constructor(
    private readonly model: Model,
    private readonly stage: Stage,
    private readonly arrows: Arrows,
  ) {
    const { canvas } = stage;
    // Before the camera sees it.
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(end, (event) => this.up(event), { capture: true });
    }
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    model.on('frame', () => this.draw());
    model.on('scene', () => this.letGo(false));
  }

  private down(event: PointerEvent): void {
    if (this.held !== null) {
      // A second finger makes it a force.
      if (event.pointerType === 'touch') {
        this.held.kind = 'force';
        event.stopImmediatePropagation();
      }
      return;
    }
    const asked = event.ctrlKey || event.metaKey || this.tool !== 'look';
    if (!asked || (event.button !== 0 && event.button !== 2)) return;
    const hit = this.stage.pickBody(event.clientX, event.clientY);
    const state = hit === null ? undefined : this.model.frame?.bodies[hit.body];
    if (hit === null || state === undefined || this.model.body(hit.body)?.motion !== 'free') return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.stage.canvas.focus({ preventScroll: true });
    if (!this.model.status?.live) {
      this.model.emit('message', 'Bodies can be pulled in live runs, not in recordings.');
      return;
    }
    const kind = this.tool !== 'look' ? this.tool : event.button === 2 ? 'force' : 'torque';
    const at = hit.point.toArray() as Vec3;
    const towards = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.held = {
      pointer: event.pointerId,
      body: hit.body,
      on: unrotate(state.rotation, sub(at, state.position)),
      to: at,
      kind,
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(towards, hit.point),
    };
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.controls.enabled = false;
    this.tell();
    this.draw();
  }

  private move(event: PointerEvent): void {
    const { held } = this;
    if (held === null || event.pointerId !== held.pointer) return;
    event.stopImmediatePropagation();
    const to = this.stage.ray(event.clientX, event.clientY).intersectPlane(held.plane, new THREE.Vector3());
    if (to === null) return;
    held.to = to.toArray() as Vec3;
    this.say();
    this.draw();
  }

  private up(event: PointerEvent): void {
    if (this.held === null || event.pointerId !== this.held.pointer) return;
    event.stopImmediatePropagation();
    this.letGo(true);
  }

  private letGo(tell: boolean): void {
    if (this.held === null) return;
    this.held = null;
    this.stage.controls.enabled = true;
    if (tell) this.model.send({ do: 'release' });
    this.draw();
  }

  private tell(): void {
    if (this.held === null) return;
    const { body, on, to, kind } = this.held;
    this.model.send({ do: 'pull', body, on, to, kind });
  }

  /** The spring as a line. */
  private draw(): void {
    const state = this.held === null ? undefined : this.model.frame?.bodies[this.held.body];
    if (this.held === null || state === undefined) {
      if (this.arrows.pull !== null) this.stage.invalidate();
      this.arrows.pull = null;
      return;
    }
    this.arrows.pull = {
      from: add(state.position, rotate(state.rotation, this.held.on)),
      to: this.held.to,
      kind: this.held.kind,
    };
    this.stage.invalidate();
  }
}
