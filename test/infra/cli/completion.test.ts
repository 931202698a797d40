/** Completion of commands, options and values in shells. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import { commandTree } from '../../../infra/cli/completion/command-tree.ts';
import { forgetValues } from '../../../infra/cli/completion/complete-values.ts';
import { completionScript, type Shell } from '../../../infra/cli/completion/completion-scripts.ts';
import { createProgram } from '../../../infra/cli/program.ts';
import { openScriptedService, runProgram } from '../../harness/env/scripted-service.ts';
import { type Stops, stopAll, tempDir } from '../../harness/store/store-stands.ts';

const stops: Stops = [];
afterAll(() => stopAll(stops));

const { stdin, stdout, stderr } = process;
const program = createProgram({ args: [], env: {}, stdin, stdout, stderr, signal: new AbortController().signal });
const tree = commandTree(program);
const bash = completionScript('bash', tree);

interface Line {
  /** The last one is completed. */
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A shell with a cache of its own, and a `bms` that notes how it is called and then runs `fetch`. */
const openShell = (fetch = ':') => {
  const dir = tempDir(stops);
  const [bin, cache] = [join(dir, 'bin'), join(dir, 'bms', 'values')];
  for (const folder of [bin, cache]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(dir, 'completion.bash'), bash);
  const setFetch = (code: string): void => {
    writeFileSync(join(bin, 'bms'), `#!/bin/bash\necho "$*" >> ${dir}/calls\nfile="${cache}/$3"\n${code}\n`);
    chmodSync(join(bin, 'bms'), 0o755);
  };
  setFetch(fetch);
  const linesOf = (file: string): readonly string[] =>
    existsSync(join(dir, file)) ? readFileSync(join(dir, file), 'utf8').split('\n').slice(0, -1) : [];
  /** `sleep` lasts longer here, so that a slow machine writes the file in time. */
  const offers = ({ words, env = {} }: Line): readonly string[] => {
    const code = `sleep() { echo "$1" >> ${dir}/slept; command sleep "$(command cat ${dir}/patience 2>/dev/null || echo 0)"; }
source ${dir}/completion.bash; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_bms; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const ended = spawnSync('bash', ['-c', code], {
      encoding: 'utf8',
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: dir, XDG_CACHE_HOME: dir, ...env },
    });
    equal(ended.status, 0, ended.stderr);
    equal(ended.stderr, '');
    return ended.stdout.split('\n').filter((line) => line !== '');
  };
  const sleptMs = (): number => Math.round(linesOf('slept').reduce((sum, seconds) => sum + Number(seconds) * 1_000, 0));
  const files = (): readonly string[] => readdirSync(cache);
  const age = (minutes: number): void => {
    const time = Date.now() / 1_000 - minutes * 60;
    for (const file of files()) utimesSync(join(cache, file), time, time);
  };
  return {
    cache,
    offers,
    setFetch,
    sleptMs,
    files,
    age,
    forget: () => forgetValues({ XDG_CACHE_HOME: dir }),
    wait: () => writeFileSync(join(dir, 'patience'), '1'),
    /** The process in the background may begin after the shell has ended. */
    calls: async (count: number): Promise<readonly string[]> => {
      while (linesOf('calls').length < count) await new Promise((done) => setTimeout(done, 20));
      return linesOf('calls');
    },
  };
};

const projects = ['bms', 'backup', 'create', '--project', ''];

test('completion bash: offers commands, options and fixed values, also after an alias', () => {
  const { offers, files } = openShell();
  ok(offers({ words: ['bms', 'ba'] }).includes('backup'));
  ok(offers({ words: ['bms', 'backup', ''] }).includes('diff'));
  equal(offers({ words: ['bms', 'backups', 'ls', '--status', 'com'] }).join(), 'completed');
  equal(offers({ words: ['bms', '--json', 'backup', 'create', '--coll'] }).join(), '--collections');
  equal(offers({ words: ['bms', 'member', 'role', 'grace@example.com', 'vi'] }).join(), 'viewer');
  deepEqual(files(), []);
});

test('completion bash: names come from a file for a minute; then a process in the background writes it again', async () => {
  const shell = openShell(String.raw`printf 'shop\nstaging\n' > "$file"`);
  shell.wait();
  deepEqual(shell.offers({ words: ['bms', 'backup', 'create', '--project', 's'] }), ['shop', 'staging']);
  shell.setFetch('echo new > "$file"');
  deepEqual(shell.offers({ words: ['bms', 'pitr', 'show', 'sh'] }), ['shop']);
  ok(shell.offers({ words: ['bms', 'backup', 'show', '--'] }).includes('--project'));
  equal((await shell.calls(1)).length, 1);
  shell.age(2);
  deepEqual(shell.offers({ words: projects }), ['new']);
  equal((await shell.calls(2)).length, 2);
  shell.forget();
  equal(existsSync(shell.cache), false);
});

test('completion bash: a service that does not answer costs 0.2 s; names older than ten minutes are not offered', async () => {
  const shell = openShell();
  deepEqual(shell.offers({ words: projects }), []);
  equal(shell.sleptMs(), 200);
  const [call = ''] = await shell.calls(1);
  writeFileSync(join(shell.cache, call.split(' ')[2] ?? ''), 'old\n');
  shell.age(2);
  deepEqual(shell.offers({ words: projects }), ['old']);
  equal(shell.sleptMs(), 400);
  shell.age(11);
  deepEqual(shell.offers({ words: projects }), []);
  equal(shell.sleptMs(), 600);
});

test('completion bash: each sign-in and organization has a file of its own', async () => {
  const shell = openShell(': > "$file"');
  let count = 0;
  const asked = async (line: Line): Promise<string> => {
    shell.offers(line);
    count += 1;
    return (await shell.calls(count)).at(-1) ?? '';
  };
  const calls = [
    await asked({ words: projects }),
    await asked({ words: ['bms', '--profile', 'acme', ...projects.slice(1)] }),
    await asked({ words: ['bms', '--organization', '=', 'org_1', ...projects.slice(1)] }),
    await asked({ words: ['bms', '--organization=org_2', ...projects.slice(1)] }),
    await asked({ words: projects, env: { BMS_PROFILE: 'acme' } }),
    await asked({ words: projects, env: { BMS_URL: 'https://b.example' } }),
    await asked({ words: projects, env: { BMS_ORGANIZATION: 'org_1' } }),
    await asked({ words: projects, env: { BMS_API_KEY: 'one' } }),
    await asked({ words: projects, env: { BMS_API_KEY: 'two' } }),
    await asked({ words: projects, env: { BMS_TOKEN: 'one' } }),
  ];
  equal(new Set(calls.map((call) => call.split(' ')[2])).size, calls.length);
  for (const call of calls) match(call, /^__complete projects projects\.\d+( --|$)/);
  deepEqual(
    calls.slice(0, 4).map((call) => call.split(' ').slice(3).join(' ')),
    ['', '--profile=acme', '--organization=org_1', '--organization=org_2'],
  );
});

test('bms __complete: stores all names of a list, and deletes files of the day before', async () => {
  const names = Array.from({ length: 250 }, (_, n) => ({ id: `prj_${n}`, name: n === 7 ? 'Has a space' : `shop-${n}` }));
  const service = await openScriptedService(stops, ({ path, query: { cursor = '0', limit } }) => {
    const end = Number(cursor) + Number(limit);
    return path === '/projects'
      ? { data: names.slice(Number(cursor), end), nextCursor: end < names.length ? String(end) : null }
      : undefined;
  });
  const dir = tempDir(stops);
  const env = { XDG_CACHE_HOME: dir, XDG_CONFIG_HOME: dir, BMS_URL: service.url, BMS_API_KEY: 'key' };
  const values = join(dir, 'bms', 'values');
  const complete = async (file: string) => (await runProgram(['__complete', 'projects', file], env)).code;
  equal(await complete('projects.1'), 0);
  const stored = readFileSync(join(values, 'projects.1'), 'utf8').split('\n').slice(0, -1);
  equal(stored.length, 250);
  deepEqual(stored.slice(6, 8), ['shop-6', 'prj_7']);
  equal(statSync(join(values, 'projects.1')).mode & 0o777, 0o600);
  const yesterday = Date.now() / 1_000 - 90_000;
  utimesSync(join(values, 'projects.1'), yesterday, yesterday);
  await complete('projects.2');
  for (const file of ['../config', 'projects', 'backups.1']) await complete(file);
  deepEqual(readdirSync(values), ['projects.2']);
});

/** Lines of the scripts for fixed values, and for options and arguments that name a resource. */
const offered: Readonly<Record<Exclude<Shell, 'bash'>, readonly RegExp[]>> = {
  zsh: [
    /^ {4}'backup create --project'\) compadd -- \$\{\(f\)"\$\(_bms_values projects "\$\{\(@\)words\[2,CURRENT-1\]\}"\)"\}; return ;;$/m,
    /^ {4}'backup ls --status'\) compadd -- pending running /m,
    /^ {4}'backup show'\) found=\(.*\); .*_bms_values backups /m,
  ],
  fish: [
    /^complete -c bms -n '__bms_at '\\''backup create'\\''' -l project -r -a '\(__bms_values projects\)' -d /m,
    /^complete -c bms -n '__bms_at '\\''backup ls'\\''' -l status -r -a 'pending running /m,
    /^complete -c bms -n '__bms_at '\\''backup show'\\''' -a '\(__bms_values backups\)'$/m,
    /command bms __complete \$kind \$kind\.\$sum\[1\] \$scope /,
  ],
};

/** How the scripts write that a flag may follow a command. */
const written: Readonly<Record<Exclude<Shell, 'bash'>, (path: string, flag: string) => readonly [begin: string, flag: string]>> =
  {
    zsh: (path, flag) => [`    '${path}') found=`, `'${flag}:`],
    fish: (path, flag) => [
      `complete -c bms -n '__bms_at '\\''${path}'\\''' `,
      flag.startsWith('--') ? ` -l ${flag.slice(2)} ` : `-s ${flag.slice(1)} `,
    ],
  };

for (const shell of ['zsh', 'fish'] as const) {
  const script = completionScript(shell, tree);
  const lines = script.split('\n');
  test(`completion ${shell}: offers every command and option, fixed values and names`, () => {
    for (const { path, options, commands } of tree) {
      for (const { name } of commands) ok(script.includes(name), name);
      for (const flag of options.flatMap(({ flags }) => flags)) {
        const [begin, text] = written[shell](path, flag);
        ok(
          lines.some((line) => line.startsWith(begin) && line.includes(text)),
          `bms ${path} ${flag}`,
        );
      }
    }
    for (const line of offered[shell]) match(script, line);
  });

  const isInstalled = spawnSync(shell, ['--version']).status === 0;
  test.skipIf(!isInstalled)(`completion ${shell}: the shell accepts the script`, () => {
    const { status, stderr: problem } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
    equal(status, 0, problem);
  });
}
