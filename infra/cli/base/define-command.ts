/** How every command is declared: a summary, examples, and the options that all commands have. */
import { Command, Option } from 'commander';
import { badInput } from './cli-failure.ts';

export interface CommandText {
  /** With its arguments: `show <backup>`. */
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  /** Only for scripts. */
  readonly isHidden?: boolean | undefined;
  /** Runs if its group is called without a command. */
  readonly isDefault?: boolean | undefined;
  readonly aliases?: readonly string[] | undefined;
  /** Paragraphs between the summary and the options, each without line feeds: the help wraps them to the terminal. */
  readonly description?: string | undefined;
}

/** Adds a command that does something. */
export const defineCommand = (parent: Command, text: CommandText): Command => {
  const isDefault = text.isDefault === true;
  // The project may be given as an option everywhere; `actionsOf` demands one of the two.
  const command = describeCommand(
    parent.command(text.name.replace('<project>', '[project]'), { isDefault, hidden: text.isHidden === true }),
    text,
  );
  if (text.name.includes('<project>')) needsProject.add(command);
  if (isDefault) parent.addHelpText('after', `\nWithout a command: ${pathOf(command)}\nIts options: ${pathOf(command)} --help`);
  if (isDefault && command.registeredArguments.length === 0) parent.hook('preSubcommand', refuseUnknown);
  return command;
};

const needsProject = new WeakSet<Command>();

/** The position of the argument that names a project; -1 if there is none. */
const projectArgument = (command: Command): number => command.registeredArguments.findIndex((one) => one.name() === 'project');

/** The arguments of a command, with the project of `--project` in its place. */
export const argumentsOf = (command: Command, args: readonly (string | undefined)[]): (string | undefined)[] => {
  const at = projectArgument(command);
  const { project } = command.opts<{ readonly project?: string }>();
  if (at < 0) return [...args];
  if (project !== undefined && args[at] !== undefined && args[at] !== project)
    throw badInput(`${args[at]} and --project ${project} name two projects`);
  if (project === undefined && args[at] === undefined && needsProject.has(command))
    throw badInput('which project? Add --project');
  return args.with(at, args[at] ?? project);
};

/** How a command is called, in one line. */
export const usageOf = (command: Command): string => {
  const terms = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required || needsProject.has(command) ? `<${name}>` : `[${name}]`;
  });
  return [pathOf(command), ...(command.commands.length > 0 ? ['<command>'] : []), ...terms, '[options]'].join(' ');
};

/** A command about one project, or about the `latest` of one, takes `--project`, whatever else it takes. */
const addProjectOption = (command: Command): void => {
  if (command.options.some(({ long }) => long === '--project')) return;
  const names = command.registeredArguments.map((one) => one.name());
  if (names.includes('project')) command.option('--project <project>', 'the same as the argument');
  else if (names.some((name) => ['backup', 'restore', 'job'].includes(name)))
    command.option('--project <project>', 'the project of "latest"');
};

/** Every error of the parser says how the command is called. */
export const addUsage = (command: Command): void => {
  command.exitOverride((error) => {
    throw Object.assign(error, { usage: usageOf(command) });
  });
  for (const below of command.commands) addUsage(below);
};

/** Adds the list of a group, which also runs if the group is called without a command. */
export const defineList = (group: Command, text: Pick<CommandText, 'summary' | 'examples'>): Command =>
  defineCommand(group, { ...text, name: 'ls', aliases: ['list'], isDefault: true });

/** Without this a misspelt command would be an argument too many of the default command. */
const refuseUnknown = (group: Command, chosen: Command): void => {
  const [word = '-'] = group.args;
  if (word.startsWith('-') || namesOf(chosen).includes(word)) return;
  // A group without a default command suggests a similar one.
  const probe = new Command().configureOutput({ outputError: () => undefined });
  for (const command of group.commands) probe.command(command.name());
  probe.exitOverride((error) => {
    throw Object.assign(error, { usage: usageOf(group) });
  });
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
  addProjectOption(command);
  const own = command.options.map(({ long }) => long);
  for (const option of globalOptions()) if (!own.includes(option.long)) command.addOption(option.helpGroup('Global options:'));
  command.helpOption('-h, --help', 'show this help');
  for (const below of command.commands) if (below.name() !== archiveName) addGlobalOptions(below);
};

const globalOptions = (): readonly GlobalOption[] => [
  new GlobalOption('--url <url>', 'address of the service (BMS_URL)'),
  new GlobalOption('--profile <name>', 'a stored sign-in (bms use, BMS_PROFILE)'),
  new GlobalOption('--organization <organization>', 'id, name or slug (BMS_ORGANIZATION)'),
  new GlobalOption('--json', 'print the data of the API as JSON'),
  new GlobalOption('-q, --quiet', 'print only ids and errors'),
  new GlobalOption('--no-color', 'never use colours (NO_COLOR)'),
  new GlobalOption('--insecure', 'allow http:// for other hosts than this one (BMS_INSECURE)'),
];
