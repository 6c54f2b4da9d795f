// What a run is worth so far: the certificate of its motion, over all frames that the page has seen.

import { decodeHead, type Head, LAWS, type LawValue } from './frame';

export interface Summary {
  /** Frames seen, and those with an answer that is not certified. */
  frames: number;
  uncertified: number;
  /** Problems solved that had a contact or a joint: without one there is nothing to solve. */
  problems: number;
  /** Worst relative residual of all answers. */
  residual: number;
  /** Worst value of every law; NaN if it was never judged. */
  laws: LawValue[];
}

export const emptySummary = (): Summary => ({
  frames: 0,
  uncertified: 0,
  problems: 0,
  residual: 0,
  laws: LAWS.map((name) => ({ name, worst: NaN, broken: false })),
});

/** Adds a frame to a summary. */
export function include(summary: Summary, head: Head): void {
  summary.frames += 1;
  summary.uncertified += head.certified ? 0 : 1;
  summary.problems += head.constraints > 0 ? head.problems : 0;
  summary.residual = Math.max(summary.residual, head.residual);
  head.laws.forEach(({ worst, broken }, i) => {
    const law = summary.laws[i]!;
    if (!(law.worst >= worst) && !Number.isNaN(worst)) law.worst = worst;
    law.broken ||= broken;
  });
}

export function summaryOf(frames: readonly Uint8Array[]): Summary {
  const summary = emptySummary();
  for (const bytes of frames) include(summary, decodeHead(bytes));
  return summary;
}
