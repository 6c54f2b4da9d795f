// Scenes, playing, pulling, switching.

import assert from 'node:assert/strict';
import UPNG from 'upng-js';
import { choose, frame, index, pause, play, rests, viewing } from './page.mjs';

/** Colours that a picture with bodies, edges and ground has at least. */
const LEAST_COLOURS = 8;
/** From the mouse to what is seen (ms). */
const LONGEST_LATENCY = 100;
/** How often it is measured; the shortest counts, the others are those of a busy machine. */
const DRAGS = 7;

async function colours(page) {
  const image = UPNG.decode(await page.locator('.stage canvas').screenshot());
  return new Set(new Uint32Array(UPNG.toRGBA8(image)[0])).size;
}

/** Takes the time in the page: from an event of the mouse to a picture in which the body is a pixel away. */
function watchLatency(body) {
  window.latency = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('the body does not follow the mouse')), 5000);
    const moved = (event) => {
      if (event.buttons === 0) return;
      removeEventListener('pointermove', moved, true);
      const from = window.stiction.project(body);
      let drawn = null;
      const look = () => {
        const to = window.stiction.project(body);
        if (drawn === null && Math.hypot(to.x - from.x, to.y - from.y) > 1) drawn = window.stiction.drawn();
        if (drawn !== null && window.stiction.drawn() > drawn) resolve(performance.now() - event.timeStamp);
        else requestAnimationFrame(look);
      };
      look();
    };
    addEventListener('pointermove', moved, true);
  });
}

export const checks = {
  async 'every built-in scene loads, is drawn and takes a step'(tools) {
    return viewing(tools, [], async (page, { url }) => {
      const list = await (await fetch(url.replace('/?', '/scenes?'))).json();
      assert.ok(list.length >= 30, `${list.length} scenes`);
      for (const { id, title, bodies } of list) {
        await choose(page, title);
        assert.equal((await frame(page)).bodies.length, bodies, id);
        await page.waitForTimeout(100);
        assert.ok((await colours(page)) >= LEAST_COLOURS, `${id}: an empty picture`);
        await page.keyboard.press('ArrowRight');
        await page.waitForFunction(() => window.stiction.frame()?.index === 1);
      }
      return `${list.length} scenes`;
    });
  },

  async 'play moves time, pause stops it, a step is one frame, back is the start'(tools) {
    await viewing(tools, [], async (page) => {
      assert.equal(await rests(page), 0, 'a run is at rest when it is opened');
      await play(page);
      await page.waitForFunction(() => window.stiction.frame()?.time > 0.2);
      const stopped = await pause(page);
      const { time } = await frame(page);
      assert.equal(await page.locator('output.time').textContent(), `${time.toFixed(3)} s`);
      for (const steps of [1, 2, 3]) {
        await page.getByRole('button', { name: 'One frame on' }).click();
        await page.waitForFunction((from) => window.stiction.frame()?.index > from, stopped + steps - 1);
        assert.equal(await rests(page), stopped + steps);
      }
      await page.getByRole('button', { name: 'Back to the start' }).click();
      await page.waitForFunction(() => window.stiction.frame()?.index === 0);
    });
  },

  async 'a body follows the mouse'(tools) {
    return viewing(tools, ['baraff1989/fig08_block'], async (page) => {
      const body = await page.evaluate(() =>
        window.stiction.scene().bodies.findIndex(({ motion }) => motion === 'free'),
      );
      const position = async () => (await frame(page)).bodies[body].position;
      await play(page);
      const all = [];
      for (let drag = 0; drag < DRAGS; drag++) {
        // Back at the start it goes on playing.
        await page.keyboard.press('Backspace');
        await page.waitForTimeout(400);
        const before = await position();
        const at = await page.evaluate((i) => window.stiction.project(i), body);
        await page.evaluate(watchLatency, body);
        await page.keyboard.down('Control');
        await page.mouse.move(at.x, at.y);
        await page.mouse.down({ button: 'right' });
        await page.mouse.move(at.x + 120, at.y - 300);
        all.push(await page.evaluate(() => window.latency));
        await page.waitForTimeout(400);
        const held = await position();
        const distance = Math.hypot(...held.map((x, i) => x - before[i]));
        assert.ok(distance > 0.1, `moved by ${distance} m`);
        await page.mouse.up({ button: 'right' });
        await page.keyboard.up('Control');
        await page.waitForTimeout(500);
        assert.ok((await position())[2] < held[2], 'it falls when it is let go');
      }
      const sorted = all.toSorted((a, b) => a - b).map(Math.round);
      const median = sorted[(DRAGS - 1) / 2];
      const said = `${median} ms from the mouse to the picture, ${sorted[0]} to ${sorted.at(-1)} ms in ${DRAGS} pulls`;
      assert.ok(sorted[0] < LONGEST_LATENCY, said);
      return said;
    });
  },

  async 'the mouse that pulls is among the forces on the body'(tools) {
    await viewing(tools, ['baraff1989/fig08_block'], async (page) => {
      const body = await page.evaluate(() =>
        window.stiction.scene().bodies.findIndex(({ motion }) => motion === 'free'),
      );
      await page.evaluate((i) => window.stiction.select('body', i), body);
      await page.keyboard.press('ArrowRight');
      const at = await page.evaluate((i) => window.stiction.project(i), body);
      await page.keyboard.down('Control');
      await page.mouse.move(at.x, at.y);
      await page.mouse.down({ button: 'right' });
      await page.mouse.move(at.x + 60, at.y - 40, { steps: 2 });
      await page.keyboard.press('ArrowRight');
      await page.getByText('mouse pull').first().waitFor({ state: 'attached' });
      await page.mouse.up({ button: 'right' });
      await page.keyboard.up('Control');
    });
  },

  async 'stepper and solver can be switched while it runs'(tools) {
    await viewing(tools, ['baraff1989/fig14a_bricks'], async (page) => {
      await page.getByRole('tab', { name: 'Settings' }).click();
      await play(page);
      for (const [label, name] of [
        ['Solver', 'dantzig'],
        ['Solver', 'lloyd-reduced'],
        ['Stepper', 'event-driven'],
        ['Stepper', 'time-stepping'],
      ]) {
        const select = page.getByLabel(label, { exact: true });
        await select.selectOption(name);
        // The page shows what the server says, not what was clicked: another tab sees it too.
        await select.blur();
        await page.waitForTimeout(700);
        assert.equal(await select.inputValue(), name);
        const before = await index(page);
        await page.waitForFunction((from) => window.stiction.frame()?.index > from, before);
      }
      assert.deepEqual(await page.locator('.message').allTextContents(), [], 'no complaints');
    });
  },
};
