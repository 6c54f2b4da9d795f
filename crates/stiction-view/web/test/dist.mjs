// Replaces script and styles of the page inside the program by those of a folder:
// STICTION_DIST=dist npm run test:browser …  Changes to the page are then tested without building the program again.

import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const TYPES = { '.js': 'text/javascript', '.css': 'text/css' };

/** Answers the requests of a browser context for script and styles from a folder that Vite built. */
export async function usePage(context, folder) {
  const assets = await readdir(join(folder, 'assets'));
  await context.route(/\/assets\//, async (route) => {
    const ending = extname(new URL(route.request().url()).pathname);
    const name = assets.find((file) => extname(file) === ending);
    const body = await readFile(join(folder, 'assets', name), 'utf8');
    await route.fulfill({ body, contentType: TYPES[ending] });
  });
}
