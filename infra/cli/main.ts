/** `bms`: the command line of the service. */
import { constants } from 'node:os';
import { escapeOutput } from '../archive/escape-output.ts';
import { cliFailureOf } from './base/cli-failure.ts';
import type { Environment } from './base/environment.ts';
import { exitCodes } from './base/exit-codes.ts';
import { provideZstd } from './base/provide-zstd.ts';
import { CommanderError, createProgram, parserMessage } from './program.ts';
import { needsTexts } from './texts/contract-text.ts';

provideZstd();

const { stdin, stdout, stderr } = process;
const stopping = new AbortController();
let stoppedBy: 'SIGINT' | 'SIGTERM' | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // A second signal ends the process at once.
    if (stoppedBy) process.exit(128 + constants.signals[signal]);
    stoppedBy = signal;
    stopping.abort(new Error('interrupted'));
    // Calls that do not observe the signal are abandoned.
    setTimeout(() => process.exit(128 + constants.signals[signal]), graceMs).unref();
  });

// The reader of a pipe, such as `head`, has seen enough.
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed));

const environment: Environment = {
  args: process.argv.slice(2),
  env: process.env,
  stdin,
  stdout,
  stderr,
  signal: stopping.signal,
};

/** Enough to say how to continue. */
const graceMs = 250;

const complain = (message: string): void => void stderr.write(`bms: ${escapeOutput(message).replaceAll('\n', ' ')}\n`);

const explain = (usage: string | undefined): void => void (usage !== undefined && stderr.write(`usage: ${usage}\n`));

const run = async (): Promise<number> => {
  try {
    const texts = needsTexts(environment.args) ? (await import('./precomputed-texts.ts')).precomputedTexts() : undefined;
    await createProgram(environment, texts).parseAsync([...environment.args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (stoppedBy) return 128 + constants.signals[stoppedBy];
    if (error instanceof CommanderError) {
      const message = parserMessage(error);
      if (message === undefined) return exitCodes.ok;
      complain(message);
      explain((error as { readonly usage?: string }).usage);
      return exitCodes.badInput;
    }
    const failure = cliFailureOf(error);
    if (failure.message !== '') complain(failure.message);
    explain(failure.usage);
    return failure.exitCode;
  }
};

process.exitCode = await run();
