import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';

const main = new URL('../../../../../infra/local/engines/firestore/main.ts', import.meta.url).pathname;
const parent = '/v1/projects/demo/databases/(default)/documents';

interface Started {
  readonly process: ChildProcess;
  readonly url: string;
  readonly output: string;
}

describe('npm run firestore', () => {
  let dir: string;
  const running = new Set<ChildProcess>();
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'firestore-'));
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await rm(dir, { recursive: true });
  });

  const start = (...args: string[]): Promise<Started> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [main, '--dir', dir, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      running.add(child);
      let output = '';
      const read = (chunk: Buffer) => {
        output += chunk;
        const url = /^ready (\S+)/m.exec(output)?.[1];
        if (url) resolve({ process: child, url, output });
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code) => {
        running.delete(child);
        reject(new Error(`ended with ${code}: ${output}`));
      });
    });
  const end = (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill(signal);
    });
  const count = async (url: string): Promise<string> => {
    const body = {
      structuredAggregationQuery: {
        structuredQuery: { from: [{ allDescendants: true }] },
        aggregations: [{ alias: 'n', count: {} }],
      },
    };
    const answer = await fetch(`${url}${parent}:runAggregationQuery`, { method: 'POST', body: JSON.stringify(body) });
    const [first] = (await answer.json()) as { result: { aggregateFields: { n: { integerValue: string } } } }[];
    return first!.result.aggregateFields.n.integerValue;
  };

  it('seeds documents, survives kill -9, and stops on a signal', async () => {
    const first = await start('--port', '0', '--seed', '300');
    assert.match(first.output, /seeded 300 documents/);
    assert.equal(await count(first.url), '300');
    await fetch(`${first.url}${parent}/extra/x`, { method: 'PATCH', body: '{"fields":{}}' });
    await end(first.process, 'SIGKILL');
    const second = await start('--port', '0');
    assert.equal(await count(second.url), '301');
    assert.equal(await end(second.process, 'SIGTERM'), 0);
    const third = await start('--port', '0', '--memory');
    assert.equal(await count(third.url), '0');
    assert.equal(await end(third.process, 'SIGINT'), 0);
  });

  it('reports a port in use', async () => {
    const first = await start('--port', '0', '--memory');
    const port = new URL(first.url).port;
    await assert.rejects(start('--port', port, '--memory'), new RegExp(`ended with 1: port ${port} is in use`));
    await assert.rejects(start('--port', 'http'), /ended with 2: --port must be a whole number/);
    await end(first.process, 'SIGTERM');
  });

  it('refuses an address that is not loopback, and an invalid file of indexes, in one line', async () => {
    await assert.rejects(start('--port', '0', '--memory', '--host', '0.0.0.0'), {
      message: 'ended with 1: host 0.0.0.0: must be a loopback address\n',
    });
    const file = join(dir, 'firestore.indexes.json');
    await writeFile(file, '{ "indexes": [{}] }');
    await assert.rejects(
      start('--port', '0', '--memory', '--indexes', file),
      /^Error: ended with 1: invalid index definitions: [^\n]+\n$/,
    );
  });

  it('enforces the indexes of a file', async () => {
    const file = join(dir, 'firestore.indexes.json');
    await writeFile(file, '{ "indexes": [] }');
    const { process: child, url } = await start('--port', '0', '--memory', '--indexes', file);
    const orderBy = ['a', 'b'].map((fieldPath) => ({ field: { fieldPath } }));
    const body = JSON.stringify({ structuredQuery: { from: [{ collectionId: 'c' }], orderBy } });
    const answer = await fetch(`${url}${parent}:runQuery`, { method: 'POST', body });
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /"status": "FAILED_PRECONDITION"/);
    await end(child, 'SIGTERM');
  });
});
