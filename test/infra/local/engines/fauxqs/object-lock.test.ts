/** Object Lock of the embedded S3, through the official client, as AWS enforces it. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectRetentionCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, test } from 'vitest';
import { ownerOf, type Stops, startS3, stopAll } from '../../../../harness/store/store-stands.ts';

const stops: Stops = [];
const Bucket = 'vault';
let owner: S3Client;
let limited: S3Client;
beforeAll(async () => {
  const url = await startS3(stops);
  owner = ownerOf(url);
  limited = ownerOf(url, 'nobypass1');
  await owner.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
});
afterAll(() => stopAll(stops));

const day = (days: number): Date => new Date(Math.ceil(Date.now() / 1_000) * 1_000 + days * 24 * 3_600_000);
const named = (name: string) => (error: unknown) => error instanceof Error && error.name === name;
const put = async (Key: string, mode?: 'GOVERNANCE' | 'COMPLIANCE', until = day(1), Body = Key): Promise<string> => {
  const lock = mode ? { ObjectLockMode: mode, ObjectLockRetainUntilDate: until } : {};
  return (await owner.send(new PutObjectCommand({ Bucket, Key, Body, ...lock }))).VersionId ?? '';
};
const read = async (Key: string, VersionId?: string): Promise<string> =>
  (await owner.send(new GetObjectCommand({ Bucket, Key, VersionId }))).Body?.transformToString() ?? '';
const retain = (
  Key: string,
  {
    VersionId,
    mode,
    until,
    bypass = false,
  }: {
    readonly VersionId: string;
    readonly mode: 'GOVERNANCE' | 'COMPLIANCE';
    readonly until: Date;
    readonly bypass?: boolean | undefined;
  },
) =>
  owner.send(
    new PutObjectRetentionCommand({
      Bucket,
      Key,
      VersionId,
      Retention: { Mode: mode, RetainUntilDate: until },
      BypassGovernanceRetention: bypass,
    }),
  );

test('object lock: a bucket created with it is versioned, for good', async () => {
  equal((await owner.send(new GetBucketVersioningCommand({ Bucket }))).Status, 'Enabled');
  const { ObjectLockConfiguration } = await owner.send(new GetObjectLockConfigurationCommand({ Bucket }));
  equal(ObjectLockConfiguration?.ObjectLockEnabled, 'Enabled');
  const suspended = { Bucket, VersioningConfiguration: { Status: 'Suspended' } } as const;
  await rejects(owner.send(new PutBucketVersioningCommand(suspended)), named('InvalidBucketState'));
  const other = {
    Bucket: 'backups',
    Key: 'x',
    Body: 'x',
    ObjectLockMode: 'GOVERNANCE',
    ObjectLockRetainUntilDate: day(1),
  } as const;
  await rejects(owner.send(new PutObjectCommand(other)), named('InvalidRequest'));
});

test('object lock: a plain delete hides an object, its locked version stays', async () => {
  const version = await put('folder/hidden', 'COMPLIANCE');
  const { DeleteMarker, VersionId: marker } = await owner.send(new DeleteObjectCommand({ Bucket, Key: 'folder/hidden' }));
  equal(DeleteMarker, true);
  await rejects(read('folder/hidden'), named('NoSuchKey'));
  equal(await read('folder/hidden', version), 'folder/hidden');
  deepEqual((await owner.send(new ListObjectsV2Command({ Bucket, Prefix: 'folder/' }))).Contents ?? [], []);
  const { Versions, DeleteMarkers } = await owner.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'folder/' }));
  deepEqual([Versions?.map((one) => one.VersionId), DeleteMarkers?.map((one) => one.VersionId)], [[version], [marker]]);
  await owner.send(new DeleteObjectCommand({ Bucket, Key: 'folder/hidden', VersionId: marker }));
  equal(await read('folder/hidden'), 'folder/hidden');
});

test('object lock: an overwritten version stays, and is current again once the later one is deleted', async () => {
  const first = await put('twice', 'GOVERNANCE', day(1), 'first');
  const second = await put('twice', undefined, undefined, 'second');
  deepEqual([await read('twice'), await read('twice', first)], ['second', 'first']);
  await owner.send(new DeleteObjectCommand({ Bucket, Key: 'twice', VersionId: second }));
  equal(await read('twice'), 'first');
  deepEqual(
    (await owner.send(new ListObjectsV2Command({ Bucket, Prefix: '' }))).Contents?.some(({ Key }) => Key?.startsWith('~')),
    false,
  );
});

test('object lock: compliance yields to nobody, governance only to a caller who bypasses it and may', async () => {
  const compliance = await put('compliance', 'COMPLIANCE', day(2));
  const governance = await put('governance', 'GOVERNANCE', day(2));
  const remove = (
    client: S3Client,
    {
      Key,
      VersionId,
      BypassGovernanceRetention,
    }: { readonly Key: string; readonly VersionId: string; readonly BypassGovernanceRetention: boolean },
  ) => client.send(new DeleteObjectCommand({ Bucket, Key, VersionId, BypassGovernanceRetention }));
  for (const bypass of [false, true])
    await rejects(
      remove(owner, { Key: 'compliance', VersionId: compliance, BypassGovernanceRetention: bypass }),
      named('AccessDenied'),
    );
  await rejects(
    remove(owner, { Key: 'governance', VersionId: governance, BypassGovernanceRetention: false }),
    named('AccessDenied'),
  );
  await rejects(
    remove(limited, { Key: 'governance', VersionId: governance, BypassGovernanceRetention: true }),
    named('AccessDenied'),
  );
  const { Errors, Deleted } = await owner.send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'governance', VersionId: governance }] } }),
  );
  deepEqual([Errors?.map(({ Code }) => Code), Deleted ?? []], [['AccessDenied'], []]);
  await rejects(
    retain('compliance', { VersionId: compliance, mode: 'COMPLIANCE', until: day(1), bypass: true }),
    named('AccessDenied'),
  );
  await rejects(
    retain('compliance', { VersionId: compliance, mode: 'GOVERNANCE', until: day(3), bypass: true }),
    named('AccessDenied'),
  );
  await rejects(retain('governance', { VersionId: governance, mode: 'GOVERNANCE', until: day(1) }), named('AccessDenied'));
  await retain('compliance', { VersionId: compliance, mode: 'COMPLIANCE', until: day(3) });
  await retain('governance', { VersionId: governance, mode: 'GOVERNANCE', until: day(1), bypass: true });
  const lock = async (Key: string) =>
    (await owner.send(new GetObjectRetentionCommand({ Bucket, Key }))).Retention?.RetainUntilDate;
  equal((await lock('compliance'))?.toISOString().slice(0, 10), day(3).toISOString().slice(0, 10));
  equal((await owner.send(new HeadObjectCommand({ Bucket, Key: 'compliance' }))).ObjectLockMode, 'COMPLIANCE');
  await rejects(
    retain('governance', { VersionId: governance, mode: 'GOVERNANCE', until: new Date(0), bypass: true }),
    named('InvalidArgument'),
  );
  await remove(owner, { Key: 'governance', VersionId: governance, BypassGovernanceRetention: true });
  await rejects(read('governance'), named('NoSuchKey'));
});
