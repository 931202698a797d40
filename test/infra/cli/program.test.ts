/** The commands as a whole: help and parser errors. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { afterAll, test } from 'vitest';
import { CliFailure } from '../../../infra/cli/base/cli-failure.ts';
import { pathOf } from '../../../infra/cli/base/define-command.ts';
import { nameFlag } from '../../../infra/cli/base/name-flags.ts';
import { ConfigFile, configPath } from '../../../infra/cli/config/config-file.ts';
import { precomputedTexts } from '../../../infra/cli/precomputed-texts.ts';
import { createProgram, parserMessage } from '../../../infra/cli/program.ts';
import { needsTexts, referencesIn } from '../../../infra/cli/texts/contract-text.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';

const scratch = mkdtempSync(join(tmpdir(), 'bms-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const environment = {
  args: [],
  env: { XDG_CONFIG_HOME: scratch },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: new AbortController().signal,
};
const program = createProgram(environment, precomputedTexts());
const all = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(all)];

/** Has help of its own. */
const isOurs = (command: Command): boolean => command.name() !== 'archive';

for (const command of all(program).filter(isOurs))
  test(`${pathOf(command)} --help: has a summary, examples and the global options, within 80 columns`, () => {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
    command.outputHelp();
    match(text, /\nExamples:\n {2}\$ /);
    for (const option of ['--organization', '--json', '--quiet', '--no-color', '--help']) ok(text.includes(option), option);
    if (command !== program) ok(command.summary() !== '' && !command.summary().endsWith('.'), 'summary');
    // Examples are commands to copy and may be longer.
    for (const line of text.split('\n')) ok(line.length <= 80 || line.startsWith('  $ '), line);
  });

test('descriptions have no line feeds within a paragraph, which the help would keep in a terminal of another width', () => {
  for (const command of all(program).filter((each) => isOurs(each) && each !== program))
    for (const paragraph of command.description().split('\n\n'))
      ok(!paragraph.includes('\n'), `${pathOf(command)}: ${paragraph}`);
});

test('every option that names a value says what it is', () => {
  for (const command of all(program))
    for (const { flags, description } of command.options) ok(description !== '', `${pathOf(command)} ${flags}`);
});

const described = (path: string): Command => {
  const found = all(program).find((command) => pathOf(command) === path);
  ok(found, path);
  return found;
};

test('texts come from the contract: summaries, and descriptions of fields, with flags in place of other fields', () => {
  const summary = backups.create.summary.replace('dryRun', '--dry-run');
  ok(described('bms backup create').description().startsWith(summary));
  equal(described('bms backup create').summary(), summary.split('. ')[0]);
  equal(described('bms schedule ls').summary(), schedules.list.summary);
  const textOf = (path: string, flag: string) => described(path).options.find(({ long }) => long === flag)?.description;
  equal(
    textOf('bms schedule create', '--retention'),
    'days that backups are kept; replaces --keep. Without either, backups are kept without limit',
  );
  match(textOf('bms schedule create', '--timezone') ?? '', /^IANA time zone/);
  match(textOf('bms backup verify', '--depth') ?? '', / \(default: structure\)$/);
  // Long texts are cut after a sentence.
  for (const { options } of all(program)) for (const { description } of options) ok(description.length <= 300, description);
});

test('texts: nothing but help and completion needs them, and with them no reference is left', () => {
  ok(referencesIn(createProgram(environment)).length > 100);
  deepEqual(referencesIn(program), []);
  for (const args of [['--help'], ['backup', 'ls', '-h'], ['-qh'], ['help', 'backup'], ['completion', 'bash']])
    ok(needsTexts(args));
  for (const args of [['--version'], ['backup', 'ls', '--json'], ['find', 'users/h']]) ok(!needsTexts(args));
});

const errorOf = async (...args: readonly string[]): Promise<string | undefined> => {
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return parserMessage(error);
    throw error;
  }
  return undefined;
};

for (const [args, message] of [
  [['restor'], /^unknown command 'restor' \(Did you mean restore\?\)$/],
  [['backup', 'create', '--projct', 'x'], /^unknown option '--projct' \(Did you mean --project\?\)$/],
  [['backup', 'ls', '--nope=hunter22'], /^unknown option '--nope'$/],
  [['backup', 'show'], /^missing required argument 'backup'$/],
  [['backup', 'show', 'a', 'hunter22'], /^too many arguments for 'show'\. Expected 1 argument but got 2\.$/],
  [['backup', 'ls', '--status', 'x'], /Allowed choices are pending, running/],
  [['backup', 'create', '--retention', 'x'], /It must be a whole number\.$/],
  [['storage', 'create', 'x', '--bucket', 'b'], /^required option '--type <type>' not specified$/],
  [['storage', 'update', 'x', '--object-lock', 'forever'], /It must be governance:<days>, compliance:<days> or none\.$/],
  [['storage', 'update', 'x', '--object-lock', 'governance:0'], /It must be at least 1\.$/],
  [['restore', '--at', 'x', '--project', 'p'], /It must be a time such as/],
  [['api', 'DELETE', '/backups/bkp_1 /verify'], /It must not contain spaces; write %20\.$/],
  [[], /^a command is missing; see bms --help$/],
  [['pitr'], /^a command is missing; see bms pitr --help$/],
  [['projects', 'sho'], /^unknown command 'sho' \(Did you mean show\?\)$/],
  [['projects', '--limit', '5'], /^unknown option '--limit'$/],
  [['backup', 'ls', '--limit', '0'], /It must be at least 1\.$/],
  [['backup', 'ls', '--limit', '5', '--all'], /^option '--all' cannot be used with option '--limit <count>'$/],
  [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish/],
] as const)
  test(`bms ${args.join(' ')}: is refused in one line that repeats no secret`, async () => {
    const said = (await errorOf(...args)) ?? '';
    match(said, message);
    ok(!said.includes('\n') && !said.includes('hunter22'), said);
  });

