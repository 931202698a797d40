/** What a command works with. */
import type { Command } from 'commander';
import { ApiFailure, type Client } from '../../../shared/client/index.ts';
import { CliFailure, cliFailureOf, keyRefused } from '../base/cli-failure.ts';
import { argumentsOf, GlobalOption, usageOf } from '../base/define-command.ts';
import type { Environment } from '../base/environment.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { nameFlag } from '../base/name-flags.ts';
import { ConfigFile, configPath } from '../config/config-file.ts';
import { openSession, type Session } from '../config/open-session.ts';
import { type GlobalOptions, readSettings, type Settings } from '../config/settings.ts';
import { Output } from '../output/output.ts';
import { openTerminal } from '../output/terminal.ts';

export interface Context {
  readonly environment: Environment;
  readonly options: GlobalOptions;
  readonly output: Output;
  readonly config: ConfigFile;
  /** Aborted when the command is interrupted. */
  readonly signal: AbortSignal;
  settings(): Settings;
  session(): Session;
  /** The client of the chosen organization. */
  client(): Promise<Client>;
}

export const openContext = (environment: Environment, options: GlobalOptions): Context => {
  const config = new ConfigFile(configPath(environment.env));
  const output = new Output(environment, options, openTerminal(environment, options));
  const warning = config.repairAccess();
  if (warning) output.warn(warning);
  const settings = (): Settings => readSettings(options, environment.env, config);
  let session: Session | undefined;
  const open = (): Session => {
    session ??= openSession(settings(), config);
    return session;
  };
  return {
    environment,
    options,
    output,
    config,
    signal: environment.signal,
    settings,
    session: open,
    client: () => open().organization(),
  };
};

/** Global options of a command and of its parents; the innermost wins. */
export const globalOptionsOf = (command: Command): GlobalOptions => {
  const given: Record<string, unknown> = {};
  for (let one: Command | null = command; one; one = one.parent)
    for (const option of one.options)
      if (option instanceof GlobalOption && one.getOptionValueSource(option.attributeName()) === 'cli')
        given[option.attributeName()] ??= one.getOptionValue(option.attributeName());
  const { profile, url, organization, json, quiet, color, insecure } = given as GlobalOptions;
  return { profile, url, organization, json, quiet, color, insecure };
};

type Body<Options> = (context: Context, options: Options, args: readonly string[]) => Promise<void>;

/** The action of a command. */
export type Action = <Options = Record<never, never>>(body: Body<Options>) => (...given: unknown[]) => Promise<void>;

export const actionsOf =
  (environment: Environment): Action =>
  (body) =>
  async (...given) => {
    const command = given.at(-1) as Command;
    const options = given.at(-2) as never;
    const context = openContext(environment, globalOptionsOf(command));
    try {
      const args = argumentsOf(command, given.slice(0, -2) as (string | undefined)[]) as string[];
      await body(context, options, args);
    } catch (error) {
      throw explained(error, command, () => isKeyOf(context));
    }
  };

/** A failure in the words of the command: its flags, how it is called, and what is wrong with its credentials. */
const explained = (error: unknown, command: Command, isKey: () => boolean): unknown => {
  if (error instanceof CliFailure && error.exitCode === exitCodes.badInput) error.usage ??= usageOf(command);
  if (!(error instanceof ApiFailure)) return error;
  const { status, details } = error;
  if (status === 401 && isKey()) return keyRefused(error);
  if (status !== 400) return error;
  const failure = cliFailureOf(error);
  const named = new CliFailure(failure.exitCode, nameFlag(failure.message, details.field, command), { cause: error });
  named.usage = usageOf(command);
  return named;
};

const isKeyOf = ({ settings, config }: Context): boolean => {
  const { credentials, profile } = settings();
  return credentials.from === 'environment'
    ? credentials.apiKey !== undefined
    : config.read().profiles[profile]?.apiKey !== undefined;
};
