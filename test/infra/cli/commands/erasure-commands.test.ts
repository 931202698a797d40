/** What `bms erasure create` shows before it erases. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { erasureExample } from '../../../../shared/contract/openapi/examples/erasure-example.ts';
import { bmsMain } from '../../../harness/env/run-bms.ts';
import { hasTerminal, runOnTerminal } from '../../../harness/env/run-on-terminal.ts';
import { openScriptedService, runProgram } from '../../../harness/env/scripted-service.ts';
import { type Stops, stopAll, tempDir } from '../../../harness/store/store-stands.ts';

const stops: Stops = [];
afterAll(() => stopAll(stops));

const projectId = `prj_${'0'.repeat(26)}`;
const found = {
  backupId: 'bkp_1',
  readTime: '2026-11-19T08:00:00.000Z',
  documents: 2,
  paths: ['users/ada', 'users/a\u001bda'],
  complete: true,
};

/** A service that finds this, or fails with this, and erases. */
const openService = async (
  preview: Partial<typeof found> | { readonly error: { code: string; message: string }; readonly status: number },
) => {
  const service = await openScriptedService(stops, ({ method, path }) => {
    if (path === `/projects/${projectId}`) return { data: { id: projectId, name: 'Shop' } };
    if (path.endsWith('/erasures/preview')) return 'error' in preview ? preview : { data: { ...found, ...preview } };
    return method === 'POST' ? { status: 201, data: erasureExample } : undefined;
  });
  const env = { XDG_CONFIG_HOME: tempDir(stops), BMS_URL: service.url, BMS_API_KEY: 'key' };
  const posts = () => service.seen.filter(({ method }) => method === 'POST').map(({ path }) => path.replace(/.*erasures/, ''));
  return { env, posts };
};

const create = ['erasure', 'create', 'users/ada', '--project', projectId];
const look = async (preview: Parameters<typeof openService>[0], ...options: readonly string[]) => {
  const { env, posts } = await openService(preview);
  return { ...(await runProgram([...create, '--dry-run', ...options], env)), posts: posts() };
};

test('bms erasure create --dry-run: says where it looked, what it found, and what it could not reach', async () => {
  const { code, out, err, posts } = await look({});
  deepEqual([code, err, posts], [0, '', ['/preview']]);
  equal(
    out,
    `2 documents in the newest backup, bkp_1 of 2026-11-19 08:00:00Z:
  users/ada
  "users/a\\u001bda"
Versions in other backups and in captured changes are hidden, too
`,
  );
  match(
    (await look({ documents: 30, complete: false })).out,
    /^At least 30 documents in .* too large .*:\n[\s\S]*\n {2}and 28 more\n/,
  );
  match((await look({ documents: 0, paths: [] })).out, /^No document matches in .*Check the spelling\n/);
  match((await look({ documents: 0, paths: [], complete: false })).out, /^No document was found yet in .*too large/);
  match((await look({ backupId: null } as never)).out, /^There is no completed backup to search.*\n$/);
  deepEqual(JSON.parse((await look({}, '--json')).out), found);
  const refused = await look({ status: 422, error: { code: 'STORAGE_ERROR', message: 'The bucket refuses' } });
  deepEqual([refused.code, refused.out], [1, '']);
});

test('bms erasure create: without a terminal nothing is searched without --yes or --dry-run, and --yes does not search', async () => {
  const { env, posts } = await openService({});
  const reason = ['--reason', 'Request 4711'];
  equal((await runProgram([...create, ...reason], env)).code, 2);
  equal((await runProgram([...create, '--yes'], env)).code, 2);
  deepEqual(posts(), []);
  equal((await runProgram([...create, ...reason, '--yes'], env)).code, 0);
  deepEqual(posts(), ['']);
});

test.skipIf(!hasTerminal)(
  'bms erasure create: a backup that cannot be searched is a warning; wrong input ends the command',
  async () => {
    const command = [process.execPath, bmsMain, ...create, '--reason', 'Request 4711'];
    const terminal = async (status: number, code: string) => {
      const { env, posts } = await openService({ status, error: { code, message: 'The bucket refuses' } });
      const run = await runOnTerminal({ command, env, question: /\[y\/N\]/, answer: 'y\r' });
      return { ...run, posts: posts() };
    };
    const damaged = await terminal(422, 'STORAGE_ERROR');
    match(damaged.shown, /could not be searched: The bucket refuses[\s\S]*Erase these documents/);
    deepEqual([damaged.code, damaged.posts], [0, ['/preview', '']], damaged.shown);
    const wrong = await terminal(400, 'VALIDATION_ERROR');
    deepEqual([wrong.code, wrong.posts], [2, ['/preview']], wrong.shown);
  },
);
