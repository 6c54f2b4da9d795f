// The frame rate of the stage, and whether it has been low for long.

/** Frame rate (1/s) up to which drawing counts as slow. */
const SLOW = 45;
/** How long drawing may be slow (ms). */
const TOLERATED = 1500;
/** A pause of the drawing (ms) that restarts the measurement. */
const PAUSE = 400;

export class FrameRate {
  /** Pictures per second, measured over the last second of drawing. */
  current = 0;
  private readonly times: number[] = [];
  private slowSince = 0;

  /** Records a picture at a time (ms); returns whether the rate has been low for too long. */
  record(now: number): boolean {
    const last = this.times[this.times.length - 1];
    if (last !== undefined && now - last > PAUSE) {
      this.times.length = 0;
      this.slowSince = now;
    }
    this.times.push(now);
    while (this.times[0]! < now - 1000) this.times.shift();
    const span = now - this.times[0]!;
    if (span < 300) return false;
    this.current = ((this.times.length - 1) * 1000) / span;
    if (this.current > SLOW) this.slowSince = now;
    const slow = now - this.slowSince > TOLERATED;
    if (slow) this.slowSince = now;
    return slow;
  }
}
