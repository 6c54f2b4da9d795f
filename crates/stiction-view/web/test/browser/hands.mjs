// Bodies and mechanisms moved by the mouse: nothing stands still, and Baraff's machines work.

import assert from 'node:assert/strict';
import { cpus, loadavg } from 'node:os';
import { index, settled, viewing } from './page.mjs';
import { pile, ragdoll, STACK } from './scenes.mjs';
import { sceneFile } from './stage.mjs';

/** Longest time that the page may stand still (ms); longer on a machine with more to do than it has processors. */
const STILL = 100;
const allowed = () => STILL * Math.max(1, loadavg()[0] / cpus().length);
/** Attempts: a busy machine delays some, the best counts. */
const ATTEMPTS = 4;
/** Duration of a pull (ms). */
const PULL = 1500;

/** Longest time between two animation frames of the page from now on (ms), and their number. */
const watch = (page) =>
  page.evaluate(() => {
    const seen = { longest: 0, frames: 0, drawn: window.stiction.drawn(), last: performance.now(), on: true };
    window.seen = seen;
    const look = (now) => {
      seen.longest = Math.max(seen.longest, now - seen.last);
      seen.last = now;
      seen.frames += 1;
      if (seen.on) requestAnimationFrame(look);
    };
    requestAnimationFrame((now) => {
      seen.last = now;
      requestAnimationFrame(look);
    });
  });
const watched = (page) =>
  page.evaluate(() => {
    window.seen.on = false;
    return { longest: window.seen.longest, drawn: window.stiction.drawn() - window.seen.drawn };
  });

const free = (page, which) =>
  page.evaluate((wanted) => {
    const free = window.stiction.scene().bodies.flatMap(({ motion }, i) => (motion === 'free' ? [i] : []));
    return free[Math.min(wanted, free.length - 1)];
  }, which);

/** Pulls a body about for a while; returns the longest standstill of the page. */
async function pullAbout(page, body) {
  const at = await page.evaluate((i) => window.stiction.project(i), body);
  await page.keyboard.down('Control');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down({ button: 'right' });
  await watch(page);
  const begin = performance.now();
  for (let k = 1; performance.now() - begin < PULL; k++) {
    await page.mouse.move(at.x + 90 * Math.sin(k / 3), at.y - 60 - 40 * Math.sin(k / 5));
    await page.waitForTimeout(30);
  }
  const result = await watched(page);
  await page.mouse.up({ button: 'right' });
  await page.keyboard.up('Control');
  return result;
}

const pulled = (what, which) => async (tools) => {
  const lines = [];
  for (const stepper of ['time-stepping', 'event-driven']) {
    const file = await sceneFile(tools, 'pulled', what());
    const line = await viewing(tools, [file, '--stepper', stepper], async (page) => {
      const body = await free(page, which);
      const all = [];
      while (all.length < ATTEMPTS && !all.some(({ longest }) => longest <= STILL))
        all.push(await pullAbout(page, body));
      const best = all.sort((a, b) => a.longest - b.longest)[0];
      const result =
        `${stepper}: longest standstill ${best.longest.toFixed(0)} ms at load ${loadavg()[0].toFixed(1)}, ` +
        `${best.drawn} pictures in ${PULL} ms`;
      assert.ok(best.longest <= allowed(), result);
      return result;
    });
    lines.push(line);
  }
  return lines.join('; ');
};

/** Centre of a body on the page, and a point of its own on the page. */
const pointOf = (page, name, local) =>
  page.evaluate(
    ([wanted, [x, y, z]]) => {
      const body = window.stiction.scene().bodies.findIndex((it) => it.name === wanted);
      const { position, rotation } = window.stiction.frame().bodies[body];
      const [a, b, c, w] = rotation;
      // v + 2 q × (q × v + w v)
      const t = [b * z - c * y + w * x, c * x - a * z + w * y, a * y - b * x + w * z];
      const r = [x + 2 * (b * t[2] - c * t[1]), y + 2 * (c * t[0] - a * t[2]), z + 2 * (a * t[1] - b * t[0])];
      return window.stiction.projectPoint(position.map((p, i) => p + r[i]));
    },
    [name, local],
  );

const positionOf = (page, name) =>
  page.evaluate((wanted) => {
    const body = window.stiction.scene().bodies.findIndex((it) => it.name === wanted);
    return window.stiction.frame().bodies[body].position;
  }, name);

