// The stage: arrows, contact points, cones, ground, shadows, camera, colours.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import UPNG from 'upng-js';
import { frame, pause, play, viewing } from './page.mjs';
import { arch, STACK, TILTED } from './scenes.mjs';

/** Longest arrow as a fraction of the smaller side of the picture. */
const LONGEST = 0.25;

/** Writes a scene of the checks to a file. */
export async function sceneFile({ folder }, name, text) {
  const file = join(folder, `${name}.toml`);
  await writeFile(file, text);
  return file;
}

const arrows = (page) => page.evaluate(() => window.stiction.arrows());
const camera = (page) => page.evaluate(() => window.stiction.camera());
const size = (page) =>
  page.locator('.stage').evaluate((stage) => ({ width: stage.clientWidth, height: stage.clientHeight }));

/** Waits until everything that has changed is drawn. */
const drawn = (page) =>
  page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))),
      ),
  );

/** Changes display options and waits for the picture. */
async function show(page, change) {
  await page.evaluate((it) => window.stiction.show(it), change);
  await drawn(page);
}

/** The pixels of the canvas, with nothing over it. */
async function pixels(page) {
  const clip = await page.locator('.stage canvas').boundingBox();
  const image = UPNG.decode(
    await page.screenshot({ clip: { ...clip, height: clip.height / 2, y: clip.y + 60 } }),
  );
  return new Uint32Array(UPNG.toRGBA8(image)[0]);
}

/** Fraction of the pixels that differ. */
const difference = (a, b) => a.reduce((sum, value, i) => sum + (value === b[i] ? 0 : 1), 0) / a.length;

/** Steps a few frames, so that there are forces. */
async function steps(page, count) {
  for (let i = 1; i <= count; i++) {
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((index) => window.stiction.frame()?.index >= index, i);
  }
  await drawn(page);
}

