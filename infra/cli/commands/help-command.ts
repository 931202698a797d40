/** `bms help`: the help of any command, such as `bms help backup create`. */
import type { Command } from 'commander';
import { badInput } from '../base/cli-failure.ts';
import { archiveName, defineCommand, namesOf, pathOf } from '../base/define-command.ts';
import type { Action } from '../context/context.ts';

export const addHelpCommand = (program: Command, action: Action): void => {
  // The parser's own one ignores the second word.
  program.helpCommand(false);
  defineCommand(program, {
    name: 'help [command...]',
    summary: 'Show the help of a command',
    examples: ['bms help backup', 'bms help backup create'],
  }).action(
    action(async (_context, _options, [...given]) => {
      const [words] = given as unknown as [readonly string[]];
      let found = program;
      for (const word of words) {
        const below = found.commands.find((command) => namesOf(command).includes(word));
        if (!below && found.commands.length > 0) throw badInput(`unknown command '${word}'; see ${pathOf(found)} --help`);
        found = below ?? found;
        if (found.name() === archiveName) break;
      }
      if (found.name() === archiveName) await found.parseAsync(['--help'], { from: 'user' });
      else found.outputHelp();
    }),
  );
};
