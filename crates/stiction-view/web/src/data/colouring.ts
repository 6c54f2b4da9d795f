// Colours of the bodies: by body, level, or a quantity.

import { slipLimits } from './forces';
import type { Contact, Frame, Scene } from './frame';
import type { Model } from './model';
import { length } from './vec';

export const COLOURINGS = ['auto', 'body', 'level', 'utilisation', 'speed', 'force'] as const;
export type Colouring = (typeof COLOURINGS)[number];
/** A quantity with a value per body, and its unit. */
export type Quantity = 'utilisation' | 'speed' | 'force';

/** Whether bodies of a scene are on different levels. */
export const hasLevels = (scene: Scene): boolean =>
  new Set(scene.bodies.map(({ levels }) => levels.join())).size > 1;

/** The colouring in use: by level in a scene with levels, else by body, unless one was chosen. */
export function colouringOf(model: Model): Exclude<Colouring, 'auto'> {
  const { colour } = model.show;
  if (colour !== 'auto') return colour;
  return model.scene !== null && hasLevels(model.scene) ? 'level' : 'body';
}

/** Used part of the friction cone of a contact, |T| / μN: 1 where it slips, also of a force that is not unique. */
function used(contact: Contact): number {
  if (contact.mode === 'slips') return 1;
  const { friction, limit } = slipLimits(contact);
  return limit > 0 ? friction / limit : 0;
}

/** The value of a quantity for every body, and the value that has the last colour of the scale. */
export function quantities(
  frame: Frame,
  quantity: Quantity,
): { values: number[]; most: number; unit: string } {
  if (quantity === 'speed') {
    const values = frame.bodies.map(({ velocity }) => length(velocity));
    return { values, most: Math.max(...values), unit: 'm/s' };
  }
  const values = frame.bodies.map(() => 0);
  for (const contact of frame.contacts) {
    if (!(contact.normalForce > 0)) continue;
    for (const body of [contact.a, contact.b]) {
      values[body] =
        quantity === 'utilisation'
          ? Math.max(values[body]!, used(contact))
          : values[body]! + Math.hypot(contact.normalForce, length(contact.friction));
    }
  }
  return quantity === 'utilisation'
    ? { values, most: 1, unit: '' }
    : { values, most: Math.max(...values), unit: 'N' };
}

/** Stops of the scale, dark to light: even steps of lightness, readable without colour vision. */
const STOPS = [
  [48, 60, 134],
  [41, 112, 142],
  [32, 158, 134],
  [122, 195, 88],
  [248, 208, 64],
] as const;

/** Colour of a fraction from 0 to 1, as 0xrrggbb. */
export function ramp(fraction: number): number {
  const at = Math.max(0, Math.min(1, Number.isFinite(fraction) ? fraction : 0)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(at));
  const mixed = STOPS[low]!.map((value, i) => Math.round(value + (at - low) * (STOPS[low + 1]![i]! - value)));
  return (mixed[0]! << 16) | (mixed[1]! << 8) | mixed[2]!;
}

/** The scale as a CSS gradient. */
export const gradient = (): string =>
  `linear-gradient(90deg, ${STOPS.map(([r, g, b]) => `rgb(${r} ${g} ${b})`).join(', ')})`;
