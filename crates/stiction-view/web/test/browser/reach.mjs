// Accessibility and robustness: keyboard, phones, lost connections, pages without a server, invalid messages.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';
import { run, serve } from '../program.mjs';
import { frame, index, open, play, settled, shown, viewing } from './page.mjs';

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page, name) {
  const seen = [];
  for (let tries = 0; tries < 60; tries++) {
    await page.keyboard.press('Tab');
    const label = await page.evaluate(() => {
      const { activeElement: it } = document;
      return it.getAttribute('aria-label') || it.title || it.textContent;
    });
    if (label.startsWith(name)) return;
    seen.push(label || '?');
  }
  assert.fail(`Tab does not reach ${name}, only ${seen.join('; ')}`);
}

const playing = (page, name) => page.getByRole('button', { name, exact: true }).waitFor();

const tooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

export const checks = {
  async 'all controls work with the keyboard alone'(tools) {
    await viewing(tools, [], async (page) => {
      // With the buttons.
      await tabTo(page, 'Play');
      await page.keyboard.press('Space');
      await playing(page, 'Pause');
      await page.keyboard.press('Enter');
      await playing(page, 'Play');
      const stopped = await settled(page);
      await tabTo(page, 'Next frame');
      await page.keyboard.press('Enter');
      await page.waitForFunction((wanted) => window.stiction.frame()?.index === wanted, stopped + 1);
      await tabTo(page, 'Back to the start');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => window.stiction.frame()?.index === 0);
      await tabTo(page, 'Help');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Help' }).waitFor();
      await page.keyboard.press('Escape');
      await tabTo(page, 'Choose a scene');
      await page.keyboard.press('Enter');
      const picker = page.getByRole('dialog', { name: 'Scenes' });
      await picker.waitFor();
      await tabTo(page, 'Find a scene');
      await page.keyboard.type('jack');
      await tabTo(page, 'Baraff 1994, figure 2');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => window.stiction.scene().title.includes('jack'));
      // With the shortcuts.
      await tabTo(page, 'Three-dimensional view');
      await page.keyboard.press('Space');
      await playing(page, 'Pause');
      await page.keyboard.press('Space');
      await playing(page, 'Play');
      const again = await settled(page);
      assert.ok(again > 0);
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((wanted) => window.stiction.frame()?.index === wanted, again + 1);
      await page.keyboard.press('Backspace');
      await page.waitForFunction(() => window.stiction.frame()?.index === 0);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Help' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('o');
      await picker.waitFor();
    });
  },

  async 'the page fits on a screen 400 pixels wide'(tools) {
    const phone = { viewport: { width: 400, height: 800 }, hasTouch: true };
    await viewing(
      tools,
      [],
      async (page) => {
        const panels = page.locator('.side .pages');
        const drawer = page.getByRole('button', { name: 'Hide or show the panels' });
        assert.equal(await tooWide(page), 0);
        assert.ok(!(await panels.isVisible()), 'the drawer is closed at first');
        await drawer.click();
        await panels.waitFor();
        for (const name of ['Why', 'Contacts', 'Bodies', 'Events', 'Settings']) {
          await page.getByRole('tab', { name }).click();
          assert.equal(await tooWide(page), 0, name);
        }
        await drawer.click();
        await panels.waitFor({ state: 'hidden' });
        await play(page);
        assert.equal(await tooWide(page), 0);
        for (const label of ['Pause', 'Next frame', 'Back to the start']) {
          const box = await page.getByRole('button', { name: label }).boundingBox();
          assert.ok(box.x >= 0 && box.x + box.width <= 400, `${label} is off the screen`);
        }
      },
      phone,
    );
  },

  async 'the page reconnects after the connection is lost'(tools) {
    const server = await serve(tools.program);
    const context = await tools.browser.newContext();
    try {
      const page = await context.newPage();
      const sockets = [];
      await page.routeWebSocket(/\/live/, (socket) => {
        socket.connectToServer();
        sockets.push(socket);
      });
      await page.goto(server.url);
      await shown(page);
      await play(page);
      await sockets[0].close();
      await page.getByText('Connection to the server lost').waitFor();
      await page.waitForFunction(() => window.stiction.connected());
      assert.equal(sockets.length, 2);
      const before = await index(page);
      await page.waitForFunction((from) => window.stiction.frame()?.index > from, before);
      assert.ok(!(await page.locator('.link-state').isVisible()));
    } finally {
      await context.close();
      await server.end();
    }
  },

  async 'the page reports a lost server and a restarted one'({ browser, program }) {
    const first = await serve(program);
    const { page, close } = await open(browser, first.url);
    await first.end('SIGKILL');
    await page.getByText('Connection to the server lost').waitFor();
    const second = await serve(program, '--port', first.port);
    try {
      // The new server has another token: it rejects the old page, which says what to do.
      await page.getByText('The server was restarted').waitFor();
      await page.goto(second.url);
      await shown(page);
      await play(page);
    } finally {
      await close();
      await second.end();
    }
  },

  async 'a run exported as one page plays without a server'({ browser, program, folder }) {
    const file = join(folder, 'bricks.html');
    await run(program, 'view', 'baraff1989/fig14a_bricks', '--export', file);
    const { page, faults, close } = await open(browser, pathToFileURL(file).href);
    try {
      const requests = [];
      page.on('request', (request) => requests.push(request.url()));
      await page.reload();
      await shown(page);
      await page.keyboard.press('Space');
      await page.waitForFunction(() => window.stiction.frame()?.time > 0.3);
      await page.keyboard.press('Space');
      const now = await settled(page);
      await page.keyboard.press('ArrowLeft');
      await page.waitForFunction((wanted) => window.stiction.frame()?.index === wanted, now - 1);
      assert.deepEqual(
        requests.filter((url) => !/^(file|data|blob):/.test(url)),
        [],
        'no network requests',
      );
      assert.deepEqual(faults, []);
    } finally {
      await close();
    }
  },

  async 'invalid messages on the WebSocket do no harm'(tools) {
    await viewing(tools, [], async (page, server) => {
      await play(page);
      const address = server.url.replace('http', 'ws').replace('/?', '/live?');
      for (const invalid of [
        '{{{',
        '',
        'null',
        '{"do":"scene","id":"../../etc/passwd"}',
        '{"do":"pull","body":1e9,"on":[0,0,0],"to":[0,0,0]}',
        '{"do":"gravity","value":[1e999,0,0]}',
        '{"do":"speed","factor":-1}',
        randomBytes(5000),
        '['.repeat(60_000),
        'x'.repeat(70_000),
      ]) {
        const socket = new WebSocket(address);
        await once(socket, 'open');
        const answer = new Promise((resolve, reject) => {
          socket.on('message', (data, binary) => {
            if (!binary && JSON.parse(data).say === 'error') resolve();
          });
          socket.on('error', resolve);
          socket.on('close', resolve);
          setTimeout(() => reject(new Error(`no answer to ${String(invalid).slice(0, 40)}`)), 5000).unref();
        });
        socket.send(invalid);
        await answer;
        socket.terminate();
      }
      assert.ok(server.alive());
      const before = await frame(page);
      await page.waitForFunction((from) => window.stiction.frame()?.index > from, before.index);
    });
  },
};
