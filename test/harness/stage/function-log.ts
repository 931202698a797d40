/** The logs of the stage's functions. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stageVariable } from './client.ts';

/** All log text so far, to prove the absence of something. */
export const logs = (): string => {
  const files = globSync(join(stageVariable('STAGE_DIR'), 'log', '*.log'));
  if (files.length === 0) throw new Error('the stage has written no logs');
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
};
