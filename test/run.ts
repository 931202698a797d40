/**
 * `npm test`: boots one stage for all tests, on ports and in a folder of its own, runs the files and stops it.
 * Arguments are files or folders below test; none means all.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { rootAccessKeyId } from '../infra/local/parts.ts';
import { region, startStage } from '../infra/local/stage.ts';

/**
 * Property tests draw the same values in every run: what fails fails again, for whoever runs it.
 * `TEST_SEED=<number>` or `TEST_SEED=random` draws others; the seed of a failure is printed with it.
 */
const seed = `--import=${new URL('support/seed.ts', import.meta.url)}`;

/** Nothing here takes minutes; what hangs must not hang for ever. */
const timeoutMs = 300_000;

const root = fileURLToPath(new URL('..', import.meta.url));

const filesOf = (patterns: readonly string[]): readonly string[] => {
  const wanted = patterns.length > 0 ? patterns : ['test'];
  return wanted
    .flatMap((pattern) => {
      const found = pattern.endsWith('.test.ts')
        ? globSync(pattern, { cwd: root })
        : globSync(`${pattern}/**/*.test.ts`, { cwd: root });
      if (found.length === 0) throw new Error(`no test file matches ${pattern}`);
      return found.sort();
    })
    .map((file) => join(root, file));
};

const main = async (): Promise<void> => {
  const files = filesOf(process.argv.slice(2));
  const dir = mkdtempSync(join(tmpdir(), 'stage-'));
  const startedMs = performance.now();
  const stage = await startStage({
    ...{ port: 0, identityPort: 0, s3Port: 0, gcsPort: 0, firestorePort: 0, delayScale: 1, demo: false, dir },
    // Where the receivers of the tests are.
    allowedHosts: ['localhost'],
    // Tests call from one address, and far more often than a person.
    config: { requestsPerMinute: 100_000 },
    say: (line) => console.log(`stage: ${line}`),
  });
  console.log(`stage: ready ${stage.url} after ${((performance.now() - startedMs) / 1_000).toFixed(1)} s, in ${dir}\n`);
  Object.assign(process.env, {
    STAGE_URL: stage.url,
    STAGE_IDP_URL: stage.identityUrl,
    STAGE_AWS_URL: stage.aws.url,
    STAGE_AWS_KEY: rootAccessKeyId,
    STAGE_S3_URL: stage.s3Url,
    STAGE_GCS_URL: stage.gcsUrl,
    STAGE_REGION: region,
    STAGE_TABLE: stage.tableName,
    STAGE_DIR: dir,
    STAGE_FIRESTORE: stage.firestore.address,
    // Every file is a process of its own, and most import the same: compiled once, each starts in half the time.
    NODE_COMPILE_CACHE: join(dir, 'compiled'),
  });
  let failed = false;
  const results = run({ files: [...files], concurrency: 2, timeout: timeoutMs, execArgv: [seed] });
  results.on('test:fail', () => {
    failed = true;
  });
  const report = results.compose(spec);
  report.pipe(process.stdout);
  await new Promise<void>((done) => report.once('end', done));
  await stage.stop();
  // A failed run leaves its logs to read.
  if (failed) console.log(`the stage's state and logs are in ${dir}`);
  else rmSync(dir, { recursive: true, force: true });
  process.exit(failed ? 1 : 0);
};

await main();
