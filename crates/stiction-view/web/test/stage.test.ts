// The scale of the arrows, the resultants, and what is rounding noise.

import { describe, expect, it } from 'vitest';
import type { BodyInfo, BodyState, Contact, Frame, Scene } from '../src/data/frame';
import { resultants } from '../src/data/resultants';
import type { Vec3 } from '../src/data/vec';
import { digitsRelative, quiet } from '../src/page/format';
import { leading, reference, roundUp } from '../src/stage/scale';

const contact = (point: Vec3, normalForce: number, more: Partial<Contact> = {}): Contact => ({
  a: 1,
  b: 0,
  feature: '0',
  key: `1/0/${point.join()}`,
  point,
  normal: [0, 0, 1],
  gap: 0,
  normalForce,
  friction: [0, 0, 0],
  normalImpulse: 0,
  frictionImpulse: [0, 0, 0],
  slip: [0, 0, 0],
  margin: 1,
  muStatic: 0.5,
  muDynamic: 0.5,
  mode: 'sticks',
  uniqueness: 'not checked',
  ...more,
});

const box = (x: number, half: Vec3): BodyInfo['parts'][number] => ({
  position: [x, 0, 0],
  rotation: [0, 0, 0, 1],
  shape: { kind: 'box', half },
});

const state = (position: Vec3): BodyState => ({
  position,
  rotation: [0, 0, 0, 1],
  velocity: [0, 0, 0],
  angular: [0, 0, 0],
});

/** A body of parts on the ground. */
const world = (parts: BodyInfo['parts'], contacts: Contact[]): [Scene, Frame] => [
  { bodies: [{ parts: [] }, { parts }] } as unknown as Scene,
  { bodies: [state([0, 0, 0]), state([0, 0, 0.5])], contacts } as unknown as Frame,
];

describe('resultants', () => {
  const corners: Vec3[] = [
    [1, 1, 0],
    [-1, 1, 0],
    [-1, -1, 0],
    [1, -1, 0],
  ];

  it('adds the forces of a face at their centre of pressure', () => {
    const forces = [30, 10, 10, 30];
    const all = resultants(
      ...world(
        [box(0, [1, 1, 0.5])],
        corners.map((point, i) => contact(point, forces[i]!)),
      ),
    );
    expect(all.length).toBe(1);
    expect(all[0]!.normal).toEqual([0, 0, 80]);
    // Moments about y: (60 · 1 − 20 · 1) / 80.
    expect(all[0]!.point[0]).toBeCloseTo(0.5, 12);
    expect(all[0]!.point[1]).toBeCloseTo(0, 12);
    expect(all[0]!.count).toBe(4);
  });

  it('keeps the feet of a table apart, and faces with other normals', () => {
    const legs = [box(-1, [0.1, 0.1, 0.5]), box(1, [0.1, 0.1, 0.5])];
    const feet = [contact([-1.1, 0, 0], 5), contact([-0.9, 0, 0], 5), contact([1, 0, 0], 10)];
    expect(resultants(...world(legs, feet)).map(({ count }) => count)).toEqual([2, 1]);
    const corner = [contact([0, 0, 0], 1), contact([0, 0, 0], 1, { normal: [1, 0, 0] })];
    expect(resultants(...world([box(0, [1, 1, 0.5])], corner)).length).toBe(2);
  });

  it('slips only if every loaded contact slips', () => {
    const one = [contact([0, 0, 0], 1, { mode: 'slips' }), contact([1, 0, 0], 1)];
    expect(resultants(...world([], one))[0]!.mode).toBe('sticks');
    const both = one.map((it) => ({ ...it, mode: 'slips' as const }));
    expect(resultants(...world([], both))[0]!.mode).toBe('slips');
    expect(resultants(...world([], [contact([0, 0, 0], 0, { mode: 'open' })]))).toEqual([]);
  });
});

describe('the scale of the arrows', () => {
  it('follows the largest of few forces and the 95th percentile of many', () => {
    expect(leading([3, NaN, 12, 7])).toBe(12);
    expect(leading([...Array.from({ length: 99 }, () => 1), 1000])).toBe(1);
    expect(leading([])).toBe(0);
  });

  it('rounds up to 1, 2 or 5', () => {
    expect([0.9, 1, 1.01, 3, 7, 230].map(roundUp)).toEqual([1, 1, 2, 5, 10, 500]);
  });

  it('stays while the forces change little', () => {
    expect(reference([40], 0)).toBe(50);
    expect(reference([20], 50)).toBe(50);
    expect(reference([60], 50)).toBe(100);
    expect(reference([10], 50)).toBe(10);
    expect(reference([], 50)).toBe(50);
  });
});

it('shows rounding noise as 0', () => {
  expect(digitsRelative(3.9e-51, 100)).toBe('0');
  expect(digitsRelative(3.9e-51, 0)).not.toBe('0');
  expect(quiet(1e-3, 100)).toBe(1e-3);
});
