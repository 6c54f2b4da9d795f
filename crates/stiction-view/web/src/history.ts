// Past frames as bytes, for plots and the event list. A live run drops its oldest frames.

/** Limits of the history of a live run. */
const MAX_BYTES = 48 << 20;
const MAX_FRAMES = 6000;

export class History {
  frames: Uint8Array[] = [];
  /** Number of frames dropped at the front; readers use it to keep their position. */
  dropped = 0;
  /** Changes when the history restarts: readers then start over. */
  generation = 0;
  private bytes = 0;

  /** Replaces the history by all frames of a recording. */
  load(frames: readonly Uint8Array[]): void {
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
    if (this.bytes <= MAX_BYTES && this.frames.length <= MAX_FRAMES) return;
    const dropped = this.frames.splice(0, Math.ceil(this.frames.length / 8));
    for (const frame of dropped) this.bytes -= frame.byteLength;
    this.dropped += dropped.length;
  }
}
