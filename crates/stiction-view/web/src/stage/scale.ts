// The length of force arrows: one reference force, which the legend shows, has a length that suits the picture.

/** From this number of arrows on, the largest five per cent do not set the scale. */
const MANY = 20;
const QUANTILE = 0.95;
/** The reference stays while the forces are above this fraction of it, so that arrows do not flicker. */
const KEPT = 0.3;

/** The force that sets the scale: the largest, or of many the 95th percentile. */
export function leading(sizes: number[]): number {
  const sorted = sizes.filter((size) => size > 0 && Number.isFinite(size)).sort((a, b) => a - b);
  if (sorted.length === 0) return 0;
  const at = sorted.length < MANY ? sorted.length - 1 : Math.floor(QUANTILE * (sorted.length - 1));
  return sorted[at]!;
}

/** The next number 1, 2 or 5 times a power of ten that is not below a force. */
export function roundUp(force: number): number {
  const power = 10 ** Math.floor(Math.log10(force));
  return ([1, 2, 5, 10].find((digit) => digit * power >= force * (1 - 1e-9)) ?? 10) * power;
}

/** The reference force of a frame, from the one before. */
export function reference(sizes: number[], before: number): number {
  const now = leading(sizes);
  if (now === 0) return before;
  return now > before || now < KEPT * before ? roundUp(now) : before;
}
