// Messages over the stage; they disappear by themselves.

import type { Model } from '../data/model';
import { h } from './dom';

/** Most messages at once, and how long one stays (ms). */
const MOST = 3;
const STAYS = 6000;

export function makeMessages(model: Model): HTMLElement {
  const element = h('div', { class: 'messages', role: 'status', 'aria-live': 'polite' });
  model.on('message', (content) => {
    const message = h('div', { class: 'message' }, content);
    element.append(message);
    while (element.childElementCount > MOST) element.firstElementChild!.remove();
    setTimeout(() => message.remove(), STAYS);
  });
  return element;
}