/** Refused before a call is made: nothing listens at the address. */
for (const [args, message] of [
  [['schedule', 'update', 'Nightly'], /^nothing to change: add an option; see --help$/],
  [['schedule', 'update', 'Nightly', '--json'], /^nothing to change/],
  [['api', 'GET', '/backups', '--data', '{}'], /^GET has no body: leave out --data; the path has the parameters/],
  [['api', 'get', '/backups', '--data', '-'], /^GET has no body/],
  [['audit', '--export', 'csv', '--limit', '2'], /^--export and --limit exclude each other$/],
  [['audit', '--follow', '--limit', '2'], /^--follow and --limit exclude each other$/],
] as const)
  test(`bms ${args.join(' ')}: is refused with exit code 2`, async () => {
    const env = {
      XDG_CONFIG_HOME: scratch,
      BMS_URL: 'http://127.0.0.1:1',
      BMS_TOKEN: 't',
      BMS_ORGANIZATION: `org_${'0'.repeat(26)}`,
    };
    const { stdin, stdout, stderr } = process;
    const signal = AbortSignal.timeout(60_000);
    const run = createProgram({ args: [], env, stdin, stdout, stderr, signal }).parseAsync([...args], { from: 'user' });
    await rejects(run, (error) => error instanceof CliFailure && error.exitCode === 2 && message.test(error.message));
  });

test('bms restore --documents: a path may contain commas and spaces; each use adds one', () => {
  const create = all(program).find((command) => pathOf(command) === 'bms restore create');
  const { parseArg } = create?.options.find(({ long }) => long === '--documents') ?? {};
  deepEqual(parseArg?.('users/b', parseArg('users/x, y ', undefined)), ['users/x, y ', 'users/b']);
});

const helpOf = async (...words: readonly string[]): Promise<string> => {
  let text = '';
  for (const command of all(program)) command.configureOutput({ writeOut: (part) => (text += part) });
  await program.parseAsync(['help', ...words], { from: 'user' });
  return text;
};

test('bms help: shows the help of any command, also by its aliases', async () => {
  match(await helpOf(), /^Usage: bms /);
  match(await helpOf('backups', 'create'), /^Usage: bms backup create /);
  await rejects(helpOf('backup', 'creat'), /^CliFailure: unknown command 'creat'; see bms backup --help$/);
});

test('bms restore --help: says where the options of the default command are', async () => {
  match(await helpOf('restore'), /\nWithout a command: bms restore create\nIts options: bms restore create --help\n/);
});

for (const group of ['orgs', 'projects', 'storage', 'backup', 'schedule', 'webhook', 'alert'])
  test(`bms ${group}: lists without a command`, async () => {
    // The list needs the address of a service.
    await rejects(program.parseAsync([group], { from: 'user' }), /^CliFailure: which service\?/);
  });

test('bms logout: deletes the credentials of a service that does not respond', async () => {
  const file = new ConfigFile(configPath({ XDG_CONFIG_HOME: scratch }));
  const url = 'http://127.0.0.1:1';
  await file.update(() => ({ current: url, profiles: { [url]: { accessToken: 't', refreshToken: 'r' } } }));
  await program.parseAsync(['logout'], { from: 'user' });
  deepEqual(file.read().profiles, {});
  rmSync(file.path);
});

test('a project is an argument or an option, but not two projects', async () => {
  for (const [args, message] of [
    [['projects', 'show'], /^which project\? Add --project$/],
    [['pitr', 'show', 'a', '--project', 'b'], /^a and --project b name two projects$/],
  ] as const)
    await rejects(
      program.parseAsync([...args], { from: 'user' }),
      (error) => error instanceof CliFailure && message.test(error.message) && /^bms \w+ show /.test(error.usage ?? ''),
    );
});

test('nameFlag: an error of the API names the flag of the command', () => {
  const create = all(program).find((command) => pathOf(command) === 'bms backup create');
  ok(create);
  equal(nameFlag('storageDestinationId: is required', 'storageDestinationId', create), '--storage: is required');
  equal(nameFlag('maxReads: must be at least 1', 'maxReads', create), '--max-reads: must be at least 1');
  equal(nameFlag('unheardOf: is wrong', 'unheardOf', create), 'unheardOf: is wrong');
});
