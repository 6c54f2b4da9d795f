// The Why panel of a contact: its force in the friction cone and how far it is from slipping.

import { type SlipLimits, slipLimits } from '../../data/forces';
import type { Contact, Uniqueness } from '../../data/frame';
import type { Model } from '../../data/model';
import type { Scales } from '../../data/scales';
import { length } from '../../data/vec';
import { attribute, h, text } from '../../page/dom';
import { digits, full, fullVec, percent, quiet, withUnit } from '../../page/format';
import { drawCone } from './diagram';
import type { Fact } from './tables';
import { lengthRelative, type View } from './view';

const UNIQUENESS: Record<Uniqueness, string> = {
  unique: 'Unique: no other contact force fits the same contact modes.',
  'not unique': 'Not unique: other contact forces give the same motion. The solver chose this one.',
  undecided: 'Undecided: another contact force is possible only if a force leaves its limit.',
  'not checked': 'Uniqueness of this force was not checked.',
};

export function showContact(view: View, model: Model, contact: Contact): void {
  text(view.title, titleOf(model, contact));
  attribute(view.chip, 'class', `chip mode ${contact.mode}`);
  text(view.chip, contact.mode);
  view.drawing.replaceChildren(drawCone(contact));
  const limits = slipLimits(contact);
  text(view.verdict, verdict(contact, limits));
  view.facts.fill([...forceFacts(contact, limits, model.scales()), ...impulseFacts(contact)]);
  showLinks(view.links, model, contact);
  view.forces.element.hidden = view.torques.element.hidden = true;
  text(view.uniqueness, UNIQUENESS[contact.uniqueness]);
}

/** The selected contact does not exist in the current frame. */
export function showMissingContact(view: View): void {
  text(view.chip, 'no contact');
  attribute(view.chip, 'class', 'chip mode open');
  text(view.verdict, 'The bodies do not touch here at this time.');
  view.facts.fill([]);
  view.drawing.replaceChildren();
  text(view.uniqueness, '');
  view.forces.element.hidden = view.torques.element.hidden = true;
}

/** "block on floor": the free body is named first. */
function titleOf(model: Model, contact: Contact): string {
  const swap = model.body(contact.a)?.motion !== 'free' && model.body(contact.b)?.motion === 'free';
  const [first, second] = swap ? [contact.b, contact.a] : [contact.a, contact.b];
  return `${model.nameOf(first)} on ${model.nameOf(second)}`;
}

function verdict(contact: Contact, limits: SlipLimits): string {
  const { normalForce: normal } = contact;
  if (!(normal > 0))
    return contact.mode === 'open' ? 'Open: no contact force.' : 'The bodies touch without force.';
  if (limits.mu === 0) return 'Frictionless: no force resists tangential motion.';
  if (contact.mode === 'slips')
    return `Slipping at ${withUnit(length(contact.slip), 'm/s')}: friction opposes the motion with its limit μN = ${withUnit(limits.limit, 'N')}.`;
  if (contact.uniqueness === 'not unique')
    return 'Sticking. The force is not unique: how far the contact is from slipping cannot be said from this force.';
  if (limits.friction <= 1e-12 * limits.limit)
    return `Sticking without friction force. It slips under a tangential load above ${withUnit(limits.reserve, 'N')}.`;
  const lessNormal = withUnit(normal - limits.leastNormal, 'N');
  const coefficient = digits(limits.friction / normal, 3);
  return `Sticking. It slips if the tangential load rises by ${withUnit(limits.reserve, 'N')}, the normal force drops by ${lessNormal}, or the friction coefficient falls below ${coefficient}.`;
}

const degrees = (angle: number): string => `${digits((angle * 180) / Math.PI, 3)}°`;

function forceFacts(contact: Contact, limits: SlipLimits, scales: Scales): Fact[] {
  const { normalForce: normal } = contact;
  const force = (value: number) => withUnit(quiet(value, scales.force), 'N');
  return [
    ['normal force N', force(normal), full(normal, 'N')],
    ['friction |T|', force(limits.friction), fullVec(contact.friction, 'N')],
    ['limit μN', force(limits.limit), full(limits.limit, 'N')],
    ...marginFacts(contact, limits),
    [
      'μ static, dynamic',
      `${digits(contact.muStatic, 3)}, ${digits(contact.muDynamic, 3)}`,
      `${contact.muStatic}, ${contact.muDynamic}`,
    ],
    [
      'force angle, cone',
      normal > 0 && contact.uniqueness !== 'not unique'
        ? `${degrees(limits.angle)} of ${degrees(limits.cone)}`
        : '–',
      '',
    ],
    ['gap', withUnit(quiet(contact.gap, scales.length), 'm'), full(contact.gap, 'm')],
    [
      'slip velocity',
      withUnit(quiet(length(contact.slip), scales.speed), 'm/s'),
      fullVec(contact.slip, 'm/s'),
    ],
  ];
}

/** Reserve and margin; a force that is not unique has none. */
function marginFacts({ margin, uniqueness }: Contact, { reserve, limit }: SlipLimits): Fact[] {
  if (uniqueness === 'not unique') {
    const why = 'Other contact forces give the same motion, with other margins.';
    return [
      ['reserve μN − |T|', 'not unique', why],
      ['margin', 'not unique', why],
    ];
  }
  return [
    ['reserve μN − |T|', withUnit(lengthRelative([reserve, 0, 0], limit), 'N'), full(reserve, 'N')],
    ['margin', percent(margin), full(margin)],
  ];
}

function impulseFacts({ normalImpulse, frictionImpulse }: Contact): Fact[] {
  if (normalImpulse === 0 && !(length(frictionImpulse) > 0)) return [];
  return [
    ['collision impulse', withUnit(normalImpulse, 'N·s'), full(normalImpulse, 'N·s')],
    ['friction impulse', withUnit(length(frictionImpulse), 'N·s'), fullVec(frictionImpulse, 'N·s')],
  ];
}

/** Links to the two bodies; rebuilt only for another contact, so that they keep the focus. */
function showLinks(links: HTMLElement, model: Model, contact: Contact): void {
  if (links.dataset['key'] === contact.key && links.childElementCount > 0) return;
  links.dataset['key'] = contact.key;
  links.replaceChildren(
    ...[contact.a, contact.b].map((index) =>
      h(
        'button',
        { type: 'button', class: 'link', onclick: () => model.select({ kind: 'body', index }) },
        `Forces on ${model.nameOf(index)}`,
      ),
    ),
  );
}
