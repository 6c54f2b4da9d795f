// Shared by the checks: opens the page of the real program and operates it.

import assert from 'node:assert/strict';
import { usePage } from '../dist.mjs';
import { serve } from '../program.mjs';

export const DESKTOP = { width: 1280, height: 800 };

/** Opens a URL; `faults` collects errors of the page and its console. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  context.setDefaultTimeout(15_000);
  if (process.env.STICTION_DIST) await usePage(context, process.env.STICTION_DIST);
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.stack));
  await page.goto(url);
  await shown(page);
  return { page, faults, close: () => context.close() };
}

/** Serves a scene or a recording, opens it and runs `act`; fails if the page logged an error. Returns the result of `act`. */
export async function viewing({ browser, program }, args, act, options) {
  const server = await serve(program, ...args);
  try {
    const { page, faults, close } = await open(browser, server.url, options);
    try {
      const result = await act(page, server);
      assert.deepEqual(faults, [], 'errors in the console');
      return result;
    } finally {
      await close();
    }
  } finally {
    await server.end();
  }
}

/** Waits until a frame has been drawn. */
export const shown = (page) =>
  page.waitForFunction(() => window.stiction?.frame() && window.stiction.drawn() > 0);

export const frame = (page) => page.evaluate(() => window.stiction.frame());

export const index = (page) => page.evaluate(() => window.stiction.frame().index);

/** Chooses a scene in the picker. */
export async function choose(page, title) {
  await page.keyboard.press('o');
  const exact = page.locator('.card-title').getByText(title, { exact: true });
  await page.locator('.card').filter({ has: exact }).click();
  await page.waitForFunction(
    (wanted) => window.stiction.scene()?.title === wanted && window.stiction.frame() !== null,
    title,
  );
}

/** Waits until the frame no longer changes; returns its index. */
export async function settled(page) {
  for (let before = -1, tries = 0; tries < 50; tries++) {
    const now = await index(page);
    if (now === before) return now;
    before = now;
    await page.waitForTimeout(150);
  }
  assert.fail('the run does not stop');
}

/** Starts the run and waits for a new frame. */
export async function play(page) {
  const before = await index(page);
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForFunction((from) => window.stiction.frame()?.index > from, before);
}

export async function pause(page) {
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  return settled(page);
}

/** A number of the transport bar, by its unit. */
export const measured = async (page, unit) =>
  Number(await page.locator('.numbers span', { hasText: unit }).locator('b').textContent());
