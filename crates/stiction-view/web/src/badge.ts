// The certificate: green while every answer is certified, red with the residual where one is not.

import { attribute, h, text } from './dom';
import { full, small } from './format';
import type { Model } from './model';

/** The largest relative residual that is certified, of `crates/stiction-solvers/src/judge.rs`. */
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
  let said = 'none';
  const show = () => {
    const { frame } = model;
    if (frame === null) return;
    const state = frame.certified ? 'good' : 'bad';
    attribute(badge, 'data-state', state);
    text(word, frame.certified ? `Certified ${TOLERANCE}` : 'Not certified');
    text(
      detail,
      frame.certified && model.uncertified > 0
        ? `${model.uncertified} ${model.uncertified === 1 ? 'frame' : 'frames'} not`
        : `residual ${small(frame.residual)}`,
    );
    attribute(
      badge,
      'title',
      `Worst relative residual of the answers since the last frame: ${full(frame.residual)}. ` +
        (frame.certified
          ? `Every answer is certified to ${TOLERANCE}.`
          : 'At least one answer is not certified.') +
        (model.uncertified > 0 ? ` Frames of this run that were not certified: ${model.uncertified}.` : ''),
    );
    if (state !== said) {
      // Spoken only when it changes.
      attribute(badge, 'aria-live', said === 'none' ? 'off' : 'assertive');
      said = state;
    }
  };
  model.on('frame', show);
  return badge;
}
