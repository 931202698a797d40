/** The lines that this process logs, as CloudWatch would get them. */
import { type Mock, vi } from 'vitest';
import { log } from '../../../shared/platform/index.ts';

export type Line = Readonly<Record<string, unknown>>;

/** From now on lines are kept here instead of being printed. */
export const captureLog = (): { readonly lines: Line[]; readonly stop: () => void } => {
  const before = log.getLevelName();
  log.setLogLevel('INFO');
  const lines: Line[] = [];
  const keep = (text: string): void => void lines.push(JSON.parse(text) as Line);
  // The logger has a console of its own, so that Lambda does not wrap its lines once more.
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
