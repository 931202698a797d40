/** Captures the log lines of this process, as CloudWatch would get them. */
import { type Mock, vi } from 'vitest';
import { log } from '../../../shared/platform/index.ts';

export type Line = Readonly<Record<string, unknown>>;

/** Captures lines instead of printing them, until `stop`. */
export const captureLog = (): { readonly lines: Line[]; readonly stop: () => void } => {
  const before = log.getLevelName();
  log.setLogLevel('INFO');
  const lines: Line[] = [];
  const keep = (text: string): void => void lines.push(JSON.parse(text) as Line);
  // The logger has its own console, so that Lambda does not wrap its lines again.
  const { console: printer } = log as unknown as { console: Console };
  const mocks = (['info', 'warn', 'error'] as const).map(
    (level) => vi.spyOn(printer, level).mockImplementation(keep) as Mock<() => void>,
  );
  const stop = (): void => {
    for (const mocked of mocks) mocked.mockRestore();
    log.setLogLevel(before);
  };
  return { lines, stop };
};
