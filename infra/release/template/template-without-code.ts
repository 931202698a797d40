import { entries } from '../../bundle/bundle.ts';
import { functionFile } from '../function-file.ts';
import { type MadeTemplate, makeTemplate } from './make-template.ts';

/** The template of this release with the plain names of the functions' files, which are no digests: it changes with the template alone. */
export const templateWithoutCode = (version: string): Promise<MadeTemplate> =>
  makeTemplate({ version, zipNames: Object.fromEntries(entries.map((entry) => [functionFile(entry), functionFile(entry)])) });
