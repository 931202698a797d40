/** The commands as a whole: help, completion and parser errors. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { afterAll, test } from 'vitest';
import { CliFailure } from '../../../infra/cli/base/cli-failure.ts';
import { pathOf } from '../../../infra/cli/base/define-command.ts';
import { nameFlag } from '../../../infra/cli/base/name-flags.ts';
import { commandTree } from '../../../infra/cli/completion/command-tree.ts';
import { forgetValues, storeValues } from '../../../infra/cli/completion/complete-values.ts';
import { completionScript } from '../../../infra/cli/completion/completion-scripts.ts';
import { ConfigFile, configPath } from '../../../infra/cli/config/config-file.ts';
import { createProgram, parserMessage } from '../../../infra/cli/program.ts';

const scratch = mkdtempSync(join(tmpdir(), 'bms-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const program = createProgram({
  args: [],
  env: { XDG_CONFIG_HOME: scratch },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: new AbortController().signal,
});
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

/** What bash offers for the words of a line. */
const bashOffers = (script: string, words: readonly string[]): readonly string[] => {
  const file = join(scratch, 'completion.bash');
  writeFileSync(file, script);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const code = `source ${file}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _bms; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', code], { encoding: 'utf8' });
  equal(status, 0, stderr);
  return stdout.split('\n').filter((line) => line !== '');
};

test('completion bash: offers commands, options and fixed values, also after an alias', () => {
  const script = completionScript('bash', commandTree(program));
  ok(bashOffers(script, ['bms', 'ba']).includes('backup'));
  ok(bashOffers(script, ['bms', 'backup', '']).includes('diff'));
  equal(bashOffers(script, ['bms', 'backups', 'ls', '--status', 'com']).join(), 'completed');
  equal(bashOffers(script, ['bms', '--json', 'backup', 'create', '--coll']).join(), '--collections');
  equal(bashOffers(script, ['bms', 'member', 'role', 'grace@example.com', 'vi']).join(), 'viewer');
});

test('completion bash: names of resources come from a file, which a process in the background writes', () => {
  const script = completionScript('bash', commandTree(program));
  const cache = mkdtempSync(join(scratch, 'cache-'));
  storeValues({ XDG_CACHE_HOME: cache }, 'projects', ['shop', 'staging']);
  storeValues({ XDG_CACHE_HOME: cache }, 'backups', ['latest']);
  const offers = (...words: readonly string[]) =>
    bashOffers(`export XDG_CACHE_HOME='${cache}'\n${script}`, ['bms', ...words]).join();
  equal(offers('backup', 'create', '--project', 's'), 'shop,staging');
  equal(offers('pitr', 'show', 'sh'), 'shop');
  equal(offers('backup', 'show', ''), 'latest');
  ok(offers('backup', 'show', '--').includes('--project'));
  forgetValues({ XDG_CACHE_HOME: cache });
  equal(offers('backup', 'create', '--project', ''), '');
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

for (const shell of ['zsh', 'fish'] as const)
  test(`completion ${shell}: names every command`, () => {
    const script = completionScript(shell, commandTree(program));
    for (const command of all(program)) ok(script.includes(command.name()), pathOf(command));
  });
