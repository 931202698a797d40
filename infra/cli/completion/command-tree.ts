/** The words that can follow each command, for the completion of shells. */
import type { Command, Option } from 'commander';
import { type ValueKind, valueKindOf } from './complete-values.ts';

export interface TreeNode {
  /** Words after `bms`, such as `backup ls`; empty for `bms` itself. */
  readonly path: string;
  readonly summary: string;
  /** Names of the commands below, each with its aliases. */
  readonly commands: readonly { readonly name: string; readonly aliases: readonly string[]; readonly summary: string }[];
  readonly options: readonly TreeOption[];
  /** Fixed values of the arguments. */
  readonly values: readonly string[];
  /** What the first argument names. */
  readonly kind: ValueKind | undefined;
}

export interface TreeOption {
  /** `--status`, `-q`. */
  readonly flags: readonly string[];
  readonly summary: string;
  readonly choices: readonly string[];
  readonly takesValue: boolean;
  /** What its value names. */
  readonly kind: ValueKind | undefined;
}

export const commandTree = (program: Command): readonly TreeNode[] => nodesOf(program, []);

const nodesOf = (command: Command, path: readonly string[]): readonly TreeNode[] => {
  const below = command.commands.filter((one) => !one.name().startsWith('_'));
  return [
    {
      path: path.join(' '),
      summary: command.summary(),
      commands: below.map((one) => ({ name: one.name(), aliases: one.aliases(), summary: one.summary() })),
      options: command.options.filter(({ hidden }) => !hidden).map(treeOption),
      values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      kind: valueKindOf[command.registeredArguments[0]?.name() ?? ''],
    },
    ...below.flatMap((one) => nodesOf(one, [...path, one.name()])),
  ];
};

const treeOption = (option: Option): TreeOption => ({
  flags: [option.long, option.short].filter((flag) => flag !== undefined && flag !== null),
  summary: option.description,
  choices: option.argChoices ?? [],
  takesValue: option.required || option.optional,
  kind: option.required ? valueKindOf[option.attributeName()] : undefined,
});
