// The certificate badge: green if every answer of the frame is certified, red otherwise.

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
    const state = frame.certified ? 'good' : 'bad';
    attribute(badge, 'data-state', state);
    text(word, frame.certified ? `Certified ${TOLERANCE}` : 'Not certified');
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
