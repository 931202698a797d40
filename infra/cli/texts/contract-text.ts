/**
 * Texts of the contract in the help. Commands only refer to them, because loading the schemas takes longer than most commands run: the
 * references are replaced when a help is printed, from a table that is precomputed in the bundled file.
 */
import type { Command } from 'commander';
import type { Route } from '../../../shared/client/index.ts';
import { nameFlag } from '../base/name-flags.ts';

/** By reference. */
export type ContractTexts = Readonly<Record<string, string>>;

const mark = '@';

/** The summary of a route as that of a command. */
export const summaryOf = (route: Route): string => `${mark}${route}`;

/** The description of a field of the query or the body; inner fields with dots, such as `settings.timezone`. */
export const fieldOf = (route: Route, field: string): string => `${mark}${route}#${field}`;

/** All references below a command. After a semicolon the command adds words of its own. */
export const referencesIn = (command: Command): readonly string[] => [
  ...[command.summary(), ...command.options.map(({ description }) => description)]
    .filter((text) => text.startsWith(mark))
    .map((text) => text.replace(/;.*$/, '')),
  ...command.commands.flatMap(referencesIn),
];

/** Replaces the references. Names of fields become the flags of the command. */
export const fillTexts = (command: Command, texts: ContractTexts): void => {
  const textAt = (reference: string): string => {
    const text = texts[reference];
    if (text === undefined) throw new Error(`the contract has no text for ${reference}`);
    return text.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (field) => nameFlag(field, field, command));
  };
  const reference = command.summary();
  if (reference.startsWith(mark)) {
    const summary = textAt(reference);
    command.description(command.description().replace(reference, summary));
    // In the list of its group: the first sentence.
    command.summary(summary.replace(/\. [A-Z].*$/s, ''));
  }
  for (const option of command.options) {
    const [field = '', ...own] = option.description.split(';');
    if (field.startsWith(mark)) option.description = [asOption(textAt(field)), ...own].join(';');
  }
  for (const below of command.commands) fillTexts(below, texts);
};

/** Of a long text the first sentences. Options begin with a small letter, unless the first word is a name. */
const asOption = (text: string): string => {
  const [, body = text, preset = ''] = /^(.*?)( \(default: [^)]*\))?$/s.exec(text) ?? [];
  const [first = '', ...others] = body.split(/(?<=\.) (?=[A-Z])/);
  let shown = first;
  for (const sentence of others) {
    if (`${shown} ${sentence}`.length > optionMax) break;
    shown += ` ${sentence}`;
  }
  return shown.replace(/\.$/, '').replace(/^[A-Z](?=[a-z]*\b)/, (letter) => letter.toLowerCase()) + preset;
};

/** Characters; about three lines. */
const optionMax = 140;

/** Whether these arguments may print a help or a completion script. */
export const needsTexts = (args: readonly string[]): boolean =>
  args.some((arg) => ['--help', 'help', 'completion'].includes(arg) || /^-[a-z]*h[a-z]*$/.test(arg));
