/**
 * `npm test`: boots one stage for all tests, on ports and in a folder of its own, runs the files and stops it.
 * Arguments are files or folders below test; none means all. `RECORD_PERMISSIONS=1` keeps what they use of the template's permissions.
 */
import { globSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { rootAccessKeyId } from '../infra/local/parts.ts';
import { keepRecord } from '../infra/local/permission/main.ts';
import { recordVariable } from '../infra/local/permission/record.ts';
import { region, startStage } from '../infra/local/stage.ts';
import { entriesOf } from './support/process-entry.ts';

/**
 * Property tests draw the same values in every run: what fails fails again, for whoever runs it.
 * `TEST_SEED=<number>` or `TEST_SEED=random` draws others; the seed of a failure is printed with it.
 */
const seed = `--import=${new URL('support/seed.ts', import.meta.url)}`;

/** Nothing here takes minutes, unless more is asked for (`npm run fuzz`); what hangs must not hang for ever. */
const timeoutMs = Number(process.env.TEST_TIMEOUT_MS ?? 300_000);

/** Two leave two cores idle for a sixth of the time: files wait, for the stage and for clocks. */
const concurrency = 3;

const root = fileURLToPath(new URL('..', import.meta.url));

const filesOf = (patterns: readonly string[]): readonly string[] => {
  const wanted = patterns.length > 0 ? patterns : ['test'];
  return wanted.flatMap((pattern) => {
    const found = pattern.endsWith('.test.ts')
      ? globSync(pattern, { cwd: root })
      : globSync(`${pattern}/**/*.test.ts`, { cwd: root });
    if (found.length === 0) throw new Error(`no test file matches ${pattern}`);
    return found.sort();
  });
};

/** The engines wait for the disk at every write, and nothing of a test run is to last: its files are in memory, where there is plenty. */
const memory = '/dev/shm';
const plentyBytes = 4 * 1024 ** 3;

const hasPlenty = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= plentyBytes;
  } catch {
    return false;
  }
};

const main = async (): Promise<void> => {
  const files = filesOf(process.argv.slice(2));
  const dir = mkdtempSync(join(hasPlenty() ? memory : tmpdir(), 'stage-'));
  // What tests put aside goes with the rest.
  process.env.TMPDIR = join(dir, 'tmp');
  mkdirSync(process.env.TMPDIR);
  const seenFile = process.env.RECORD_PERMISSIONS === '1' ? join(dir, 'permissions') : undefined;
  if (seenFile) process.env[recordVariable] = seenFile;
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
    // Most processes import the same: compiled once, each starts in half the time.
    NODE_COMPILE_CACHE: join(dir, 'compiled'),
  });
  let failed = false;
  const entries = entriesOf(files, root, join(dir, 'entry'), timeoutMs);
  const results = run({ files: [...entries], concurrency, timeout: timeoutMs, execArgv: [seed] });
  results.on('test:fail', () => {
    failed = true;
  });
  const report = results.compose(spec);
  report.pipe(process.stdout);
  await new Promise<void>((done) => report.once('end', done));
  await stage.stop();
  if (seenFile && !failed) keepRecord(seenFile, process.argv.length === 2);
  // A failed run leaves its logs to read.
  if (failed) console.log(`the stage's state and logs are in ${dir}`);
  else rmSync(dir, { recursive: true, force: true });
  process.exit(failed ? 1 : 0);
};

await main();
