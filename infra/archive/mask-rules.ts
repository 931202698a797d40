import { readFileSync } from 'node:fs';
import { type ParsedRules, parseRules } from '../../shared/mask/index.ts';
import { unusable } from './failure.ts';

/** The rules in the file of `--mask`. */
export const readMaskRules = (file: string): ParsedRules => {
  try {
    return parseRules(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unusable(`--mask ${file}: ${typeof code === 'string' ? code : message}`, error);
  }
};
