// The Why panel: every force on the selected body, or how far the selected contact is from slipping.

import type { Model } from '../data/model';
import { h, throttled } from '../page/dom';
import { showBody } from './why/body';
import { showContact, showMissingContact } from './why/contact';
import type { Axes } from './why/diagram';
import { makeView } from './why/view';

export function makeWhy(model: Model, axes: () => Axes): { element: HTMLElement; update: () => void } {
  const view = makeView(model);
  const empty = h(
    'div',
    { class: 'empty' },
    h('p', {}, 'Why does a body rest or slide?'),
    h(
      'p',
      { class: 'note' },
      'Double-click a body or a contact point, or press ',
      h('kbd', {}, '↓'),
      ' in the view, to see every force that acts on it.',
    ),
  );
  const element = h('div', { class: 'panel-page' }, empty, view.element);
  const update = throttled(120, () => {
    const { selection } = model;
    empty.hidden = selection !== null;
    view.element.hidden = selection === null;
    if (selection === null || element.offsetParent === null) return;
    if (selection.kind === 'body') {
      showBody(view, model, axes(), selection.index);
      return;
    }
    const found = model.selectedContact();
    if (found === null) showMissingContact(view);
    else showContact(view, model, found.contact);
  });
  model.on('frame', update);
  model.on('status', update);
  model.on('selection', update);
  model.on('theme', update);
  element.addEventListener('shown', update);
  update();
  return { element, update };
}
