// Makes all pictures: thumbnails of the scenes and screenshots of the gallery.
// node test/pictures.mjs PATH_TO_STICTION [FOLDER [words]]: FOLDER is the repository, by default the one of this file.

import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';
import { open, shown } from './browser/page.mjs';
import { launchChromium } from './chromium.mjs';
import { SCREENSHOTS, THUMBNAILS } from './pictures/moments.mjs';
import { decoded, encoded, halved, sheet } from './png.mjs';
import { run, serve } from './program.mjs';

/** Size of a thumbnail. */
const SMALL = { width: 320, height: 200 };
const SMALL_COLOURS = 64;
const COLOURS = 200;
/** Hides everything but the stage. */
const BARE = `
  .top, .side, .transport, .stage > :not(canvas) { display: none !important; }
  .stage { position: fixed !important; inset: 0; z-index: 1; }
`;

const [path, home = fileURLToPath(new URL('../../../../', import.meta.url)), ...words] =
  process.argv.slice(2);
if (path === undefined) {
  console.error('usage: npm run pictures -- PATH_TO_STICTION [FOLDER [words]]');
  process.exit(2);
}
const program = resolve(path);
const wanted = (name) => words.length === 0 || words.some((word) => name.includes(word));
const folder = await mkdtemp(join(tmpdir(), 'stiction-pictures-'));
const thumbnails = join(home, 'crates/stiction-view/thumbnails');
const pictures = join(home, 'docs/pictures');
await Promise.all([thumbnails, pictures].map((place) => mkdir(place, { recursive: true })));
const browser = await launchChromium();

/** Time (ms) until an unchanged picture has been drawn at the higher resolution. */
const STILL = 700;

/** Sets the view of a moment: turned, zoomed and shifted from the fitted view. */
async function look(page, { turn = [0, 0, 1], shift = [0, 0], show = {}, fit = false }) {
  if (fit) await page.keyboard.press('f');
  await page.evaluate(
    ([by, aside, change]) => {
      window.stiction.turn(...by);
      window.stiction.shift(...aside);
      window.stiction.show(change);
    },
    [turn, shift, show],
  );
  await page.waitForTimeout(STILL);
}

async function thumbnail(id) {
  const moment = THUMBNAILS[id] ?? {};
  const name = id.replaceAll('/', '-');
  const [recording, file] = [join(folder, `${name}.stiction`), join(folder, `${name}.html`)];
  const scene = join(home, 'scenes', `${id}.toml`);
  await run(program, 'run', scene, '--until', String(moment.at ?? 0.5), '--out', recording);
  await run(program, 'view', recording, '--export', file);
  const { page, close } = await open(browser, `${pathToFileURL(file).href}?quality=high`, {
    viewport: SMALL,
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
    colorScheme: 'light',
  });
  await page.addStyleTag({ content: BARE });
  await page.evaluate(() => {
    const line = document.querySelector('input.timeline');
    line.value = line.max;
    line.dispatchEvent(new Event('input'));
  });
  await look(page, moment);
  const picture = halved(await page.screenshot());
  await close();
  const png = encoded(picture, SMALL_COLOURS);
  await writeFile(join(thumbnails, `${name}.png`), png);
  console.log(`${id}: ${png.length} bytes`);
  return picture;
}

/** Makes the server compute exactly `frames` frames. */
async function advance(page, url, frames) {
  const socket = new WebSocket(url.replace('http', 'ws').replace('/?', '/live?'));
  await new Promise((done) => socket.on('open', done));
  for (let i = 0; i < frames; i++) socket.send('{"do":"step"}');
  await page.waitForFunction((index) => window.stiction.frame()?.index === index, frames, {
    timeout: 60_000,
  });
  socket.close();
}

async function screenshot(name, { scene, frames, viewport, scheme = 'light', act, ...moment }) {
  const server = await serve(program, scene);
  const { page, close } = await open(browser, `${server.url}&quality=high`, {
    viewport: viewport ?? { width: 1280, height: 800 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  await shown(page);
  await advance(page, server.url, frames);
  await look(page, moment);
  await act?.(page);
  await page.waitForTimeout(STILL);
  const png = encoded(decoded(await page.screenshot()), COLOURS);
  await writeFile(join(pictures, `${name}.png`), png);
  console.log(`${name}: ${png.length} bytes`);
  await close();
  await server.end();
}

const scenes = (await readdir(join(home, 'scenes'), { recursive: true }))
  .filter((file) => file.endsWith('.toml'))
  .map((file) => file.replaceAll('\\', '/').replace(/\.toml$/, ''))
  .sort();
const small = [];
for (const id of scenes.filter(wanted)) small.push(await thumbnail(id));
// A contact sheet of all thumbnails, outside the repository.
const overview = join(tmpdir(), 'stiction-thumbnails.png');
if (small.length > 0) await writeFile(overview, encoded(sheet(small, Math.min(5, small.length)), 256));
for (const [name, moment] of Object.entries(SCREENSHOTS)) if (wanted(name)) await screenshot(name, moment);
await browser.close();
await rm(folder, { recursive: true });
process.exit(0);
