// A handwritten frame, field by field as in docs/frames.md.

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

/** Two bodies, one joint, one contact, one event, one waypoint, one method. */
export function handmade(): Uint8Array {
  return (
    new Bytes()
      .u64(7n)
      .f64(0.25)
      .u64(0xfeedfacecafebeefn)
      .u32(2, 1)
      .u32(1, 1)
      .u32(5, 1 | (1 << 9))
      .f64(2.5e-15)
      .f64(1, 2, 3, 4, 5, 6, 7)
      .u32(1, 1)
      .f64(1e-12, 0.5, 0, NaN, 1e-3, 1e-9, 1)
      // bodies
      .f64(0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
      .f64(1, 2, 3, 0.5, 0.5, 0.5, 0.5, -1, -2, -3, 0.1, 0.2, 0.3)
      // impulses
      .f64(0, 0, -1, 0, 0, 0)
      .f64(0, 0, 1, 0, 0, 0)
      .f64(0, 0, 0, 0, 0, 0)
      // joint
      .f64(10, 11, 12, 13, 14, 15, 16, NaN, 18)
      // contact
      .u32(1, 0)
      .u64(0xabcdef0123456789n)
      .f64(1, 2, 2.5)
      .f64(0, 0, 1)
      .f64(-1e-9)
      .f64(50)
      .f64(3, 4, 0)
      .f64(0.5)
      .f64(0.1, 0.2, 0)
      .f64(0.01, 0.02, 0.03)
      .f64(0.8)
      .f64(0.5, 0.4)
      .u32(2, 3)
      // event
      .f64(0.2)
      .u32(0, 0)
      .u32(1, 0xffffffff)
      .u64(0x10n)
      .f64(1.5, 2.5)
      // waypoint
      .u32(1, 0)
      .f64(0.22)
      .f64(1, 2, 3, 0, 0, 0, 1)
      .f64(0, 0, -1, 0, 0, 0)
      .f64(0, 0, 1, 0, 0, 0)
      // method
      .raw(new TextEncoder().encode('dantzig'.padEnd(24, '\0')))
      .u64(5n)
      .done()
  );
}