export const checks = {
  async 'every arrow is inside the picture and has a legend'(tools) {
    const results = [];
    for (const [name, what] of [
      ['arch', await sceneFile(tools, 'arch', arch())],
      ['stack', 'lloyd2004/fig09_stack_rests'],
      ['jack', 'baraff1994/fig02_jack'],
      ['feeder', 'baraff1994/fig01_block_feeder'],
      ['chain', 'baraff1989/fig14d_curling_chain'],
      ['table', await sceneFile(tools, 'tilted', TILTED)],
    ])
      await viewing(tools, [what], async (page) => {
        await steps(page, 3);
        await page.keyboard.press('f');
        await page.waitForTimeout(900);
        const { width, height } = await size(page);
        const now = await arrows(page);
        results.push(`${name} ${now.arrows} arrows, longest ${now.longest.toFixed(0)} px`);
        assert.ok(now.arrows > 0, `${name} has no arrows`);
        assert.equal(now.outside, 0, `${name}: ${now.outside} arrows end outside`);
        assert.ok(now.longest <= LONGEST * Math.min(width, height) + 1, `${name}: ${now.longest} pixels`);
        assert.match(await page.locator('.force-scale').innerText(), /\d N/);
      });
    return results.join('; ');
  },

  async 'a pair of faces has one arrow, its points have theirs on demand'(tools) {
    await viewing(tools, [await sceneFile(tools, 'stack5', STACK)], async (page) => {
      await steps(page, 2);
      const { contacts } = await frame(page);
      assert.equal(contacts.length, 20);
      assert.equal((await arrows(page)).arrows, 5, 'five pairs of faces');
      await page.keyboard.press('r');
      await drawn(page);
      const all = (await arrows(page)).arrows;
      assert.ok(all >= 20, `${all} arrows of 20 contacts`);
    });
  },

  async 'open contacts are hidden at first'(tools) {
    await viewing(tools, ['baraff1989/fig14d_curling_chain'], async (page) => {
      await play(page);
      await page.waitForFunction(() => window.stiction.frame().contacts.some(({ mode }) => mode === 'open'));
      await pause(page);
      await drawn(page);
      const { contacts } = await frame(page);
      const open = contacts.filter(
        ({ normalForce, normalImpulse }) => normalForce === 0 && normalImpulse === 0,
      );
      assert.ok(open.length > 0, 'the scene has open contacts');
      assert.equal((await arrows(page)).points, contacts.length - open.length);
      await show(page, { open: true });
      assert.equal((await arrows(page)).points, contacts.length);
    });
  },

  async 'the selected contact has a cone, of a size that the force does not change'(tools) {
    await viewing(tools, ['lloyd2004/fig09_stack_rests'], async (page) => {
      await steps(page, 1);
      assert.equal((await arrows(page)).cones, 0);
      await page.evaluate(() => window.stiction.select('contact', 0));
      await drawn(page);
      assert.equal((await arrows(page)).cones, 1);
      await page.keyboard.press('k');
      await drawn(page);
      assert.ok((await arrows(page)).cones > 1, 'all cones on demand');
    });
  },

  async 'the ground is a surface, also when it is tilted, and bodies throw shadows on everything'(tools) {
    for (const [name, text] of [
      ['tilted', TILTED],
      ['stack5', STACK],
    ])
      await viewing(tools, [await sceneFile(tools, name, text)], async (page) => {
        await page.waitForTimeout(800);
        const lit = await pixels(page);
        await show(page, { shadows: false });
        await page.waitForTimeout(800);
        const shadowless = await pixels(page);
        const changed = difference(lit, shadowless);
        assert.ok(changed > 0.005, `${name}: shadows change ${changed} of the picture`);
        // The most frequent colour is that of the ground, which is not the background.
        const counts = new Map();
        for (const value of shadowless) counts.set(value, (counts.get(value) ?? 0) + 1);
        assert.ok(counts.size > 50, `${name}: ${counts.size} colours`);
      });
  },

  async 'the camera stays above the ground'(tools) {
    for (const [name, text, normal] of [
      ['stack5', STACK, [0, 0, 1]],
      ['tilted', TILTED, [Math.sin(Math.PI / 12), 0, Math.cos(Math.PI / 12)]],
    ])
      await viewing(tools, [await sceneFile(tools, name, text)], async (page) => {
        const { width, height } = await size(page);
        await page.mouse.move(width / 2, height / 2);
        await page.mouse.down();
        await page.mouse.move(width / 2, 60, { steps: 8 });
        await page.mouse.move(width / 2, height - 5, { steps: 4 });
        await page.mouse.move(width / 2, 5, { steps: 8 });
        await page.mouse.up();
        for (let i = 0; i < 20; i++) await page.keyboard.press('Shift+ArrowDown');
        await page.waitForTimeout(500);
        const { position } = await camera(page);
        const above = position.reduce((sum, x, i) => sum + x * normal[i], 0);
        assert.ok(above > 0, `${name}: the camera is ${above} m above the ground`);
      });
  },

  async 'standard views, planar scenes without perspective, following'(tools) {
    await viewing(tools, ['baraff1994/fig02_jack'], async (page) => {
      assert.ok((await camera(page)).orthographic, 'a planar scene');
    });
    await viewing(tools, [await sceneFile(tools, 'stack5', STACK)], async (page) => {
      assert.ok(!(await camera(page)).orthographic);
      await page.keyboard.press('p');
      assert.ok((await camera(page)).orthographic);
      await page.keyboard.press('p');
      for (const [key, axis, sign] of [
        ['2', 1, -1],
        ['3', 0, 1],
        ['4', 2, 1],
      ]) {
        await page.keyboard.press(key);
        const arm = async () => {
          const { position, target } = await camera(page);
          return position.map((x, i) => x - target[i]);
        };
        const along = (it) => (sign * it[axis]) / Math.hypot(...it) > 0.99;
        for (let tries = 0; tries < 50 && !along(await arm()); tries += 1) await page.waitForTimeout(200);
        const last = await arm();
        assert.ok(along(last), `view ${key}: ${last}`);
      }
    });
    await viewing(tools, ['baraff1989/fig07_incline'], async (page) => {
      await page.keyboard.press('b');
      await page.keyboard.press('l');
      const body = await page.evaluate(() =>
        window.stiction.scene().bodies.findIndex(({ motion }) => motion === 'free'),
      );
      await page.waitForTimeout(300);
      const before = await page.evaluate((i) => window.stiction.project(i), body);
      const from = (await frame(page)).bodies[body].position;
      await play(page);
      await page.waitForFunction(() => window.stiction.frame()?.time > 0.8);
      await pause(page);
      await page.waitForTimeout(300);
      const after = await page.evaluate((i) => window.stiction.project(i), body);
      const moved = Math.hypot(...(await frame(page)).bodies[body].position.map((x, i) => x - from[i]));
      assert.ok(moved > 0.2, `the body moved by ${moved} m`);
      assert.ok(
        Math.hypot(after.x - before.x, after.y - before.y) < 40,
        'and stayed in its place on the screen',
      );
    });
  },

  async 'bodies are coloured by friction used, speed, force and level'(tools) {
    await viewing(tools, ['baraff1994/fig01_block_feeder'], async (page) => {
      await steps(page, 3);
      assert.match(await page.locator('.legend').innerText(), /level 1\s*level 2/);
      const seen = [await pixels(page)];
      for (const [colour, words] of [
        ['utilisation', 'friction used'],
        ['speed', 'speed'],
        ['force', 'contact force'],
      ]) {
        await show(page, { colour });
        await page.waitForTimeout(700);
        assert.match(await page.locator('.legend').innerText(), new RegExp(words));
        const now = await pixels(page);
        assert.ok(difference(now, seen.at(-1)) > 0.01, `${colour} changes nothing`);
        seen.push(now);
      }
    });
  },
};
