import { writeFileSync } from 'node:fs';
import { badInput } from './cli-failure.ts';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** Writes a file that only its owner can read; bad input if the path cannot be written. */
export const writeText = (file: string, text: string): void => {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw badInput(`${file} cannot be written: ${words[code] ?? code}`);
  }
};
