// Bytes written one number after the other.

export class Bytes {
  private readonly parts: number[] = [];

  private put(size: number, write: (view: DataView) => void): this {
    const view = new DataView(new ArrayBuffer(size));
    write(view);
    this.parts.push(...new Uint8Array(view.buffer));
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) this.put(4, (view) => view.setUint32(0, value, true));
    return this;
  }

  u64(value: bigint): this {
    return this.put(8, (view) => view.setBigUint64(0, value, true));
  }

  f64(...values: number[]): this {
    for (const value of values) this.put(8, (view) => view.setFloat64(0, value, true));
    return this;
  }

  raw(bytes: Iterable<number>): this {
    this.parts.push(...bytes);
    return this;
  }

  done(): Uint8Array {
    return Uint8Array.from(this.parts);
  }
}
