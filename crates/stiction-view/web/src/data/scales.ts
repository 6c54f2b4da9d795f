// The sizes of forces, speeds and energies in a scene: what is small beside them is rounding noise.

import type { Frame, Scene } from './frame';
import { length, type Vec3 } from './vec';

export interface Scales {
  /** Largest weight, applied or contact force (N). */
  force: number;
  /** Speed after a fall by the size of a body, or the largest speed (m/s). */
  speed: number;
  /** Size of the scene (m). */
  length: number;
  /** Energy of lifting everything by the size of a body, or what was converted (J). */
  energy: number;
}

/** A length that is small in every scene that is drawn (m). */
const LEAST_LENGTH = 1e-3;

export function scalesOf(scene: Scene, frame: Frame, gravity: Vec3): Scales {
  const g = length(gravity);
  const free = scene.bodies.filter(({ motion }) => motion === 'free');
  const masses = free.map(({ mass }) => mass ?? 0);
  const positions = frame.bodies.map(({ position }) => position);
  const span = [0, 1, 2].map((axis) => {
    const values = positions.map((position) => position[axis]!);
    return Math.max(...values) - Math.min(...values);
  });
  const size = Math.max(LEAST_LENGTH, ...span.filter(Number.isFinite));
  const speeds = frame.bodies.map(({ velocity }) => length(velocity));
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  return {
    force: Math.max(
      0,
      ...masses.map((mass) => mass * g),
      ...free.map(({ force }) => length(force)),
      ...frame.contacts.map(({ normalForce }) => normalForce),
    ),
    speed: Math.max(Math.sqrt(2 * g * size), ...speeds),
    length: size,
    energy: Math.max(total * g * size, frame.ledger.turnover, Math.abs(frame.ledger.kinetic)),
  };
}
