/** Exports through the API, and their files in the bucket. */
import { createHash } from 'node:crypto';
import type * as z from 'zod/mini';
import { exports as rows } from '../../../shared/contract/endpoints/exports.ts';
import type { Export, ExportPlan } from '../../../shared/contract/models/export.ts';
import { lookUntil } from '../time/look-until.ts';
import { objectAt, objectsIn } from './bucket.ts';
import { call, type Result } from './client.ts';
import type { TestOrganization } from './organization.ts';

export type ExportData = z.output<typeof Export>;
export type ExportPlanData = z.output<typeof ExportPlan>;

const expectStatus = <D>(result: Result<D>, status: number): D => {
  if (result.status !== status) throw new Error(`expected ${status}, got ${result.status}: ${result.text}`);
  return result.body.data;
};
const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });

export const startExport = async (organization: TestOrganization, body: object): Promise<ExportData> =>
  expectStatus(await call(rows.create, { ...by(organization), body }), 202) as ExportData;

export const planExport = async (organization: TestOrganization, body: object): Promise<ExportPlanData> =>
  expectStatus(await call(rows.create, { ...by(organization), body: { ...body, dryRun: true } }), 200) as ExportPlanData;

/** Waits until the export has ended, with any status. */
export const endOfExport = (organization: TestOrganization, id: string): Promise<ExportData> =>
  lookUntil(
    async () => expectStatus(await call(rows.get, { ...by(organization), params: { exportId: id } }), 200),
    ({ status }) => status !== 'pending' && status !== 'running',
  );

/** An export that must complete. */
export const exportAll = async (organization: TestOrganization, body: object): Promise<ExportData> => {
  const ended = await endOfExport(organization, (await startExport(organization, body)).id);
  if (ended.status !== 'completed')
    throw new Error(`the export ended with status ${ended.status}: ${JSON.stringify(ended.error)}`);
  return ended;
};

interface ExportManifest {
  readonly documents: number;
  readonly documentsErased: number;
  readonly files: readonly { name: string; collection: string | null; documents: number; bytes: number; sha256: string }[];
}

/** The files of a completed export by name; throws unless they are exactly those of its manifest. */
export const filesOf = async (
  bucket: string,
  { path, manifest }: ExportData,
): Promise<{ readonly manifest: ExportManifest; readonly files: Readonly<Record<string, Buffer>> }> => {
  const text = await objectAt(bucket, manifest?.path ?? '');
  if (sha256(text) !== manifest?.sha256) throw new Error('the manifest has another digest');
  const listed = JSON.parse(text.toString()) as ExportManifest;
  const files: Record<string, Buffer> = {};
  for (const name of Object.keys(await objectsIn(bucket, `${path}/`)))
    files[name.slice(path.length + 1)] = await objectAt(bucket, name);
  delete files['manifest.json'];
  const found = Object.entries(files).map(([name, bytes]) => `${name} ${bytes.length} ${sha256(bytes)}`);
  const expected = listed.files.map(({ name, bytes, sha256: digest }) => `${name} ${bytes} ${digest}`);
  if (found.sort().join() !== expected.sort().join()) throw new Error(`the bucket has ${found}, the manifest ${expected}`);
  return { manifest: listed, files };
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
