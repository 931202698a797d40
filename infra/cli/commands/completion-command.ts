/** `bms completion`: prints the script for a shell. */
import { Argument, type Command } from 'commander';
import { defineCommand } from '../base/define-command.ts';
import { commandTree } from '../completion/command-tree.ts';
import { isValuesFile, readValues, storeValues, valueKinds } from '../completion/complete-values.ts';
import { completionScript, type Shell, shells } from '../completion/completion-scripts.ts';
import type { Action } from '../context/context.ts';

export const addCompletionCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'completion',
    summary: 'Print the completion script for bash, zsh or fish',
    examples: ['source <(bms completion bash)', 'source <(bms completion zsh)', 'bms completion fish | source'],
  })
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .action(
      action(async ({ environment }, _, [shell = '']) => {
        environment.stdout.write(completionScript(shell as Shell, commandTree(program)));
      }),
    );

  // Called by the scripts, in the background.
  defineCommand(program, {
    name: '__complete <kind> <file>',
    isHidden: true,
    summary: 'Store the names that a completion script offers',
    examples: ['bms __complete projects projects.1750322843'],
  }).action(
    action(async ({ client: open, environment }, _, [given = '', file = '']) => {
      const kind = valueKinds.find((one) => one === given);
      if (kind === undefined || !isValuesFile(kind, file)) return;
      storeValues(environment.env, file, await readValues(await open(), kind));
    }),
  );
};
