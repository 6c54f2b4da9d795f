// Measures and prints the speed of drawing and computing.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measured, play, viewing } from './page.mjs';
import { wall } from './scenes.mjs';

/** Duration of a measurement (ms) after the warm-up, and its number of samples. */
const DURATION = 5000;
const SAMPLES = 5;
const WARM_UP = 1000;
/** Lowest frame rate (1/s), also on a busy machine with software rendering. */
const MIN_RATE = 8;
/** Lowest speed (simulated seconds per second), also on such a machine. */
const MIN_SPEED = 0.3;

const scene = (what) => async (tools) =>
  viewing(tools, [await what(tools)], async (page) => {
    await play(page);
    await page.waitForTimeout(WARM_UP);
    // A picture can be drawn without a new frame, so both are counted.
    await page.evaluate(() => {
      window.fresh = 0;
      let last = -1;
      const count = () => {
        const { index } = window.stiction.frame();
        if (index !== last) window.fresh += 1;
        last = index;
        requestAnimationFrame(count);
      };
      count();
    });
    const sample = () =>
      page.evaluate(() => ({
        now: performance.now(),
        drawn: window.stiction.drawn(),
        fresh: window.fresh,
        time: window.stiction.frame().time,
      }));
    const samples = [await sample()];
    while (samples.length <= SAMPLES) {
      await page.waitForTimeout(DURATION / SAMPLES);
      samples.push(await sample());
    }
    const per = (what, from, to) => (1000 * (to[what] - from[what])) / (to.now - from.now);
    const [rate, fresh, speed] = ['drawn', 'fresh', 'time'].map((what) =>
      per(what, samples[0], samples.at(-1)),
    );
    const slowest = Math.min(...samples.slice(1).map((next, i) => per('time', samples[i], next)));
    const step = await measured(page, 'ms/step');
    const dt = await page.evaluate(() => window.stiction.scene().run.dt);
    const possible = ((1000 * dt) / step).toPrecision(2);
    const result =
      `${rate.toFixed(1)} fps, ${fresh.toFixed(1)} new frames/s, ${speed.toFixed(2)} × real time, ` +
      `slowest second ${slowest.toFixed(2)}, ` +
      `${step} ms/step (up to ${possible} × real time without drawing)`;
    assert.ok(rate >= MIN_RATE && speed >= MIN_SPEED, result);
    return result;
  });

export const checks = {
  'speed of the block feeder': scene(() => 'baraff1994/fig01_block_feeder'),
  'speed of the jack': scene(() => 'baraff1994/fig02_jack'),
  'speed of the bricks': scene(() => 'baraff1989/fig14a_bricks'),
  'speed of a wall of 100 bodies': scene(async ({ folder }) => {
    const file = join(folder, 'wall.toml');
    await writeFile(file, wall(10, 10));
    return file;
  }),
};
