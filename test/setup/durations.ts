/**
 * How long the longer test files take. `RECORD_DURATIONS=1 npm run test:all` writes the list anew; with named files it replaces their lines.
 * Only the order of the files depends on it, so a stale line costs a little time and nothing else.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';

const root = fileURLToPath(new URL('../..', import.meta.url));
const list = fileURLToPath(new URL('../fixture/durations.txt', import.meta.url));
const listedFromSeconds = 5;

/** Seconds by path from the root. */
export const readDurations = (): ReadonlyMap<string, number> =>
  new Map(
    readFileSync(list, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string])
      .map(([seconds, path]) => [path, Number(seconds)]),
  );

export default class DurationReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env.RECORD_DURATIONS !== '1') return;
    const durations = new Map(readDurations());
    for (const module of modules)
      durations.set(relative(root, module.moduleId), Math.round(module.diagnostic().duration / 1_000));
    const lines = [...durations]
      .filter(([path, seconds]) => seconds >= listedFromSeconds && existsSync(`${root}/${path}`))
      .sort(([, one], [, other]) => other - one)
      .map(([path, seconds]) => `${seconds} ${path}\n`);
    writeFileSync(list, lines.join(''));
  }
}
