// Numbers as people read them: few digits with a unit; all digits for tooltips.

import type { Vec3 } from './vec';

const MINUS = '\u2212';

/** Three or four significant digits. */
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

/** Digits that are zero where the value is nothing beside a scale: noise reads as nothing. */
export function digitsBeside(value: number, scale: number, count = 4): string {
  return Math.abs(value) < 1e-9 * scale ? '0' : digits(value, count);
}

export const withUnit = (value: number, unit: string, count = 4): string =>
  Number.isNaN(value) ? '–' : `${digits(value, count)}\u202f${unit}`;

export const percent = (part: number): string =>
  Number.isNaN(part) ? '–' : `${digits(Math.abs(part) < 1e-5 ? 0 : 100 * part, 3)}\u202f%`;

/** Every digit, for tooltips. */
export const full = (value: number, unit = ''): string => `${String(value)}${unit === '' ? '' : ` ${unit}`}`;

export const fullVec = (v: Vec3, unit = ''): string => `(${v.join(', ')})${unit === '' ? '' : ` ${unit}`}`;

/** A small number as a power of ten with one digit. */
export const small = (value: number): string =>
  value === 0 ? '0' : value.toExponential(1).replace('e+', 'e').replace('-', MINUS);
