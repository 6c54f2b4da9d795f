// The elements of the Why panel that the views of bodies and contacts fill.

import type { Model } from '../../data/model';
import { length, type Vec3 } from '../../data/vec';
import { h, iconButton } from '../../page/dom';
import { Facts, VectorTable } from './tables';

export interface View {
  element: HTMLElement;
  title: HTMLElement;
  chip: HTMLElement;
  drawing: HTMLElement;
  verdict: HTMLElement;
  facts: Facts;
  links: HTMLElement;
  forces: VectorTable;
  torques: VectorTable;
  uniqueness: HTMLElement;
}

export function makeView(model: Model): View {
  const select = (contact: number) => {
    const key = model.frame?.contacts[contact]?.key;
    if (key !== undefined) model.select({ kind: 'contact', key });
  };
  const title = h('h2');
  const chip = h('span', { class: 'chip' });
  const clear = iconButton('close', 'Clear the selection', () => model.select(null), 'Esc');
  const drawing = h('div', { class: 'drawing' });
  const verdict = h('p', { class: 'verdict' });
  const facts = new Facts();
  const links = h('div', { class: 'links' });
  const forces = new VectorTable('Forces', 'N', 'F', select);
  const torques = new VectorTable('Torques', 'N·m about the centre of mass', 'M', select);
  const uniqueness = h('p', { class: 'note' });
  const element = h(
    'div',
    { class: 'why' },
    h('div', { class: 'why-head' }, title, chip, clear),
    drawing,
    verdict,
    facts.element,
    links,
    forces.element,
    torques.element,
    uniqueness,
  );
  return { element, title, chip, drawing, verdict, facts, links, forces, torques, uniqueness };
}

/** The length of a vector; zero if it is below 1e-9 of a scale. */
export function lengthRelative(v: Vec3, scale: number): number {
  const size = length(v);
  return size < 1e-9 * scale ? 0 : size;
}
