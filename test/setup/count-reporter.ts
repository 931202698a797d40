/**
 * Prints `<n> passed, <n> failed` as the last line of a run, for a CI that does not read the summary of vitest, and before it the requests
 * that were repeated because the stage answered 503.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { repeatsFile } from '../harness/stage/with-repeats.ts';

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const countOf = (state: string): number => tests.filter((test) => test.result().state === state).length;
    // Errors outside of tests count as failures: a file that cannot be imported, a hook that fails, a rejection nothing handles.
    const broken = modules
      .flatMap((module) => [module, ...module.children.allSuites()])
      .filter((each) => each.errors().length > 0);
    const failed = countOf('failed') + broken.length + unhandledErrors.length;
    const [skipped, pending] = [countOf('skipped'), countOf('pending')];
    const rest = skipped + pending > 0 ? `, ${skipped + pending} skipped` : '';
    const file = repeatsFile();
    if (file !== undefined && existsSync(file)) console.log(`repeated after a 503:\n${readFileSync(file, 'utf8')}`);
    console.log(`${countOf('passed')} passed, ${failed} failed${rest}`);
  }
}
