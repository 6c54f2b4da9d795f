// The force sums and slip limits of the Why panel.

import { describe, expect, it } from 'vitest';
import { contactForce, freeBody, slipLimits, springForce } from '../src/data/forces';
import type { BodyInfo, BodyState, Contact, Frame, Scene } from '../src/data/frame';
import { length, type Vec3 } from '../src/data/vec';

const G: Vec3 = [0, 0, -10];

const body = (name: string, more: Partial<BodyInfo> = {}): BodyInfo => ({
  name,
  motion: 'free',
  mass: 2,
  inertia: [
    [0.5, 0, 0],
    [0, 0.5, 0],
    [0, 0, 0.25],
  ],
  force: [0, 0, 0],
  torque: [0, 0, 0],
  levels: [1],
  parts: [],
  ...more,
});
const at = (position: Vec3, more: Partial<BodyState> = {}): BodyState => ({
  position,
  rotation: [0, 0, 0, 1],
  velocity: [0, 0, 0],
  angular: [0, 0, 0],
  ...more,
});
const contact = (
  a: number,
  b: number,
  point: Vec3,
  normalForce: number,
  friction: Vec3 = [0, 0, 0],
): Contact => ({
  a,
  b,
  feature: '0',
  key: '',
  point,
  normal: [0, 0, 1],
  gap: 0,
  normalForce,
  friction,
  normalImpulse: 0,
  frictionImpulse: [0, 0, 0],
  slip: [0, 0, 0],
  margin: 0,
  muStatic: 0.5,
  muDynamic: 0.4,
  mode: 'sticks',
  uniqueness: 'unique',
});
const scene = (bodies: BodyInfo[], more: Partial<Scene> = {}): Scene => ({
  format: 'stiction-frames-2',
  title: '',
  look_for: '',
  separated: '',
  figure: '',
  run: { until: 1, dt: 0.01, stepper: '', solver: '' },
  gravity: G,
  plane: null,
  bodies,
  joints: [],
  springs: [],
  ...more,
});
const frame = (bodies: BodyState[], more: Partial<Frame> = {}): Frame => ({
  index: 0,
  time: 0,
  hash: '',
  problems: 0,
  certified: true,
  residual: 0,
  ledger: { kinetic: 0, potential: 0, work: 0, friction: 0, impacts: 0, start: 0, turnover: 0 },
  bodies,
  joints: [],
  contacts: [],
  laws: [],
  answers: [],
  events: [],
  ...more,
});
const floor = body('floor', {
  motion: 'fixed',
  mass: null,
  inertia: [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ],
});

