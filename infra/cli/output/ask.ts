/** Questions on the terminal. They are written to stderr, so that stdout has results only. */
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { escapeOutput } from '../../archive/escape-output.ts';
import { promptSecret } from '../../archive/prompt-secret.ts';
import { badInput } from '../base/cli-failure.ts';
import type { Environment } from '../base/environment.ts';
import type { Output } from './output.ts';

interface Asker {
  readonly environment: Environment;
  readonly output: Output;
}

/** Keys that a terminal has buffered are readable at once. */
const typeaheadMs = 100;

/** True if the answer is yes. */
export const askYesNo = async (asker: Asker, question: string): Promise<boolean> =>
  /^y(es)?$/i.test(await askLine(asker, question, '[y/N]'));

/** True if the answer is the name. */
export const askName = async (asker: Asker, question: string, name: string): Promise<boolean> =>
  (await askLine(asker, question, `Type ${name} to confirm:`)) === name;

/**
 * The answer without surrounding spaces. Keys that were typed before the question was shown do not answer it. Without a terminal the
 * command is refused, because nothing can be asked.
 */
const askLine = async ({ environment, output }: Asker, question: string, prompt: string): Promise<string> => {
  if (!output.terminal.isInteractive) throw badInput(`${question} Add --yes to confirm; there is no terminal to ask on`);
  const { stdin: input, stderr, signal } = environment;
  await discardTypeahead(input, signal);
  const lines = createInterface({ input, output: stderr });
  // The reader of lines takes Ctrl-C from the terminal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await lines.question(`${escapeOutput(`${question} ${prompt}`)} `, { signal }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      // Ctrl-D.
      stderr.write('\n');
      return '';
    });
    return answer.trim();
  } finally {
    lines.close();
  }
};

/** Raw mode also returns an unfinished line, which the next Enter would send. */
const discardTypeahead = async (input: NodeJS.ReadStream, signal: AbortSignal): Promise<void> => {
  // In raw mode the terminal does not turn Ctrl-C into a signal.
  const discard = (typed: Buffer | string): void => {
    if (typed.includes('\u0003')) process.kill(process.pid, 'SIGINT');
  };
  input.setRawMode(true);
  input.on('data', discard);
  try {
    await pause(typeaheadMs, undefined, { signal });
  } finally {
    input.off('data', discard);
    input.pause();
    input.setRawMode(false);
  }
};

/** Typed without echo on a terminal, otherwise the first line of stdin. */
export const readSecret = async ({ environment: { stdin } }: Pick<Asker, 'environment'>, question: string): Promise<string> => {
  const typed = stdin.isTTY ? await promptSecret(question) : await firstLine(stdin);
  if (!typed) throw badInput('the secret is empty');
  return typed;
};

const firstLine = async (stdin: NodeJS.ReadStream): Promise<string> => {
  let text = '';
  for await (const part of stdin.setEncoding('utf8')) {
    text += part;
    if (text.includes('\n')) break;
  }
  return (text.split('\n')[0] ?? '').trim();
};
