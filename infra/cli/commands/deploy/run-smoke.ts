import { runSmokeTest } from '../../../smoke/run-smoke-test.ts';
import { CliFailure } from '../../base/cli-failure.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import type { Context } from '../../context/context.ts';

/** The smoke test of a deployment. Without SMOKE_PROJECT and SMOKE_DESTINATION it checks the public endpoints only, and says so. */
export const runSmoke = async ({ output, environment: { env, stdout }, signal }: Context, url: string): Promise<void> => {
  output.note(`smoke test of ${url}`);
  const lines: string[] = [];
  const exitCode = await runSmokeTest({
    words: [url],
    env,
    say: (line) => {
      lines.push(line);
      output.note(line);
    },
    isInteractive: stdout.isTTY === true,
    signal,
  });
  if (exitCode === 1) throw new CliFailure(exitCodes.failed, `the smoke test of ${url} failed; the lines above say where`);
  if (exitCode === 2) output.note(`After the next steps, set these variables and repeat it: bms smoke ${url}`);
};
