/** `bms smoke`: the smoke test of a deployment, without a checkout. */
import type { Command } from 'commander';
import { CliFailure } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import type { ExitCode } from '../base/exit-codes.ts';
import type { Action } from '../context/context.ts';

export const addSmokeCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'smoke <address>',
    summary: 'Test a deployment: sign in, back up, verify, plan a restore, and clean up',
    description:
      'Reads every document of the project, which Google bills, and writes nothing to it. SMOKE_PROJECT and SMOKE_DESTINATION choose what is backed up and where; SMOKE_TOKEN signs in without a browser. The section Smoke test of the deployment guide lists all variables.',
    examples: ['SMOKE_PROJECT=my-project SMOKE_DESTINATION=dst_… bms smoke https://backups.example.com'],
  }).action(
    action(async ({ environment: { env, stdout }, output, signal }, _options, [address = '']) => {
      const { runSmokeTest } = await import('../../smoke/run-smoke-test.ts');
      const exitCode = await runSmokeTest({
        words: [address],
        env,
        say: (line) => output.line(line),
        isInteractive: stdout.isTTY === true,
        signal,
      });
      // It has reported the failure itself.
      if (exitCode !== 0) throw new CliFailure(exitCode as ExitCode, '');
    }),
  );
};
