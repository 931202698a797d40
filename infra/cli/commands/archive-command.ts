/** `bms archive`: reads a backup with the bucket and the key alone. It has options, messages and exit codes of its own. */
import type { Command } from 'commander';
import { CliFailure } from '../base/cli-failure.ts';
import { archiveName } from '../base/define-command.ts';
import type { ExitCode } from '../base/exit-codes.ts';
import type { Action } from '../context/context.ts';

export const addArchiveCommand = (program: Command, action: Action): void => {
  program
    .command(`${archiveName} [arguments...]`)
    .summary('Read a backup without the service: ls, cat, export, open, config, verify, key, verify-evidence')
    .description('Reads a backup with the bucket and the key alone; bms archive --help explains its commands and options.')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(
      action(async ({ output, signal }, _options, [...given]) => {
        // Loaded only here: it brings the clients of the stores.
        const { runArchive } = await import('../../archive/run-archive.ts');
        const { mountBackups } = await import('../../mount/mount-backups.ts');
        const [words] = given as unknown as [readonly string[]];
        const global = [...(output.isJson ? ['--json'] : []), ...(output.isQuiet ? ['--quiet'] : [])];
        const exitCode = await runArchive([...global, ...words], { mountBackups, signal });
        // It has reported the failure itself.
        if (exitCode !== 0) throw new CliFailure(exitCode as ExitCode, '');
      }),
    );
};
