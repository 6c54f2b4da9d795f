// The badge in the header: the certificate of the motion so far, grey until something was solved.

import { LAWS, type LawName } from '../data/frame';
import type { Model } from '../data/model';
import type { Summary } from '../data/summary';
import { attribute, h, text } from './dom';
import { full, scientific } from './format';

/** The tolerance that certified answers satisfy. */
const TOLERANCE = '1e-8';

/** What the laws of motion are about, for the tooltip. */
const MEANINGS: Record<LawName, string> = {
  contact: 'contact forces',
  overlap: 'overlap',
  modes: 'sticking and slipping',
  joints: 'joints',
  energy: 'energy',
  momentum: 'momentum',
  uniqueness: 'uniqueness of the motion',
};

type State = 'none' | 'good' | 'bad';

function stateOf(summary: Summary): State {
  if (summary.problems === 0) return 'none';
  const holds = summary.uncertified === 0 && summary.laws.every(({ broken }) => !broken);
  return holds ? 'good' : 'bad';
}

function word(summary: Summary, state: State): string {
  if (state === 'none') return 'Nothing solved yet';
  if (state === 'good') return `Certified ${TOLERANCE}`;
  const broken = summary.laws.filter((law) => law.broken).map(({ name }) => name);
  return broken.length === 0 ? 'Not certified' : `Not certified: ${broken.join(', ')}`;
}

function detail(summary: Summary, state: State): string {
  if (state === 'none') return '';
  if (summary.uncertified > 0) return `${summary.uncertified} of ${summary.frames} frames uncertified`;
  return `residual ${scientific(summary.residual)}`;
}

/** Every law with its worst value. */
function tooltip(summary: Summary, state: State): string {
  if (state === 'none') return 'No contact problem has been solved: there is nothing to certify.';
  const laws = LAWS.map((name, i) => {
    const { worst, broken } = summary.laws[i]!;
    const value = Number.isNaN(worst) ? 'not judged' : `at most ${scientific(worst)}`;
    return `${MEANINGS[name]}: ${value}${broken ? ', broken' : ''}`;
  });
  return (
    `Certificate of the motion over ${summary.frames} frames and ${summary.problems} contact problems. ` +
    `Worst relative residual: ${full(summary.residual)}. ${laws.join('; ')}.`
  );
}

export function makeBadge(model: Model): HTMLElement {
  const words = h('span', { class: 'badge-word' }, 'Nothing solved yet');
  const details = h('span', { class: 'badge-detail' });
  const badge = h(
    'div',
    { class: 'badge', role: 'status', 'aria-live': 'off', 'data-state': 'none' },
    h('span', { class: 'badge-light', 'aria-hidden': 'true' }),
    words,
    details,
  );
  let announced: State = 'none';
  model.on('frame', () => {
    const { summary } = model;
    const state = stateOf(summary);
    attribute(badge, 'data-state', state);
    text(words, word(summary, state));
    text(details, detail(summary, state));
    attribute(badge, 'title', tooltip(summary, state));
    if (state === announced) return;
    // Screen readers announce changes only.
    attribute(badge, 'aria-live', announced === 'none' ? 'off' : 'assertive');
    announced = state;
  });
  return badge;
}
