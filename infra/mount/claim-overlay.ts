import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unusable } from '../archive/failure.ts';

/**
 * Claims a folder for what is written above a backup. What was written above another one would be merged with documents that it was not
 * made from.
 */
export const claimOverlay = (folder: string, backup: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, claimFile);
  const files = readdirSync(folder);
  if (files.includes(claimFile)) {
    const claimed = readFileSync(file, 'utf8').trim();
    if (claimed !== backup) throw unusable(`${folder} holds what was written above ${claimed}: choose another folder`);
  } else if (files.length > 0) throw unusable(`${folder} is not empty and no overlay of a backup: choose another folder`);
  else writeFileSync(file, `${backup}\n`, { mode: 0o600 });
};

const claimFile = 'overlay-of';
