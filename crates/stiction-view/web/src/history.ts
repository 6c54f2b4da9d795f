// Frames gone by, as bytes: what the plots are drawn from. Live runs forget the oldest.

/** How much a live run remembers. */
const BUDGET = 48 << 20;
const MOST = 6000;

export class History {
  frames: Uint8Array[] = [];
  /** Frames forgotten at the front, so that readers can keep their place. */
  dropped = 0;
  /** Changes when what was remembered no longer holds. */
  generation = 0;
  private bytes = 0;

  /** A whole recording at once. */
  take(frames: readonly Uint8Array[]): void {
    this.clear();
    this.frames = [...frames];
  }

  clear(): void {
    this.frames = [];
    this.dropped = 0;
    this.bytes = 0;
    this.generation++;
  }

  push(frame: Uint8Array): void {
    this.frames.push(frame);
    this.bytes += frame.byteLength;
    if (this.bytes <= BUDGET && this.frames.length <= MOST) return;
    const gone = this.frames.splice(0, Math.ceil(this.frames.length / 8));
    for (const one of gone) this.bytes -= one.byteLength;
    this.dropped += gone.length;
  }
}
