// Decoding of frames and packed runs.

import { describe, expect, it } from 'vitest';
import { decodeFrame, decodeHead, fromBase64, gunzip, unpackRun } from '../src/data/frame';
import { Bytes } from './bytes';
import fixture from './fixtures/frame.json';

const scene = { format: 'stiction-frames-2', title: 'Two', bodies: [], gravity: [0, 0, -9.81] };

/** The frame that `crates/stiction-view/tests/fixtures.rs` wrote; every number in it is another one. */
const written = (): Uint8Array => fromBase64(fixture.bytes);

describe('decodeFrame', () => {
  const frame = decodeFrame(written());

  it('reads what Rust wrote', () => {
    const { body, ...values } = fixture.values;
    expect(frame).toMatchObject(values);
    expect(frame.bodies.length).toBe(2);
    expect(frame.bodies[1]).toEqual(body);
    expect(Object.keys(frame.contacts[0]!).sort()).toEqual(Object.keys(values.contacts[0]!).sort());
    expect(decodeHead(written())).toMatchObject({ index: 7, time: 0.25, certified: true, problems: 5 });
  });

  it('reads unaligned bytes', () => {
    const moved = new Bytes().raw([1, 2, 3]).raw(written()).done().subarray(3);
    expect(decodeFrame(moved)).toEqual(frame);
  });

  it('rejects frames of the wrong length', () => {
    expect(() => decodeFrame(written().subarray(0, 100))).toThrow('shorter than its header');
    expect(() => decodeFrame(written().subarray(0, 400))).toThrow('implies');
    expect(() => decodeFrame(new Bytes().raw(written()).u32(0).done())).toThrow('implies');
  });

  it('reads that an answer is not certified', () => {
    const bytes = written();
    bytes[44] = 0;
    expect(decodeFrame(bytes).certified).toBe(false);
  });
});

describe('packed runs', () => {
  const json = new TextEncoder().encode(JSON.stringify(scene));
  const packed = new Bytes()
    .u32(json.length)
    .raw(json)
    .u32(written().length)
    .raw(written())
    .u32(written().length)
    .raw(written())
    .done();

  it('are unpacked', () => {
    const run = unpackRun(packed);
    expect(run.scene.title).toBe('Two');
    expect(run.scene.joints).toEqual([]);
    expect(run.frames.map((bytes) => decodeFrame(bytes).index)).toEqual([7, 7]);
  });

  it('are decoded from gzip and base64', async () => {
    const stream = new Blob([Uint8Array.from(packed)]).stream().pipeThrough(new CompressionStream('gzip'));
    const zipped = new Uint8Array(await new Response(stream).arrayBuffer());
    const text = btoa(String.fromCharCode(...zipped)).replace(/(.{60})/g, '$1\n');
    expect([...(await gunzip(fromBase64(text)))]).toEqual([...packed]);
    expect([...(await gunzip(Uint8Array.from(packed)))]).toEqual([...packed]);
  });

  it('are rejected if truncated', () => {
    expect(() => unpackRun(packed.subarray(0, packed.length - 1))).toThrow('inside a frame');
    expect(() => unpackRun(packed.subarray(0, json.length + 6))).toThrow('inside a length');
    expect(() => unpackRun(new Uint8Array(0))).toThrow('empty');
  });

  it('are rejected if the format is unknown', () => {
    const other = new TextEncoder().encode('{"format":"x"}');
    expect(() => unpackRun(new Bytes().u32(other.length).raw(other).done())).toThrow('unknown format');
  });
});
