// Selection with the mouse and by touch: a double-click or a double tap.

import type { Model } from '../data/model';
import type { Stage } from './stage';

/** How near a contact must be to be selected (pixels): with the mouse, with a finger. */
const MOUSE = 12;
const FINGER = 24;
/** Longest time between two taps (ms). */
const DOUBLE = 350;

export function selectByPointer(model: Model, stage: Stage): void {
  const selectAt = (x: number, y: number, within: number) => {
    const contact = stage.pickContact(x, y, within);
    if (contact !== null) {
      model.select({ kind: 'contact', key: contact });
      return;
    }
    const hit = stage.pickBody(x, y);
    model.select(hit === null ? null : { kind: 'body', index: hit.body });
  };
  stage.canvas.addEventListener('dblclick', (event) => selectAt(event.clientX, event.clientY, MOUSE));
  let last = { time: 0, x: 0, y: 0 };
  stage.canvas.addEventListener('pointerup', (event) => {
    if (event.pointerType !== 'touch') return;
    const { clientX: x, clientY: y, timeStamp: time } = event;
    if (time - last.time < DOUBLE && Math.hypot(x - last.x, y - last.y) < FINGER) selectAt(x, y, FINGER);
    last = { time, x, y };
  });
}