/** Works a machine with the mouse until it has done its work; prints what it was like. */
async function work(page, grip, path, done) {
  // The run is paused: it advances while the mouse holds the machine.
  const at = await pointOf(page, ...grip);
  await page.keyboard.down('Control');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down({ button: 'right' });
  await watch(page);
  const start = await page.evaluate(() => ({ now: performance.now(), time: window.stiction.frame().time }));
  const latencies = [];
  let finished = false;
  for (let k = 0; !finished; k++) {
    const now = await page.evaluate(() => window.stiction.frame().time - 0);
    const to = path(now - start.time, at);
    const before = await page.evaluate(() => ({ drawn: window.stiction.drawn(), now: performance.now() }));
    await page.mouse.move(to.x, to.y);
    await page.waitForFunction((count) => window.stiction.drawn() > count, before.drawn);
    if (k > 2) latencies.push(await page.evaluate((from) => performance.now() - from, before.now));
    finished = await done();
    assert.ok(now - start.time < 40, 'the machine has not done its work in 40 s');
  }
  const end = await page.evaluate(() => ({ now: performance.now(), time: window.stiction.frame().time }));
  const { drawn, longest } = await watched(page);
  await page.mouse.up({ button: 'right' });
  await page.keyboard.up('Control');
  latencies.sort((a, b) => a - b);
  const seconds = (end.now - start.now) / 1000;
  return (
    `${(drawn / seconds).toFixed(1)} fps, ${((end.time - start.time) / seconds).toFixed(2)} × real time, ` +
    `latency median ${latencies[latencies.length >> 1].toFixed(0)} ms, best ${latencies[0].toFixed(0)} ms, ` +
    `longest standstill ${longest.toFixed(0)} ms`
  );
}

export const checks = {
  'pulling a block of five never stops the page': pulled(() => STACK, 2),
  'pulling in a pile of 60 never stops the page': pulled(() => pile(60), 3),
  'pulling a figure with thirty joints never stops the page': pulled(() => ragdoll(), 12),

  async 'a paused run can be pulled, and is paused again afterwards'(tools) {
    await viewing(tools, [await sceneFile(tools, 'stack5', STACK)], async (page) => {
      assert.equal(await settled(page), 0);
      const body = await free(page, 4);
      const at = await page.evaluate((i) => window.stiction.project(i), body);
      await page.keyboard.down('Control');
      await page.mouse.move(at.x, at.y);
      await page.mouse.down({ button: 'right' });
      await page.mouse.move(at.x + 40, at.y - 120, { steps: 4 });
      await page.waitForFunction(() => window.stiction.frame()?.index > 5);
      await page.locator('.tag.pull', { hasText: /\d.*N/ }).waitFor();
      assert.equal(await page.evaluate(() => window.stiction.status().playing), false);
      await page.mouse.up({ button: 'right' });
      await page.keyboard.up('Control');
      const stopped = await settled(page);
      await page.waitForTimeout(400);
      assert.equal(await index(page), stopped);
    });
  },

  async 'a finger pulls a body with the tool'(tools) {
    await viewing(
      tools,
      [await sceneFile(tools, 'stack5', STACK)],
      async (page) => {
        await page.getByRole('button', { name: 'Pull bodies by dragging' }).tap();
        const body = await free(page, 4);
        const at = await page.evaluate((i) => window.stiction.project(i), body);
        const finger = await page.context().newCDPSession(page);
        const touch = (type, x, y) =>
          finger.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: type === 'touchEnd' ? [] : [{ x, y }],
          });
        await touch('touchStart', at.x, at.y);
        for (let k = 1; k <= 6; k++) await touch('touchMove', at.x + 5 * k, at.y - 20 * k);
        await page.waitForFunction(() => window.stiction.frame()?.index > 3);
        assert.notEqual(await page.evaluate(() => window.stiction.status().pull), null);
        await touch('touchEnd');
        await page.waitForFunction(() => window.stiction.status().pull === null);
      },
      { hasTouch: true, viewport: { width: 400, height: 800 } },
    );
  },

  async 'the block feeder is worked by the mouse'(tools) {
    return viewing(tools, ['baraff1994/fig01_feeder_by_hand'], async (page) => {
      const axle = await pointOf(page, 'crank', [0, 0, 0]);
      // The pin moves on a circle, one turn in 3 s of simulated time; the mouse leads it a little.
      return work(
        page,
        ['crank', [-0.105, 0, 0]],
        (t, at) => {
          const radius = 1.3 * Math.hypot(at.x - axle.x, at.y - axle.y);
          const angle = Math.atan2(at.y - axle.y, at.x - axle.x) - (2 * Math.PI * t) / 3 - 0.3;
          return { x: axle.x + radius * Math.cos(angle), y: axle.y + radius * Math.sin(angle) };
        },
        async () =>
          (await positionOf(page, 'block.0'))[0] > 0.16 && (await positionOf(page, 'block.1'))[2] < 0.06,
      );
    });
  },

  async 'the jack is worked by the mouse'(tools) {
    return viewing(tools, ['baraff1994/fig02_jack_by_hand'], async (page) => {
      const before = (await positionOf(page, 'rack'))[2];
      const fulcrum = await page.evaluate(() => window.stiction.projectPoint([0, 0, 0]));
      // The end of the long arm goes up and down, one stroke in 1.5 s.
      return work(
        page,
        ['lever', [0.28, 0, 0]],
        (t, at) => {
          const arm = Math.hypot(at.x - fulcrum.x, at.y - fulcrum.y);
          const swing = Math.sin((Math.PI * t) / 1.5 + Math.PI / 2);
          return { x: fulcrum.x + 0.97 * arm, y: fulcrum.y - 0.6 * arm * swing };
        },
        async () => (await positionOf(page, 'rack'))[2] > before + 0.1,
      );
    });
  },
};
