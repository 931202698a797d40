/** How every command is declared: a summary, examples, and the options that all commands have. */
import { Command, Option } from 'commander';

export interface CommandText {
  /** With its arguments: `show <backup>`. */
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  /** Runs if its group is called without a command. */
  readonly isDefault?: boolean | undefined;
  readonly aliases?: readonly string[] | undefined;
  /** Paragraphs between the summary and the options, each without line feeds: the help wraps them to the terminal. */
  readonly description?: string | undefined;
}

/** Adds a command that does something. */
export const defineCommand = (parent: Command, text: CommandText): Command => {
  const isDefault = text.isDefault === true;
  const command = describeCommand(parent.command(text.name, { isDefault }), text);
  if (isDefault) parent.addHelpText('after', `\nWithout a command: ${pathOf(command)}\nIts options: ${pathOf(command)} --help`);
  if (isDefault && command.registeredArguments.length === 0) parent.hook('preSubcommand', refuseUnknown);
  return command;
};

/** Adds the list of a group, which also runs if the group is called without a command. */
export const defineList = (group: Command, text: Pick<CommandText, 'summary' | 'examples'>): Command =>
  defineCommand(group, { ...text, name: 'ls', aliases: ['list'], isDefault: true });

/** Without this a misspelt command would be an argument too many of the default command. */
const refuseUnknown = (group: Command, chosen: Command): void => {
  const [word = '-'] = group.args;
  if (word.startsWith('-') || namesOf(chosen).includes(word)) return;
  // A group without a default command suggests a similar one.
  const probe = new Command().exitOverride().configureOutput({ outputError: () => undefined });
  for (const command of group.commands) probe.command(command.name());
  probe.parse([word], { from: 'user' });
};

/** The words that call a command. */
export const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

export const namesOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()];

/** Adds the group of the commands of one resource. */
export const defineGroup = (parent: Command, text: CommandText): Command =>
  describeCommand(parent.command(text.name), text).helpCommand('help [command]', 'Show the help of a command');

const describeCommand = (command: Command, { summary, examples, aliases = [], description }: CommandText): Command => {
  command.summary(summary).description(description === undefined ? summary : `${summary}.\n\n${description}`);
  for (const alias of aliases) command.alias(alias);
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
  return command;
};

/** Has options of its own. */
export const archiveName = 'archive';

/** An option of every command. */
export class GlobalOption extends Option {}

/**
 * Accepted before and after the name of a command. A command may have an option of its own with the same name, such as the URL of a
 * webhook: then the global one precedes the command.
 */
export const addGlobalOptions = (command: Command): void => {
  const own = command.options.map(({ long }) => long);
  for (const option of globalOptions()) if (!own.includes(option.long)) command.addOption(option.helpGroup('Global options:'));
  command.helpOption('-h, --help', 'show this help');
  for (const below of command.commands) if (below.name() !== archiveName) addGlobalOptions(below);
};

const globalOptions = (): readonly GlobalOption[] => [
  new GlobalOption('--url <url>', 'address of the service (BMS_URL)'),
  new GlobalOption('--organization <organization>', 'id, name or slug (BMS_ORGANIZATION)'),
  new GlobalOption('--json', 'print the data of the API as JSON'),
  new GlobalOption('-q, --quiet', 'print only ids and errors'),
  new GlobalOption('--no-color', 'never use colours (NO_COLOR)'),
  new GlobalOption('--insecure', 'allow http:// for other hosts than this one (BMS_INSECURE)'),
];
