// A live run as a user works with it: rewind, files, flags, the badge, texts; and recordings without useless tools.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../program.mjs';
import { frame, index, pause, play, settled, viewing } from './page.mjs';
import { FALL, pile, STACK } from './scenes.mjs';
import { sceneFile } from './stage.mjs';

const title = (page, wanted) =>
  page.waitForFunction(
    (it) => window.stiction.scene()?.title === it && window.stiction.frame() !== null,
    wanted,
  );

/** Drops a file on the page. */
async function drop(page, name, text) {
  const transfer = await page.evaluateHandle(
    ([file, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], file, { type: 'text/plain' }));
      return data;
    },
    [name, text],
  );
  for (const event of ['dragover', 'drop'])
    await page.dispatchEvent('#app', event, { dataTransfer: transfer });
}

export const checks = {
  async 'a live run goes back to an earlier frame and continues from there'(tools) {
    await viewing(tools, ['baraff1989/fig14a_bricks'], async (page) => {
      await play(page);
      await page.waitForFunction(() => window.stiction.frame()?.index > 30);
      const last = await pause(page);
      const known = await page.evaluate(() => window.stiction.frame().bodies[1].position);
      await page.keyboard.press('ArrowLeft');
      // A page that is slow has not received every frame.
      assert.ok((await index(page)) < last);
      const line = page.getByLabel('Timeline');
      const count = Number(await line.getAttribute('max'));
      await line.fill(String(Math.floor(count / 3)));
      const past = await index(page);
      assert.ok(past < last - 5, `frame ${past} of ${last}`);
      const there = await frame(page);
      await page.locator('.stage canvas').focus();
      await play(page);
      await page.waitForFunction((from) => window.stiction.frame()?.index > from + 2, past);
      await pause(page);
      // The line ends at the present: the frames after the one it returned to are gone.
      const now = await frame(page);
      assert.ok(now.index > past && now.time > there.time);
      const end = Number(await line.getAttribute('max'));
      assert.ok(end < count + now.index, `${end} frames`);
      assert.equal(await page.locator('.message').count(), 0);
      assert.notDeepEqual(known, there.bodies[1].position);
    });
  },

  async 'a scene file dropped on the page is shown'(tools) {
    await viewing(tools, [], async (page) => {
      await drop(page, 'stack.toml', STACK);
      await title(page, 'Stack of five blocks');
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => window.stiction.frame()?.index === 1);
      await drop(page, 'stack.toml', STACK.replace('density', 'dencity'));
      await page.locator('.message', { hasText: 'dencity' }).waitFor();
      await drop(page, 'picture.png', 'no scene');
      await page.locator('.message', { hasText: 'picture.png is not a scene' }).waitFor();
      const file = 'mesh = "Cargo.toml"';
      await drop(page, 'mesh.toml', STACK.replace('box = [0.4, 0.4, 0.2]', file));
      await page.locator('.message', { hasText: 'mesh.toml' }).waitFor();
      // A scene of three thousand bodies is longer than 64 KiB.
      const many = pile(700);
      assert.ok(many.length > 65_536);
      await drop(page, 'many.toml', many.replace('dt = 0.01', 'dt = 0.01'));
      await title(page, 'Pile of 700');
    });
  },

  async 'a scene file that is saved is shown again'(tools) {
    const file = await sceneFile(tools, 'saved', STACK);
    await viewing(tools, [file], async (page) => {
      await title(page, 'Stack of five blocks');
      await writeFile(file, STACK.replace('Stack of five', 'Stack of six').replace('count = 5', 'count = 6'));
      await title(page, 'Stack of six blocks');
      assert.equal((await frame(page)).bodies.length, 7);
      await writeFile(file, STACK.replace('[run]', '[rum]'));
      await page.locator('.message', { hasText: 'rum' }).waitFor();
      await title(page, 'Stack of six blocks');
      await writeFile(file, STACK);
      await title(page, 'Stack of five blocks');
    });
  },

  async 'flags choose stepper, solver and dt; the solver in use is shown'(tools) {
    const flags = ['--stepper', 'time-stepping', '--solver', 'dantzig', '--dt', '0.004'];
    await viewing(tools, ['baraff1989/fig14a_bricks', ...flags], async (page) => {
      const status = await page.evaluate(() => window.stiction.status());
      assert.deepEqual([status.stepper, status.solver], ['time-stepping', 'dantzig']);
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => window.stiction.frame()?.index === 1);
      assert.ok(Math.abs((await frame(page)).time - 0.004) < 1e-12);
      const { answers } = await frame(page);
      assert.ok(answers.length > 0, 'the frame names solvers');
      await page.getByRole('tab', { name: 'Settings' }).click();
      assert.match(await page.locator('.settings').textContent(), new RegExp(answers[0][0]));
    });
  },

  async 'the badge is grey until something was solved'(tools) {
    await viewing(tools, [await sceneFile(tools, 'fall', FALL)], async (page) => {
      const badge = page.locator('.badge');
      assert.equal(await badge.getAttribute('data-state'), 'none');
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => window.stiction.frame()?.index === 1);
      assert.equal(await badge.getAttribute('data-state'), 'none', 'a fall solves nothing');
    });
    await viewing(tools, [await sceneFile(tools, 'stack5', STACK)], async (page) => {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => window.stiction.frame()?.index === 1);
      const badge = page.locator('.badge');
      assert.equal(await badge.getAttribute('data-state'), 'good');
      assert.match(await badge.getAttribute('title'), /Certificate of the motion.*energy.*momentum/);
    });
  },

  async 'Why has subtotals by body and no margin of a force that is not unique'(tools) {
    await viewing(tools, [await sceneFile(tools, 'stack5', STACK)], async (page) => {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() => window.stiction.frame()?.index === 1);
      await page.evaluate(() => window.stiction.select('body', 3));
      const subtotals = page.locator('.why .subtotal .name');
      await subtotals.first().waitFor();
      const names = await subtotals.allTextContents();
      assert.ok(
        names.some((name) => /block\.\d, 4 contacts/.test(name)),
        names.join('; '),
      );
      const { contacts } = await frame(page);
      const loose = contacts.findIndex(({ uniqueness }) => uniqueness === 'not unique');
      assert.ok(loose >= 0, 'the forces of a stack are not unique');
      await page.evaluate((i) => window.stiction.select('contact', i), loose);
      await page.locator('.why .facts', { hasText: 'margin' }).waitFor();
      const words = await page.locator('.why').textContent();
      assert.match(words, /margin\s*not unique/);
      assert.doesNotMatch(words, /\d\s*%/);
      // Rounding noise is shown as 0.
      assert.doesNotMatch(words, /e\u2212[12]\d/);
      for (const tab of ['Contacts', 'Bodies']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.waitForTimeout(300);
        assert.doesNotMatch(await page.locator('.side .pages').innerText(), /e\u2212[12]\d/);
      }
    });
  },

  async 'names are shown in full'(tools) {
    const long = STACK.replaceAll('"block"', '"a block with quite a long name"');
    await viewing(tools, [await sceneFile(tools, 'long', long)], async (page) => {
      await page.getByRole('tab', { name: 'Bodies' }).click();
      await page.waitForTimeout(400);
      const cut = await page
        .locator('.grid .left')
        .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
      assert.equal(cut, 0, `${cut} names are cut`);
    });
  },

  async 'a recording has no tools that need a live run'(tools) {
    const { program, folder, scenes } = tools;
    const recording = join(folder, 'bricks.stiction');
    await run(
      program,
      'run',
      join(scenes, 'baraff1989/fig14a_bricks.toml'),
      '--until',
      '0.3',
      '--out',
      recording,
    );
    await viewing(tools, [recording], async (page) => {
      for (const name of ['Pull bodies by dragging', 'Turn bodies by dragging'])
        assert.ok(!(await page.getByRole('button', { name }).isVisible()), name);
      await page.getByRole('tab', { name: 'Settings' }).click();
      assert.ok(!(await page.getByLabel('Stepper').isVisible()));
      assert.match(await page.locator('.settings').innerText(), /Recorded with/i);
      assert.equal(await settled(page), 0);
    });
    assert.ok((await readFile(recording)).length > 0);
  },
};
