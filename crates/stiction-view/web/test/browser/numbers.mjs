// The page shows the numbers of the frame, which equal those of the exporters.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../program.mjs';
import { frame, pause, play, viewing } from './page.mjs';

const MODES = { stick: 'sticks', slip: 'slips', open: 'open' };

/** The contact table of the page: displayed texts, and all digits from the tooltips. */
async function table(page) {
  await page.getByRole('tab', { name: 'Contacts' }).click();
  await page.waitForTimeout(400);
  return page.getByRole('grid', { name: 'Contacts and their forces' }).evaluate((grid) =>
    [...grid.querySelectorAll('tbody tr')].map((row) => {
      const [between, mode, normal, friction, margin] = row.cells;
      return {
        between: between.textContent,
        mode: mode.textContent,
        normal: parseFloat(normal.title),
        normalText: normal.textContent,
        friction: parseFloat(friction.title),
        margin: Number(margin.title),
      };
    }),
  );
}

/** Equal up to rounding: vector lengths are summed in a different order. */
function near(a, b, what) {
  assert.ok(Math.abs(a - b) <= 1e-14 * Math.max(Math.abs(a), Math.abs(b)), `${what}: ${a}, ${b}`);
}

/** The displayed text (few digits) is the rounded number of the tooltip. */
function rounded(text, value) {
  const read = Number(text.replace('\u2212', '-'));
  assert.ok(Math.abs(read - value) <= 0.06 * Math.abs(value), `${text} for ${value}`);
}

/** Parses CSV without quotes into objects. */
function parseCsv(text) {
  const [head, ...lines] = text.trim().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell])));
}

export const checks = {
  async 'the contact table shows the numbers of the frame'(tools) {
    return viewing(tools, [], async (page) => {
      await play(page);
      await page.waitForFunction(() => window.stiction.frame()?.time > 0.5);
      await pause(page);
      const rows = await table(page);
      const { contacts } = await frame(page);
      assert.ok(contacts.length > 8 && rows.length === contacts.length, `${rows.length} rows`);
      rows.forEach((row, i) => {
        assert.equal(row.mode, contacts[i].mode);
        assert.equal(row.normal, contacts[i].normalForce);
        rounded(row.normalText, contacts[i].normalForce);
        near(row.friction, Math.hypot(...contacts[i].friction), 'friction');
      });
      return `${rows.length} contacts`;
    });
  },

  async 'a recording shows the numbers of its exported tables'(tools) {
    const { program, folder, scenes } = tools;
    const recording = join(folder, 'feeder.stiction');
    const scene = join(scenes, 'baraff1994/fig01_block_feeder.toml');
    await run(program, 'run', scene, '--until', '1.5', '--out', recording);
    const written = {};
    for (const format of ['jsonl', 'csv']) {
      await run(program, 'export', recording, '--format', format, '--out', join(folder, format));
      written[format] = await readFile(join(folder, format, `contacts.${format}`), 'utf8');
    }
    const jsonl = written.jsonl
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const csv = parseCsv(written.csv);
    await viewing(tools, [recording], async (page) => {
      for (const wanted of [1, 77, 150, 300]) {
        await page.getByLabel('Timeline').fill(String(wanted));
        await page.waitForFunction((index) => window.stiction.frame()?.index === index, wanted);
        const rows = await table(page);
        for (const lines of [jsonl, csv]) {
          const same = lines.filter((line) => Number(line.frame) === wanted);
          assert.ok(
            same.length > 0 && rows.length === same.length,
            `${rows.length}, ${same.length} contacts`,
          );
          rows.forEach((row, i) => {
            const line = same[i];
            assert.equal(row.between, `${line.first} · ${line.second}`);
            assert.equal(row.mode, MODES[line.mode] ?? line.mode);
            assert.equal(row.normal, Number(line.normal_force));
            const friction = ['x', 'y', 'z'].map((axis) => Number(line[`friction_${axis}`]));
            near(row.friction, Math.hypot(...friction), 'friction');
            if (!Number.isNaN(row.margin)) assert.equal(row.margin, Number(line.margin));
          });
        }
      }
    });
  },

  async 'the badge shows the certificate'(tools) {
    await viewing(tools, [], async (page) => {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => window.stiction.frame()?.index === 1);
      const badge = page.locator('.badge');
      const { residual, uncertified } = await page.evaluate(() => window.stiction.summary());
      assert.equal(uncertified, 0, `residual ${residual}`);
      assert.equal(await badge.getAttribute('data-state'), 'good');
      assert.ok(
        (await badge.getAttribute('title')).includes(`${residual}.`),
        'the tooltip has all digits of the residual',
      );
      const [, promised] = /Certified ([\de-]+)/.exec(await badge.textContent());
      assert.ok(residual <= Number(promised), `${residual} is not certified to ${promised}`);
    });
  },
};
