// Light and dark theme: follows the system until the user switches; colours of the stage.

import type { Model } from '../data/model';

export interface Palette {
  background: number;
  line: number;
  ground: number;
  edge: number;
  fixed: number;
  driven: number;
  bodies: number[];
  /** Bodies of the first, second… level. */
  levels: number[];
  normal: number;
  sticks: number;
  slips: number;
  open: number;
  joint: number;
  spring: number;
  accent: number;
  /** Weights, applied and driving forces. */
  load: number;
}

export const LIGHT: Palette = {
  background: 0xe9edf1,
  line: 0x9aa5b1,
  ground: 0xd3d9e0,
  edge: 0x39424e,
  fixed: 0xb4bcc6,
  driven: 0xc9b48a,
  bodies: [0x8fb0cf, 0xd9b48f, 0x9fc3a5, 0xc3a6c9, 0xd3a3a0, 0x9cc3c4, 0xc9c48f, 0xaab1d6],
  levels: [0x8fb0cf, 0xe0ad6e, 0x9fc3a5, 0xc3a6c9],
  normal: 0x1f3a5f,
  sticks: 0x0072b2,
  slips: 0xd55e00,
  open: 0x87909c,
  joint: 0x7a3fa0,
  spring: 0x3f7d4e,
  accent: 0x0b63ce,
  load: 0x2e7d32,
};

export const DARK: Palette = {
  background: 0x1a1f26,
  line: 0x56616e,
  ground: 0x2a323c,
  edge: 0x0c0f13,
  fixed: 0x56606c,
  driven: 0x8a7848,
  bodies: [0x5f86ad, 0xb08a63, 0x6f9b78, 0x97799f, 0xa97773, 0x6b9a9b, 0x9d985f, 0x7d86b3],
  levels: [0x5f86ad, 0xb5803f, 0x6f9b78, 0x97799f],
  normal: 0xe8edf4,
  sticks: 0x4db1ee,
  slips: 0xff8f3f,
  open: 0x8b95a3,
  joint: 0xc48be8,
  spring: 0x7cc48d,
  accent: 0x6cb2ff,
  load: 0x7fd48a,
};

export type Theme = 'light' | 'dark';

const KEY = 'stiction-theme';

const system = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

let chosen: Theme | null = stored();

export function currentTheme(): Theme {
  return chosen ?? system();
}

export const palette = (theme: Theme): Palette => (theme === 'dark' ? DARK : LIGHT);

/** Applies the theme and follows the system; returns a function that switches the theme. */
export function startTheme(model: Model): () => void {
  const apply = () => {
    document.documentElement.dataset['theme'] = currentTheme();
    model.emit('theme', currentTheme());
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
  apply();
  return () => {
    const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark';
    chosen = next === system() ? null : next;
    try {
      if (chosen === null) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, chosen);
    } catch {
      // Without storage (a file, a sandbox) the choice lasts until the page is closed.
    }
    apply();
  };
}
