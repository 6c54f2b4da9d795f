// How fast it is drawn and computed; the numbers are printed.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measured, play, viewing } from './page.mjs';

/** Time each scene is watched (ms), after it has got going, and how often it is looked at. */
const WATCHED = 5000;
const LOOKS = 5;
const WARM_UP = 1000;
/** Below this (frames per second) a picture stutters even on a busy machine without a graphics card. */
const LEAST_RATE = 8;
/** Below this part of real time a run creeps even there. */
const LEAST_SPEED = 0.3;

/** A hundred bricks in running bond. */
const WALL = `title = "Wall of a hundred bricks"
[run]
dt = 0.01
stepper = "time-stepping"
[[body]]
name = "ground"
ground = true
[[body]]
name = "odd"
box = [0.25, 0.12, 0.065]
at = [0, 0, 0.0325]
density = 1800
repeat = [{ count = 10, step = [0.25, 0, 0] }, { count = 5, step = [0, 0, 0.13] }]
[[body]]
name = "even"
box = [0.25, 0.12, 0.065]
at = [0.125, 0, 0.0975]
density = 1800
repeat = [{ count = 10, step = [0.25, 0, 0] }, { count = 5, step = [0, 0, 0.13] }]
`;

const scene = (what) => async (tools) =>
  viewing(tools, [await what(tools)], async (page) => {
    await play(page);
    await page.waitForTimeout(WARM_UP);
    // A picture can be drawn again without a new frame: both are counted.
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
    const looks = [await sample()];
    while (looks.length <= LOOKS) {
      await page.waitForTimeout(WATCHED / LOOKS);
      looks.push(await sample());
    }
    const per = (what, from, to) => (1000 * (to[what] - from[what])) / (to.now - from.now);
    const [rate, fresh, speed] = ['drawn', 'fresh', 'time'].map((what) => per(what, looks[0], looks.at(-1)));
    const slowest = Math.min(...looks.slice(1).map((look, i) => per('time', looks[i], look)));
    const step = await measured(page, 'ms/step');
    const dt = await page.evaluate(() => window.stiction.scene().run.dt);
    const could = ((1000 * dt) / step).toPrecision(2);
    const said =
      `${rate.toFixed(1)} fps, ${fresh.toFixed(1)} new frames/s, ${speed.toFixed(2)} × real time, ` +
      `in the slowest second ${slowest.toFixed(2)}, ` +
      `${step} ms/step (alone ${could} × real time)`;
    assert.ok(rate >= LEAST_RATE && speed >= LEAST_SPEED, said);
    return said;
  });

export const checks = {
  'speed of the block feeder': scene(() => 'baraff1994/fig01_block_feeder'),
  'speed of the jack': scene(() => 'baraff1994/fig02_jack'),
  'speed of the bricks': scene(() => 'baraff1989/fig14a_bricks'),
  'speed of a wall of 100 bodies': scene(async ({ folder }) => {
    const file = join(folder, 'wall.toml');
    await writeFile(file, WALL);
    return file;
  }),
};
