// The certificate badge: green if every answer of the frame is certified and every law of motion holds, red otherwise.

import { attribute, h, text } from './dom';
import { full, scientific } from './format';
import type { Model } from './model';

/** Largest relative residual that the judge certifies (`crates/stiction-solvers/src/judge.rs`). */
const TOLERANCE = '1e-8';

export function makeBadge(model: Model): HTMLElement {
  const word = h('span', { class: 'badge-word' }, 'No answer yet');
  const detail = h('span', { class: 'badge-detail' });
  const badge = h(
    'div',
    { class: 'badge', role: 'status', 'aria-live': 'off', 'data-state': 'none' },
    h('span', { class: 'badge-light', 'aria-hidden': 'true' }),
    word,
    detail,
  );
  let announced = 'none';
  const show = () => {
    const { frame } = model;
    if (frame === null) return;
    const broken = frame.laws.filter((law) => law.broken);
    const holds = frame.certified && broken.length === 0;
    const state = holds ? 'good' : 'bad';
    attribute(badge, 'data-state', state);
    const names = broken.map((law) => law.name).join(', ');
    text(word, holds ? `Certified ${TOLERANCE}` : names === '' ? 'Not certified' : `Not certified: ${names}`);
    text(
      detail,
      frame.certified && model.uncertified > 0
        ? `${model.uncertified} ${model.uncertified === 1 ? 'frame' : 'frames'} uncertified`
        : `residual ${scientific(frame.residual)}`,
    );
    attribute(
      badge,
      'title',
      `Worst relative residual of the answers since the last frame: ${full(frame.residual)}. ` +
        (frame.certified
          ? `Every answer is certified to ${TOLERANCE}.`
          : 'At least one answer is not certified.') +
        broken.map((law) => ` The law of ${law.name} is broken: ${scientific(law.worst)}.`).join('') +
        (model.uncertified > 0 ? ` Uncertified frames of this run: ${model.uncertified}.` : ''),
    );
    if (state !== announced) {
      // Screen readers announce changes only.
      attribute(badge, 'aria-live', announced === 'none' ? 'off' : 'assertive');
      announced = state;
    }
  };
  model.on('frame', show);
  return badge;
}
