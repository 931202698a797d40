/** Questions on a real terminal. */
import { match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';

/** util-linux gives the command a terminal; other systems have another one of the same name. */
const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');
if (!hasScript) console.log('ask: skipped, because there is no script(1) of util-linux');

const ask = fileURLToPath(new URL('../../../infra/cli/output/ask.ts', import.meta.url));

/** Prints its process id, asks as soon as it gets SIGUSR2, and prints the answer. */
const asking = `
  import { once } from 'node:events';
  import { askYesNo } from '${ask}';
  const alive = setInterval(() => undefined, 1000);
  const asked = once(process, 'SIGUSR2');
  console.log('pid ' + process.pid + '.');
  await asked;
  clearInterval(alive);
  const { env, stdin, stdout, stderr } = process;
  const environment = { args: [], env, stdin, stdout, stderr, signal: new AbortController().signal };
  const yes = await askYesNo({ environment, output: { terminal: { isInteractive: true } } }, 'Sure?');
  console.log('answered ' + yes + '.');
`;

const askOnTerminal = async (early: string, answer: string): Promise<string> => {
  const command = `exec "${process.execPath}" --no-warnings --input-type=module -e "$ASKING"`;
  const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], { env: { ...process.env, ASKING: asking } });
  let shown = '';
  let stage: 'start' | 'typed' | 'asked' | 'answered' = 'start';
  child.stdout.on('data', (part) => {
    shown += part;
    const [head = '', pid = ''] = /pid (\d+)\./.exec(shown) ?? [];
    if (stage === 'start' && head !== '') {
      stage = 'typed';
      child.stdin.write(early);
    }
    // The terminal echoes what is typed, so it has the keys now.
    if (stage === 'typed' && head !== '' && shown.split(head)[1]?.includes(early.trim())) {
      stage = 'asked';
      process.kill(Number(pid), 'SIGUSR2');
    }
    if (stage === 'asked' && shown.includes('[y/N]')) {
      stage = 'answered';
      child.stdin.write(answer);
    }
  });
  await new Promise((done) => child.once('close', done));
  return shown;
};

for (const [name, early, answer, expected] of [
  ['a whole line typed before the question does not answer it', 'yes\n', '\r', 'false'],
  ['an unfinished line typed before the question does not answer it', 'y', '\r', 'false'],
  ['y typed at the question is yes', '', 'y\r', 'true'],
  ['Ctrl-D is no', '', '\u0004', 'false'],
] as const)
  test.skipIf(!hasScript)(`askYesNo: ${name}`, async () => {
    match(await askOnTerminal(early, answer), new RegExp(`answered ${expected}\\.`));
  });
