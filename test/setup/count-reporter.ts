/** Prints `<n> passed, <n> failed` as the last line of a run, for a CI that does not read the summary of vitest. */
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

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
    console.log(`${countOf('passed')} passed, ${failed} failed${rest}`);
  }
}
