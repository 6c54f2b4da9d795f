// Past frames as bytes, for plots, the event list and the timeline of a live run, which drops its oldest frames.

import { decodeHead } from './frame';

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

  /** Number of the last frame; −1 without one. */
  lastIndex(): number {
    const last = this.frames[this.frames.length - 1];
    return last === undefined ? -1 : decodeHead(last).index;
  }

  /** Removes the frames from a number on: the run returned to it. */
  truncate(index: number): void {
    const kept = this.frames.filter((bytes) => decodeHead(bytes).index < index);
    const dropped = kept.length > 0 ? this.dropped : 0;
    this.clear();
    this.dropped = dropped;
    this.frames = kept;
    this.bytes = kept.reduce((sum, { byteLength }) => sum + byteLength, 0);
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
