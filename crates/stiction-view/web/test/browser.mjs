// Browser tests: the real program and its page in headless Chromium.
// node test/browser.mjs PATH_TO_STICTION [words in the names of the checks to run]

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checks as crowd } from './browser/crowd.mjs';
import { checks as hands } from './browser/hands.mjs';
import { checks as numbers } from './browser/numbers.mjs';
import { checks as playing } from './browser/playing.mjs';
import { checks as reach } from './browser/reach.mjs';
import { checks as session } from './browser/session.mjs';
import { checks as speed } from './browser/speed.mjs';
import { checks as stage } from './browser/stage.mjs';
import { launchChromium } from './chromium.mjs';

const [path, ...words] = process.argv.slice(2);
if (path === undefined) {
  console.error('usage: npm run test:browser -- PATH_TO_STICTION [words in the names of the checks to run]');
  process.exit(2);
}
const tools = {
  browser: await launchChromium(),
  program: resolve(path),
  folder: await mkdtemp(join(tmpdir(), 'stiction-browser-')),
  scenes: process.env.STICTION_SCENES ?? fileURLToPath(new URL('../../../../scenes/', import.meta.url)),
};
/** Longest duration of a check (ms). */
const TIMEOUT = 120_000;
const timeout = () =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`timeout after ${TIMEOUT / 1000} s`)), TIMEOUT).unref();
  });
const all = { ...playing, ...numbers, ...stage, ...session, ...hands, ...reach, ...speed, ...crowd };
let failed = 0;
for (const [name, check] of Object.entries(all)) {
  if (!words.every((word) => name.includes(word))) continue;
  const begin = performance.now();
  const took = () => `${((performance.now() - begin) / 1000).toFixed(1)} s`;
  try {
    const result = await Promise.race([check(tools), timeout()]);
    console.log(`ok      ${name} (${took()})${result === undefined ? '' : `: ${result}`}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name} (${took()})\n${error.stack}`);
  }
}
console.log(`load ${loadavg()[0].toFixed(1)}; ${failed === 0 ? 'all checks passed' : `${failed} failed`}`);
await tools.browser.close();
await rm(tools.folder, { recursive: true });
process.exit(failed === 0 ? 0 : 1);
