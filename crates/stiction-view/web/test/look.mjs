// Takes screenshots of the built page with the mock server: node test/look.mjs [folder]

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launchChromium } from './chromium.mjs';
import { record, startMock } from './mock.mjs';

const folder = process.argv[2] ?? fileURLToPath(new URL('../shots/', import.meta.url));
const only = process.argv[3];
const dist = new URL('../dist/', import.meta.url);
await mkdir(folder, { recursive: true });
const browser = await launchChromium();
const problems = [];
const mock = await startMock();

async function look(
  name,
  { width = 1280, height = 800, scheme = 'light', url = mock.url, touch = false },
  act = async () => {},
) {
  if (only !== undefined && !name.includes(only)) return;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    hasTouch: touch,
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !/404|Failed to load resource/.test(message.text()))
      problems.push(`${name}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${name}: ${error.stack}`));
  await page.goto(url);
  await page.waitForFunction(() => window.stiction?.frame());
  await page.waitForTimeout(1500);
  await act(page);
  const fps = await page.evaluate(() => window.stiction.fps());
  // A paused picture is drawn again at a higher resolution.
  if (!/fps|pull/.test(name) && (await page.locator('dialog[open]').count()) === 0) {
    await page
      .getByRole('button', { name: 'Pause' })
      .click({ timeout: 1000 })
      .catch(() => {});
    await page.waitForTimeout(900);
  }
  await page.screenshot({ path: `${folder}/${name}.png` });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) problems.push(`${name}: ${wide} px too wide`);
  console.log(name, 'fps', fps.toFixed(1));
  await context.close();
}

const scene = async (page, title) => {
  await page.keyboard.press('o');
  await page.waitForSelector('dialog.picker[open] .card');
  await page.locator('.card', { hasText: title }).click();
  await page.waitForFunction((wanted) => window.stiction.scene().title.includes(wanted), title);
  await page.waitForTimeout(1200);
};

await look('desktop-light', {});
await look('desktop-fps', {}, (page) => page.waitForTimeout(5000));
await look('desktop-dark', { scheme: 'dark' }, async (page) => {
  await page.keyboard.press('k');
  await page.getByRole('tab', { name: 'Contacts' }).click();
  await page.waitForTimeout(600);
});
await look('why-body', {}, async (page) => {
  await page.evaluate(() => window.stiction.select('body', 13));
  await page.waitForTimeout(1500);
});
await look('why-contact', {}, async (page) => {
  await scene(page, 'incline');
  await page.keyboard.press('k');
  await page.evaluate(() => window.stiction.select('contact', 1));
  await page.waitForTimeout(800);
});
await look('why-incline', { scheme: 'dark' }, async (page) => {
  await scene(page, 'incline');
  const at = await page.evaluate(() => window.stiction.project(1));
  await page.mouse.dblclick(at.x, at.y);
  await page.waitForTimeout(800);
});
await look('planar', {}, (page) => scene(page, 'plane'));
await look('zoo', {}, async (page) => {
  await scene(page, 'Every shape');
  await page.evaluate(() => window.stiction.select('body', 6));
  await page.waitForTimeout(500);
});
await look('high-quality', { url: `${mock.url}&quality=high` }, (page) =>
  page.evaluate(() => window.stiction.select('body', 8)),
);
await look('floor', {}, (page) =>
  page.evaluate(() => window.stiction.select('body', 0)).then(() => page.waitForTimeout(500)),
);
await look('settings', {}, async (page) => {
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.waitForTimeout(300);
});
await look('help', {}, async (page) => {
  await page.keyboard.press('?');
  await page.waitForTimeout(300);
});
await look('picker', {}, async (page) => {
  await page.keyboard.press('o');
  await page.waitForSelector('dialog.picker[open] .card');
});
await look('narrow', { width: 400, height: 800, touch: true });
await look('narrow-why', { width: 400, height: 800, touch: true, scheme: 'dark' }, async (page) => {
  await scene(page, 'incline');
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.evaluate(() => window.stiction.select('contact', 0));
  await page.waitForTimeout(600);
});
await look('pull', {}, async (page) => {
  const at = await page.evaluate(() => window.stiction.project(5));
  await page.keyboard.down('Control');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down({ button: 'right' });
  await page.mouse.move(at.x + 90, at.y - 120, { steps: 4 });
  await page.waitForTimeout(300);
});

// One file without a server.
const script = (await readdir(new URL('assets/', dist))).find((name) => name.endsWith('.js'));
const style = (await readdir(new URL('assets/', dist))).find((name) => name.endsWith('.css'));
const [html, js, css] = await Promise.all([
  readFile(new URL('index.html', dist), 'utf8'),
  readFile(new URL(`assets/${script}`, dist), 'utf8'),
  readFile(new URL(`assets/${style}`, dist), 'utf8'),
]);
if (/<\/script|<!--/i.test(js)) problems.push('the script cannot be inlined');
const one = html
  .replace(/<script type="module"[^>]*><\/script>/, '')
  .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${css}</style>`)
  .replace(
    '</body>',
    () =>
      `<script type="application/octet-stream" id="run">${record('mock/fig01_crates').toString('base64')}</script><script type="module">${js}</script></body>`,
  );
await writeFile(`${folder}/one.html`, one);
await look('one-file', { url: pathToFileURL(`${folder}/one.html`).href }, async (page) => {
  await page.evaluate(() => window.stiction.select('contact', 5));
  await page.keyboard.press('Space');
  await page.waitForTimeout(2500);
});

await mock.close();
await browser.close();
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