describe('freeBody', () => {
  it('balances a block on two contacts', () => {
    const sums = freeBody(
      scene([floor, body('block')]),
      frame([at([0, 0, 0]), at([0, 0, 1])], {
        contacts: [contact(1, 0, [-1, 0, 0], 10), contact(1, 0, [1, 0, 0], 10)],
      }),
      G,
      1,
    );
    expect(sums.loads.map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'weight weight',
      'contact floor',
      'contact floor',
    ]);
    expect(sums.force).toEqual([0, 0, 0]);
    expect(length(sums.torque)).toBe(0);
    expect(sums.acceleration).toEqual([0, 0, 0]);
    expect(sums.forceScale).toBe(40);
  });

  it('reverses the contact force on the second body', () => {
    const one = contact(0, 1, [0, 0, 0], 20, [3, 0, 0]);
    expect(contactForce(one, 0)).toEqual([3, 0, 20]);
    expect(contactForce(one, 1)).toEqual([-3, -0, -20]);
    const both = [0, 1].map((which) =>
      freeBody(
        scene([body('a'), body('b')]),
        frame([at([0, 0, 1]), at([0, 0, -1])], { contacts: [one] }),
        [0, 0, 0],
        which,
      ),
    );
    expect(both[0]!.force.map((v, i) => v + both[1]!.force[i]!)).toEqual([0, 0, 0]);
    // Arm (0, 0, -1) and force (3, 0, 20).
    expect(both[0]!.torque).toEqual([0, -3, 0]);
  });

  it('derives the acceleration from the sums', () => {
    const sums = freeBody(
      scene([body('block', { force: [4, 0, 0], torque: [0, 0, 0.5] })]),
      frame([at([0, 0, 0])]),
      G,
      0,
    );
    expect(sums.force).toEqual([4, 0, -20]);
    expect(sums.acceleration).toEqual([2, 0, -10]);
    expect(sums.angularAcceleration).toEqual([0, 0, 2]);
  });

  it('includes the gyroscopic torque', () => {
    const sums = freeBody(
      scene([
        body('top', {
          inertia: [
            [1, 0, 0],
            [0, 2, 0],
            [0, 0, 3],
          ],
        }),
      ]),
      frame([at([0, 0, 0], { angular: [1, 1, 0] })]),
      [0, 0, 0],
      0,
    );
    // ω × Iω = (1, 1, 0) × (1, 2, 0) = (0, 0, 1).
    expect(sums.angularAcceleration![2]).toBeCloseTo(-1 / 3, 12);
  });

  it('moves the joint reaction to the centre of mass of the second body', () => {
    const joint = {
      name: 'pin',
      kind: 'hinge',
      a: 0,
      b: 1,
      frame_a: { position: [1, 0, 0] as Vec3, rotation: [0, 0, 0, 1] as [number, number, number, number] },
      frame_b: { position: [-1, 0, 0] as Vec3, rotation: [0, 0, 0, 1] as [number, number, number, number] },
    };
    const now = frame([at([0, 0, 0]), at([2, 0, 0])], {
      joints: [{ force: [0, 0, 5], torque: [0, -5, 0], drive: 0, coordinate: 0, turn: 0 }],
    });
    const [first, second] = [0, 1].map((which) =>
      freeBody(scene([body('a'), body('b')], { joints: [joint] }), now, [0, 0, 0], which),
    ) as [ReturnType<typeof freeBody>, ReturnType<typeof freeBody>];
    expect(first.loads[0]!.at).toEqual([1, 0, 0]);
    expect(second.force[2]).toBe(-5);
    // The force -5 at (1, 0, 0), one metre left of the second centre: (-1, 0, 0) × (0, 0, -5) = (0, -5, 0).
    expect(second.torque.map((v) => v + 0)).toEqual([0, -5, 0]);
  });

  it('includes spring forces', () => {
    const spring = {
      name: 's',
      a: 0,
      b: null,
      on_a: [0, 0, 0] as Vec3,
      on_b: [0, 0, 3] as Vec3,
      length: 1,
      stiffness: 10,
      damping: 2,
    };
    const now = frame([at([0, 0, 0], { velocity: [0, 0, 1] })]);
    // Stretched by 2 m, shortening at 1 m/s: 20 - 2 = 18 N up.
    expect(springForce(spring, now).force[2]).toBeCloseTo(18, 12);
    expect(freeBody(scene([body('a')], { springs: [spring] }), now, [0, 0, 0], 0).force[2]).toBeCloseTo(
      18,
      12,
    );
  });

  it('adds the reaction of the plane constraint', () => {
    const sums = freeBody(
      scene([body('flat', { force: [1, 7, 0], torque: [2, 3, 0] })], { plane: [0, 1, 0] }),
      frame([at([0, 0, 0])]),
      [0, 0, 0],
      0,
    );
    expect(sums.loads.at(-1)!.kind).toBe('plane');
    expect(sums.force).toEqual([1, 0, 0]);
    expect(sums.torque).toEqual([0, 3, 0]);
  });

  it('gives fixed bodies no weight', () => {
    const sums = freeBody(
      scene([floor, body('block')]),
      frame([at([0, 0, 0]), at([0, 0, 1])], { contacts: [contact(1, 0, [0, 0, 0], 20)] }),
      G,
      0,
    );
    expect(sums.force.map((v) => v + 0)).toEqual([0, 0, -20]);
    expect(sums.acceleration).toBeNull();
  });

  it('includes the pull of the mouse if its force is known', () => {
    const sums = freeBody(scene([body('a')]), frame([at([0, 0, 0])]), [0, 0, 0], 0, {
      body: 0,
      on: [0, 1, 0],
      force: [2, 0, 0],
    });
    expect(sums.force).toEqual([2, 0, 0]);
    expect(sums.torque[2]).toBe(-2);
  });
});

describe('slipLimits', () => {
  it('compares the friction force with its limit', () => {
    const limits = slipLimits(contact(1, 0, [0, 0, 0], 20, [3, 4, 0]));
    expect(limits).toMatchObject({ mu: 0.5, limit: 10, friction: 5, reserve: 5, leastNormal: 10 });
    expect(limits.cone).toBeCloseTo(Math.atan(0.5), 12);
    expect(limits.angle).toBeCloseTo(Math.atan(0.25), 12);
  });

  it('uses the dynamic coefficient while it slips', () => {
    expect(slipLimits({ ...contact(1, 0, [0, 0, 0], 20, [8, 0, 0]), mode: 'slips' }).reserve).toBeCloseTo(
      0,
      12,
    );
  });
});
