// Runs the real program: `stiction view` as a server, and other commands to completion.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Longest time until the server prints its address (ms). */
const START_TIMEOUT = 20_000;

/** Runs a command to completion; exit code 1 (uncertified answers) is not a failure. */
export async function run(program, ...args) {
  try {
    return (await promisify(execFile)(program, args)).stdout;
  } catch (error) {
    if (error.code === 1) return error.stdout;
    throw new Error(`stiction ${args.join(' ')}: ${error.stderr || error.message}`);
  }
}

/** Running servers; they are killed when this process exits. */
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Starts `stiction view` and waits for the address it prints. */
export async function serve(program, ...args) {
  const child = spawn(program, ['view', '--no-open', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const ended = once(child, 'exit').finally(() => running.delete(child));
  const signal = AbortSignal.timeout(START_TIMEOUT);
  const first = once(createInterface(child.stdout), 'line', { signal });
  const url = await Promise.race([
    first.then(([line]) => line),
    ended.then(([code]) => Promise.reject(new Error(`stiction view ended with code ${code}`))),
  ]);
  return {
    url,
    port: new URL(url).port,
    /** Stops the server with a signal. */
    async end(how = 'SIGINT') {
      child.kill(how);
      await ended;
    },
    alive: () => child.exitCode === null && child.signalCode === null,
  };
}
