/** `npm run scale`: prints duration, cost and limits of jobs; `-- --write` updates infra/scale.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pageWithTables, sections } from './page.ts';

for (const [heading, made] of Object.entries(sections)) console.log(`\n${heading}\n\n${made()}`);
if (process.argv.includes('--write')) {
  const page = new URL('../scale.md', import.meta.url);
  writeFileSync(page, pageWithTables(readFileSync(page, 'utf8')));
  console.log('\nupdated infra/scale.md');
}
