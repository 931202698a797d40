/** The fixtures that earlier releases have left of themselves (infra/release/fixture). */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Stacks } from '../../../infra/local/cloudformation/read-template.ts';
import { askTable, withTable } from '../../../infra/release/fixture/fixture-table.ts';
import type { ReleaseHistory } from '../../../infra/release/fixture/make-history.ts';
import { fixtureFiles } from '../../../infra/release/fixture-files.ts';
import type { ComparedDocument } from '../../../infra/release/interface/breaking-changes.ts';
import type { MadeTemplate } from '../../../infra/release/template/make-template.ts';

const folder = fileURLToPath(new URL('../../fixture/release', import.meta.url));

export const releaseVersions = (): readonly string[] => readdirSync(folder).sort();

export const readHistory = (version: string): ReleaseHistory =>
  JSON.parse(readFileSync(join(folder, version, fixtureFiles.history), 'utf8')) as ReleaseHistory;

export const readTemplates = (version: string): Stacks =>
  JSON.parse(gunzipSync(readFileSync(join(folder, version, fixtureFiles.templates))).toString()) as Stacks;

/** The template that was released, with the plain names of the functions' files. */
export const readReleased = (version: string): MadeTemplate =>
  JSON.parse(gunzipSync(readFileSync(join(folder, version, fixtureFiles.released))).toString()) as MadeTemplate;

export const readOpenapi = (version: string): ComparedDocument =>
  JSON.parse(gunzipSync(readFileSync(join(folder, version, fixtureFiles.openapi))).toString()) as ComparedDocument;

/** The state of the release in an empty folder. `ttl` is moved by the age of the fixture: a stage on it is set back by as much. */
export const unpackFixture = async (version: string, dir: string, ageMs: number): Promise<void> => {
  const packed = gunzipSync(readFileSync(join(folder, version, fixtureFiles.stage)));
  let at = packed.indexOf('\n') + 1;
  for (const [path, size] of JSON.parse(packed.toString('utf8', 0, at)) as readonly [string, number][]) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), packed.subarray(at, at + size));
    at += size;
  }
  const { tableName: TableName } = readHistory(version);
  await withTable(dir, async (port) => {
    for (const { pk, sk, ttl } of await itemsIn(port, TableName)) {
      if (!ttl) continue;
      await askTable(port, 'UpdateItem', {
        TableName,
        Key: { pk, sk },
        UpdateExpression: 'SET #ttl = :ttl',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':ttl': { N: String(Number(ttl.N) + Math.ceil(ageMs / 1_000)) } },
      });
    }
  });
};

type StoredItem = Readonly<Record<string, { readonly S?: string; readonly N?: string }>>;

const itemsIn = async (port: number, TableName: string): Promise<readonly StoredItem[]> => {
  const items: StoredItem[] = [];
  let ExclusiveStartKey: unknown;
  do {
    const page = await askTable(port, 'Scan', { TableName, ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}) });
    items.push(...(page.Items as readonly StoredItem[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
};

/** The keys of all items of a release's table. */
export const fixtureKeys = async (version: string, dir: string): Promise<readonly { pk: string; sk: string }[]> =>
  withTable(dir, async (port) =>
    (await itemsIn(port, readHistory(version).tableName)).map(({ pk, sk }) => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' })),
  );
