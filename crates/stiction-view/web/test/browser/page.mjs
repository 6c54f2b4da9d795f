// What the checks share: a page of the real program, and what people do with it.

import assert from 'node:assert/strict';
import { serve } from '../program.mjs';

export const DESKTOP = { width: 1280, height: 800 };

/** Opens an address; `faults` gathers errors of the page and its console. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.stack));
  await page.goto(url);
  await shown(page);
  return { page, faults, close: () => context.close() };
}

/** Serves a scene or a recording and opens it; checks at the end that the page found no fault. Gives what `act` gives. */
export async function viewing({ browser, program }, words, act, options) {
  const server = await serve(program, ...words);
  try {
    const { page, faults, close } = await open(browser, server.url, options);
    try {
      const said = await act(page, server);
      assert.deepEqual(faults, [], 'errors in the console');
      return said;
    } finally {
      await close();
    }
  } finally {
    await server.end();
  }
}

/** Waits for a frame that has been drawn. */
export const shown = (page) =>
  page.waitForFunction(() => window.stiction?.frame() && window.stiction.drawn() > 0);

export const frame = (page) => page.evaluate(() => window.stiction.frame());

export const index = (page) => page.evaluate(() => window.stiction.frame().index);

/** Chooses a scene in the picker, as people do. */
export async function choose(page, title) {
  await page.keyboard.press('o');
  const exact = page.locator('.card-title').getByText(title, { exact: true });
  await page.locator('.card').filter({ has: exact }).click();
  await page.waitForFunction(
    (wanted) => window.stiction.scene()?.title === wanted && window.stiction.frame() !== null,
    title,
  );
}

/** Waits until two looks at the run, some time apart, see the same frame. */
export async function rests(page) {
  for (let before = -1, tries = 0; tries < 50; tries++) {
    const now = await index(page);
    if (now === before) return now;
    before = now;
    await page.waitForTimeout(150);
  }
  assert.fail('the run does not stand still');
}

/** Starts the run and waits until it moves. */
export async function play(page) {
  const before = await index(page);
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForFunction((from) => window.stiction.frame()?.index > from, before);
}

export async function pause(page) {
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  return rests(page);
}

/** A number of the bar below the stage, by the word behind it. */
export const measured = async (page, word) =>
  Number(await page.locator('.numbers span', { hasText: word }).locator('b').textContent());
