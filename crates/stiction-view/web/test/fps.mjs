// Measures drawing: frames per second and CPU time per frame of each Chromium process.
// node test/fps.mjs [title of a scene]

import { readdirSync, readFileSync } from 'node:fs';
import { launchChromium } from './chromium.mjs';
import { startMock } from './mock.mjs';

const mock = await startMock();
const browser = await launchChromium();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(mock.url);
await page.waitForFunction(() => window.stiction?.frame());
if (process.argv[2]) {
  await page.keyboard.press('o');
  await page.locator('.card', { hasText: process.argv[2] }).click();
}
await page.waitForTimeout(2500);

/** CPU time (ms) by kind of process. */
function times() {
  const all = {};
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!command.includes('chromium')) continue;
      const kind = /--type=([a-z-]+)/.exec(command)?.[1] ?? 'browser';
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      all[kind] = (all[kind] ?? 0) + 10 * (Number(fields[11]) + Number(fields[12]));
    } catch {
      // The process has ended.
    }
  }
  return all;
}

const drawn = () => page.evaluate(() => window.stiction.drawn());
const [before, from, start] = [times(), await drawn(), performance.now()];
await page.waitForTimeout(2500);
const [after, to, end] = [times(), await drawn(), performance.now()];
const frames = to - from;
console.log(
  `fps ${((frames * 1000) / (end - start)).toFixed(1)}`,
  Object.entries(after)
    .map(([kind, time]) => `${kind} ${((time - (before[kind] ?? 0)) / frames).toFixed(1)} ms`)
    .join(', '),
  `load ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}`,
);
await browser.close();
await mock.close();
