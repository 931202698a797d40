import { readFileSync } from 'node:fs';
import { badInput } from './cli-failure.ts';

/** A JSON object or array in a file, or of stdin if the file is `-`. `option` names it in errors. */
export const readJson = (file: string, option: string): object => parseJson(readText(file, option), option);

export const readText = (file: string, option: string): string => {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw badInput(`${option}: ${file}: ${(error as NodeJS.ErrnoException).code}`, error);
  }
};

export const parseJson = (text: string, option: string): object => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  if (typeof json !== 'object' || json === null) throw badInput(`${option} must be a JSON object`);
  return json;
};
