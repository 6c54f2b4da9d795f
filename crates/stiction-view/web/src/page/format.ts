// Formats numbers: few digits with a unit for display, all digits for tooltips.

import type { Vec3 } from '../data/vec';

const MINUS = '\u2212';

/** `count` significant digits, four by default. */
export function digits(value: number, count = 4): string {
  if (Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${MINUS}∞`;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 1e-3 || size >= 1e6) {
    const [mantissa, exponent] = value.toExponential(1).split('e') as [string, string];
    const power = exponent.replace('+', '').replace('-', MINUS);
    return `${mantissa.replace('-', MINUS)}e${power}`;
  }
  const places = Math.max(0, Math.min(4, count - 1 - Math.floor(Math.log10(size))));
  return value.toFixed(places).replace('-', MINUS);
}

/** Values below this fraction of what they are a part of are rounding noise. */
export const NOISE = 1e-9;

/** A value, or zero if it is rounding noise beside a scale. */
export const quiet = (value: number, scale: number): number => (Math.abs(value) <= NOISE * scale ? 0 : value);

/** Like `digits`, but shows rounding noise as zero. */
export const digitsRelative = (value: number, scale: number, count = 4): string =>
  digits(quiet(value, scale), count);

export const withUnit = (value: number, unit: string, count = 4): string =>
  Number.isNaN(value) ? '–' : `${digits(value, count)}\u202f${unit}`;

export const percent = (fraction: number): string =>
  Number.isNaN(fraction) ? '–' : `${digits(Math.abs(fraction) < 1e-5 ? 0 : 100 * fraction, 3)}\u202f%`;

/** All digits, for tooltips. */
export const full = (value: number, unit = ''): string => `${String(value)}${unit === '' ? '' : ` ${unit}`}`;

export const fullVec = (v: Vec3, unit = ''): string => `(${v.join(', ')})${unit === '' ? '' : ` ${unit}`}`;

/** Scientific notation with two digits. */
export const scientific = (value: number): string =>
  value === 0 ? '0' : value.toExponential(1).replace('e+', 'e').replace('-', MINUS);
