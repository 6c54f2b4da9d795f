// The cost of drawing 300 bodies and 3000 contacts with software rendering: a run that is not simulated but written here.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodeFrame, packRun } from '../mock.mjs';
import { run } from '../program.mjs';
import { open } from './page.mjs';

/** Lowest frame rate (1/s). */
const MIN_RATE = 30;
/** Time in which the page finds a resolution that it can draw fast enough, and duration of the measurement (ms). */
const WARM_UP = 6000;
const DURATION = 4000;
const [WIDE, DEEP, HIGH] = [10, 5, 6];
const SIZE = [0.2, 0.2, 0.1];

const body = (name, motion, mass, parts) => ({
  name,
  motion,
  mass,
  inertia: [
    [mass, 0, 0],
    [0, mass, 0],
    [0, 0, mass],
  ],
  force: [0, 0, 0],
  torque: [0, 0, 0],
  levels: [1],
  parts,
});
const part = (shape) => ({ position: [0, 0, 0], rotation: [0, 0, 0, 1], shape });

/** 300 bricks that sway, and ten contacts under each of them. */
function crowd() {
  const bricks = Array.from({ length: WIDE * DEEP * HIGH }, (_, i) => i);
  const scene = {
    format: 'stiction-frames-2',
    title: 'Three hundred bricks',
    look_for: '',
    figure: '',
    run: { until: 2, dt: 0.02, stepper: 'time-stepping', solver: 'auto' },
    gravity: [0, 0, -9.81],
    plane: null,
    bodies: [
      body('floor', 'fixed', 0, [part({ kind: 'half-space' })]),
      ...bricks.map((i) =>
        body(`brick.${i}`, 'free', 5, [part({ kind: 'box', half: SIZE.map((x) => x / 2) })]),
      ),
    ],
    joints: [],
    springs: [],
  };
  const frames = Array.from({ length: 100 }, (_, index) => {
    const at = (i) => {
      const [x, y, z] = [i % WIDE, Math.floor(i / WIDE) % DEEP, Math.floor(i / WIDE / DEEP)];
      const sway = 0.01 * Math.sin(0.2 * index + z);
      return [0.22 * x + sway, 0.22 * y, 0.1 * z + 0.05];
    };
    const contacts = bricks.flatMap((i) => {
      const [x, y, z] = at(i);
      const below = i < WIDE * DEEP ? 0 : i - WIDE * DEEP + 1;
      return Array.from({ length: 10 }, (_, k) => ({
        a: i + 1,
        b: below,
        feature: k,
        point: [x + 0.1 * Math.cos(k), y + 0.1 * Math.sin(k), z - 0.05],
        normal: [0, 0, 1],
        gap: 0,
        normalForce: 5 + k,
        friction: [0.1 * k, 0, 0],
        margin: 0.8,
        muStatic: 0.5,
        muDynamic: 0.5,
        mode: 1,
        uniqueness: 2,
      }));
    });
    const state = (position) => ({
      position,
      rotation: [0, 0, 0, 1],
      velocity: [0, 0, 0],
      angular: [0, 0, 0],
    });
    return encodeFrame({
      index,
      time: 0.02 * index,
      problems: 1,
      certified: true,
      residual: 1e-12,
      ledger: [0, 0, 0, 0, 0, 0, 0],
      bodies: [state([0, 0, 0]), ...bricks.map((i) => state(at(i)))],
      joints: [],
      contacts,
      events: [],
    });
  });
  return { scene, frames, contacts: 10 * bricks.length };
}

/** CPU time (ms) of Chromium's processes by kind. */
function cpuTimes() {
  const all = {};
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const kind = /--type=([a-z-]+)/.exec(command)?.[1];
      if (kind === undefined || !command.includes('chromium')) continue;
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      all[kind] = (all[kind] ?? 0) + 10 * (Number(fields[11]) + Number(fields[12]));
    } catch {
      // The process has ended.
    }
  }
  return all;
}

export const checks = {
  async 'speed of drawing 300 bodies and 3000 contacts'({ browser, program, folder }) {
    const file = join(folder, 'crowd.html');
    await run(program, 'view', 'baraff1989/fig11_simultaneous', '--export', file);
    const { scene, frames, contacts } = crowd();
    const packed = packRun(scene, frames).toString('base64');
    const page = await readFile(file, 'utf8');
    await writeFile(
      file,
      page.replace(/(id="run">)[^<]*/, (_, head) => head + packed),
    );
    const opened = await open(browser, pathToFileURL(file).href);
    try {
      await opened.page.evaluate(() => {
        const line = document.querySelector('input.timeline');
        let k = 0;
        const look = () => {
          line.value = String(++k % 100);
          line.dispatchEvent(new Event('input'));
          window.stiction.turn(0.003, 0, 1);
          requestAnimationFrame(look);
        };
        look();
      });
      await opened.page.waitForTimeout(WARM_UP);
      const drawn = () => opened.page.evaluate(() => window.stiction.drawn());
      const [before, from, start] = [cpuTimes(), await drawn(), performance.now()];
      await opened.page.waitForTimeout(DURATION);
      const [after, to, end] = [cpuTimes(), await drawn(), performance.now()];
      const rate = (1000 * (to - from)) / (end - start);
      const cost = (kind) => ((after[kind] ?? 0) - (before[kind] ?? 0)) / (to - from);
      const [gpu, renderer] = [cost('gpu-process'), cost('renderer')];
      // Drawing uses all processors, the page one: a machine with nothing else to do is limited by the slower.
      const alone = 1000 / Math.max((gpu + renderer) / cpus().length, renderer);
      const result =
        `${rate.toFixed(1)} fps; CPU per picture: drawing ${gpu.toFixed(1)} ms, page ${renderer.toFixed(1)} ms, ` +
        `which allows ${alone.toFixed(0)} fps on ${cpus().length} processors`;
      assert.equal(await opened.page.evaluate(() => window.stiction.frame().contacts.length), contacts);
      assert.ok(Math.max(rate, alone) >= MIN_RATE, result);
      return result;
    } finally {
      await opened.close();
    }
  },
};
