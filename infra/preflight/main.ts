/** `npm run preflight`: checks account, region and settings before a first deployment. Reads only. */
import { readFileSync } from 'node:fs';
import { checkBootstrap } from './bootstrap-check.ts';
import { readContext, usage } from './read-context.ts';
import { runPreflight } from './run-preflight.ts';

const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) {
  console.log(usage);
} else {
  const context = readContext(words, () => readFileSync('cdk.json', 'utf8'));
  if (typeof context === 'string') {
    console.error(context);
    process.exitCode = 2;
  } else {
    process.exitCode = await runPreflight(context, (line) => console.log(line), { further: { 'CDK bootstrap': checkBootstrap } });
  }
}
