/** `npm run scale`: prints how long jobs take, what they cost and what bounds them; with `-- --write` it puts that into infra/scale.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { sections, withTables } from './page.ts';

for (const [heading, made] of Object.entries(sections)) console.log(`\n${heading}\n\n${made()}`);
if (process.argv.includes('--write')) {
  const page = new URL('../scale.md', import.meta.url);
  writeFileSync(page, withTables(readFileSync(page, 'utf8')));
  console.log('\ninfra/scale.md is written');
}
