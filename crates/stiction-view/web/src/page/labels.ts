// Labels over the stage: the name of the selection and the force of a pull.

import type { Model } from '../data/model';
import { length } from '../data/vec';
import type { Puller } from '../stage/pull';
import type { Stage } from '../stage/stage';
import { h, text } from './dom';
import { digits, withUnit } from './format';

/** Distance of a label from its point (pixels). */
const OFFSET = 10;

export class Labels {
  private readonly tag = h('div', { class: 'tag', hidden: true });
  private readonly pull = h('div', { class: 'tag pull', hidden: true });
  readonly element = h('div', { class: 'labels' }, this.tag, this.pull);

  constructor(
    private readonly model: Model,
    private readonly stage: Stage,
    private readonly puller: Puller,
    private readonly holder: HTMLElement,
  ) {
    stage.addLayer({ update: () => this.update() });
  }

  private update(): void {
    const { selection, frame } = this.model;
    const contact = this.model.selectedContact()?.contact;
    const body = selection?.kind === 'body' ? selection.index : null;
    const point = contact?.point ?? (body === null ? undefined : frame?.bodies[body]?.position);
    this.put(this.tag, point === undefined ? null : this.stage.project(point));
    if (contact !== undefined) text(this.tag, `N ${digits(contact.normalForce, 3)} N, ${contact.mode}`);
    else if (body !== null) text(this.tag, this.model.nameOf(body));
    this.updatePull();
  }

  private updatePull(): void {
    const to = this.puller.target();
    this.put(this.pull, to === null ? null : this.stage.project(to));
    const pull = this.model.status?.pull;
    if (to === null) return;
    const [force, torque] = [length(pull?.force ?? [0, 0, 0]), length(pull?.torque ?? [0, 0, 0])];
    const value = pull?.kind === 'torque' ? withUnit(torque, 'N·m', 3) : withUnit(force, 'N', 3);
    text(this.pull, pull ? value : '…');
  }

  private put(label: HTMLElement, at: { x: number; y: number } | null): void {
    label.hidden = at === null;
    if (at === null) return;
    const box = this.holder.getBoundingClientRect();
    const [x, y] = [Math.round(at.x - box.left + OFFSET), Math.round(at.y - box.top + OFFSET)];
    label.style.transform = `translate(${x}px, ${y}px)`;
  }
}
