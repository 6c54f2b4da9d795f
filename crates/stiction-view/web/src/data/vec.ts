// Vectors and rotations as plain arrays, for the force sums.

export type Vec3 = [number, number, number];
/** x, y, z, w. */
export type Quat = [number, number, number, number];
export type Mat3 = [Vec3, Vec3, Vec3];

export const ZERO: Vec3 = [0, 0, 0];

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (k: number, a: Vec3): Vec3 => [k * a[0], k * a[1], k * a[2]];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export function unit(a: Vec3): Vec3 {
  const size = length(a);
  return size > 0 ? scale(1 / size, a) : [0, 0, 0];
}

/** A unit vector perpendicular to a unit vector. */
export function perpendicular(a: Vec3): Vec3 {
  const axis: Vec3 = Math.abs(a[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, axis));
}

export function rotate(q: Quat, v: Vec3): Vec3 {
  const axis: Vec3 = [q[0], q[1], q[2]];
  const t = scale(2, cross(axis, v));
  return add(add(v, scale(q[3], t)), cross(axis, t));
}

export const unrotate = (q: Quat, v: Vec3): Vec3 => rotate([-q[0], -q[1], -q[2], q[3]], v);

export const times = (m: Mat3, v: Vec3): Vec3 => [dot(m[0], v), dot(m[1], v), dot(m[2], v)];

/** Solves m x = v for x; null if m is singular. */
export function solve(m: Mat3, v: Vec3): Vec3 | null {
  const columns: Mat3 = [
    [m[0][0], m[1][0], m[2][0]],
    [m[0][1], m[1][1], m[2][1]],
    [m[0][2], m[1][2], m[2][2]],
  ];
  const [a, b, c] = columns;
  const det = dot(a, cross(b, c));
  if (!Number.isFinite(det) || det === 0) return null;
  return [dot(v, cross(b, c)) / det, dot(a, cross(v, c)) / det, dot(a, cross(b, v)) / det];
}
