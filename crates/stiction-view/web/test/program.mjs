// The real program: `stiction view` as a server, and commands that run to their end.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Longest time until the server prints its address (ms). */
const PATIENCE = 20_000;

/** Runs a command of the program to its end; uncertified answers (code 1) are no failure. */
export async function run(program, ...words) {
  try {
    return (await promisify(execFile)(program, words)).stdout;
  } catch (error) {
    if (error.code === 1) return error.stdout;
    throw new Error(`stiction ${words.join(' ')}: ${error.stderr || error.message}`);
  }
}

/** Servers that run; none outlives this process. */
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Starts `stiction view` and waits for the address it prints. */
export async function serve(program, ...words) {
  const child = spawn(program, ['view', '--no-open', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const ended = once(child, 'exit').finally(() => running.delete(child));
  const signal = AbortSignal.timeout(PATIENCE);
  const first = once(createInterface(child.stdout), 'line', { signal });
  const url = await Promise.race([
    first.then(([line]) => line),
    ended.then(([code]) => Promise.reject(new Error(`stiction view ended with code ${code}`))),
  ]);
  return {
    url,
    port: new URL(url).port,
    /** Ends it; at once where it is killed. */
    async end(how = 'SIGINT') {
      child.kill(how);
      await ended;
    },
    alive: () => child.exitCode === null && child.signalCode === null,
  };
}
