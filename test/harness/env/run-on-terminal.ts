/** Runs a command on a real terminal, and answers its question. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** util-linux gives a command a terminal; other systems have another one of the same name. */
export const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script');

interface TerminalRun {
  /** Without quotes in its words. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Answered once it is shown. */
  readonly question: RegExp;
  readonly answer: string;
}

/** What was shown, and the exit code. */
export const runOnTerminal = ({ command, env, question, answer }: TerminalRun): Promise<{ shown: string; code: number | null }> =>
  new Promise((done, fail) => {
    const words = command.map((word) => `'${word}'`).join(' ');
    const child = spawn('/usr/bin/script', ['-qec', words, '/dev/null'], { env: { ...env, TERM: 'xterm', COLUMNS: '200' } });
    let shown = '';
    let isAnswered = false;
    child.stdout.on('data', (part) => {
      shown += part;
      if (isAnswered || !question.test(shown)) return;
      isAnswered = true;
      child.stdin.write(answer);
    });
    child.once('error', fail);
    child.once('close', (code) => done({ shown, code }));
  });
