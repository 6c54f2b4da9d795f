// Decoding of frames and packed runs from handwritten bytes.

import { describe, expect, it } from 'vitest';
import { decodeFrame, decodeHead, fromBase64, gunzip, unpackRun } from '../src/frame';
import { Bytes, handmade } from './bytes';

const scene = { format: 'stiction-frames-2', title: 'Two', bodies: [], gravity: [0, 0, -9.81] };

describe('decodeFrame', () => {
  const frame = decodeFrame(handmade());

  it('reads the header', () => {
    expect(handmade().length).toBe(176 + 2 * 104 + 3 * 48 + 72 + 192 + 48 + 168 + 32);
    expect(frame).toMatchObject({
      index: 7,
      time: 0.25,
      hash: 'feedfacecafebeef',
      problems: 5,
      certified: true,
      residual: 2.5e-15,
    });
    expect(frame.ledger).toEqual({
      kinetic: 1,
      potential: 2,
      work: 3,
      friction: 4,
      impacts: 5,
      start: 6,
      turnover: 7,
    });
    expect(frame.laws.filter((law) => law.broken)).toEqual([{ name: 'overlap', worst: 0.5, broken: true }]);
    expect(frame.laws[3]).toEqual({ name: 'joints', worst: NaN, broken: false });
    expect(decodeHead(handmade())).toMatchObject({ index: 7, time: 0.25, certified: true });
  });

  it('reads bodies and joints', () => {
    expect(frame.bodies[1]).toEqual({
      position: [1, 2, 3],
      rotation: [0.5, 0.5, 0.5, 0.5],
      velocity: [-1, -2, -3],
      angular: [0.1, 0.2, 0.3],
    });
    expect(frame.joints).toEqual([
      { force: [10, 11, 12], torque: [13, 14, 15], drive: 16, coordinate: NaN, turn: 18 },
    ]);
  });

  it('reads contacts', () => {
    expect(frame.contacts).toEqual([
      {
        a: 1,
        b: 0,
        feature: 'abcdef0123456789',
        key: '1/0/abcdef0123456789',
        point: [1, 2, 2.5],
        normal: [0, 0, 1],
        gap: -1e-9,
        normalForce: 50,
        friction: [3, 4, 0],
        normalImpulse: 0.5,
        frictionImpulse: [0.1, 0.2, 0],
        slip: [0.01, 0.02, 0.03],
        margin: 0.8,
        muStatic: 0.5,
        muDynamic: 0.4,
        mode: 'slips',
        uniqueness: 'undecided',
      },
    ]);
  });

  it('reads events', () => {
    expect(frame.events).toEqual([
      { time: 0.2, kind: 'collision', joint: 0, a: 1, b: null, feature: '10', numbers: [1.5, 2.5] },
    ]);
  });

  it('reads unaligned bytes', () => {
    const moved = new Bytes().raw([1, 2, 3]).raw(handmade()).done().subarray(3);
    expect(decodeFrame(moved)).toEqual(frame);
  });

  it('rejects frames of the wrong length', () => {
    expect(() => decodeFrame(handmade().subarray(0, 100))).toThrow('shorter than its header');
    expect(() => decodeFrame(handmade().subarray(0, 400))).toThrow('implies');
    expect(() => decodeFrame(new Bytes().raw(handmade()).u32(0).done())).toThrow('implies');
  });

  it('reads that an answer is not certified', () => {
    const bytes = handmade();
    bytes[44] = 0;
    expect(decodeFrame(bytes).certified).toBe(false);
  });
});

describe('packed runs', () => {
  const json = new TextEncoder().encode(JSON.stringify(scene));
  const packed = new Bytes()
    .u32(json.length)
    .raw(json)
    .u32(handmade().length)
    .raw(handmade())
    .u32(handmade().length)
    .raw(handmade())
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
