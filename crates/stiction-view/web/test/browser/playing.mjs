// Scenes, playback, pulling bodies, changing stepper and solver.

import assert from 'node:assert/strict';
import UPNG from 'upng-js';
import { choose, frame, index, pause, play, settled, viewing } from './page.mjs';

/** Fewest colours of a picture with bodies, edges and ground. */
const MIN_COLOURS = 8;
/** Largest latency from a mouse event to the picture (ms). */
const MAX_LATENCY = 100;
/** Number of measurements; the shortest counts, because a busy machine delays the others. */
const DRAGS = 7;

async function colours(page) {
  const image = UPNG.decode(await page.locator('.stage canvas').screenshot());
  return new Set(new Uint32Array(UPNG.toRGBA8(image)[0])).size;
}

/** Measures in the page the time from a mouse event to a picture in which the body has moved by a pixel. */
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
  async 'every built-in scene loads, is drawn and steps'(tools) {
    return viewing(tools, [], async (page, { url }) => {
      const list = await (await fetch(url.replace('/?', '/scenes?'))).json();
      assert.ok(list.length >= 30, `${list.length} scenes`);
      for (const { id, title, bodies } of list) {
        await choose(page, title);
        assert.equal((await frame(page)).bodies.length, bodies, id);
        await page.waitForTimeout(100);
        assert.ok((await colours(page)) >= MIN_COLOURS, `${id}: an empty picture`);
        await page.keyboard.press('ArrowRight');
        await page.waitForFunction(() => window.stiction.frame()?.index === 1);
      }
      return `${list.length} scenes`;
    });
  },

  async 'play advances time, pause stops it, a step is one frame, reset returns to the start'(tools) {
    await viewing(tools, [], async (page) => {
      assert.equal(await settled(page), 0, 'a run is paused when it is opened');
      await play(page);
      await page.waitForFunction(() => window.stiction.frame()?.time > 0.2);
      const stopped = await pause(page);
      const { time } = await frame(page);
      assert.equal(await page.locator('output.time').textContent(), `${time.toFixed(3)} s`);
      for (const steps of [1, 2, 3]) {
        await page.getByRole('button', { name: 'Next frame' }).click();
        await page.waitForFunction((from) => window.stiction.frame()?.index > from, stopped + steps - 1);
        assert.equal(await settled(page), stopped + steps);
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
        // A reset does not stop the playback.
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
        assert.ok((await position())[2] < held[2], 'the body falls when it is released');
      }
      const sorted = all.toSorted((a, b) => a - b).map(Math.round);
      const median = sorted[(DRAGS - 1) / 2];
      const result = `${median} ms from the mouse to the picture, ${sorted[0]} to ${sorted.at(-1)} ms in ${DRAGS} pulls`;
      assert.ok(sorted[0] < MAX_LATENCY, result);
      return result;
    });
  },

  async 'the pull of the mouse is listed among the forces on the body'(tools) {
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

  async 'stepper and solver can be changed during the run'(tools) {
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
        // The select box shows the status of the server, not the click.
        await select.blur();
        await page.waitForTimeout(700);
        assert.equal(await select.inputValue(), name);
        const before = await index(page);
        await page.waitForFunction((from) => window.stiction.frame()?.index > from, before);
      }
      assert.deepEqual(await page.locator('.message').allTextContents(), [], 'no error messages');
    });
  },
};
