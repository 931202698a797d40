/** What the stage's functions have printed. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stageVariable } from './client.ts';

/** Everything so far: to prove that something is nowhere in it. */
export const logs = (): string => {
  const files = globSync(join(stageVariable('STAGE_DIR'), 'log', '*.log'));
  if (files.length === 0) throw new Error('the stage has written no logs');
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
};
