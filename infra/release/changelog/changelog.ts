import { readFileSync } from 'node:fs';
import type { Artifact } from '../artifact.ts';
import { releaseNotes } from './release-notes.ts';

/** What has changed in this version. */
export const changelog: Artifact = {
  name: 'changelog',
  build: async ({ version }) => {
    const notes = releaseNotes(readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8'), version);
    if (notes === undefined) throw new Error(`CHANGELOG.md has no section for ${version}: npm run changelog adds it`);
    return { files: { 'CHANGELOG.md': `# ${version}\n\n${notes}` } };
  },
};
