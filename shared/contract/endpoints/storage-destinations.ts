import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { BucketName, GoogleCredentials, Name, noBody } from '../fields.ts';
import { outsideShare } from '../limits.ts';
import { ObjectLock, StorageDestination, sseAlgorithms, storageFailureKinds } from '../models/storage-destination.ts';
import { storageTypes } from '../storage-types.ts';
import { WorkloadIdentity } from '../workload-identity.ts';

const Prefix = z.string().check(
  z.maxLength(200, 'must be at most 200 characters'),
  z.regex(
    /^([A-Za-z0-9!_.*'()-]+(\/[A-Za-z0-9!_.*'()-]+)*\/?)?$/,
    "must be segments of letters, digits and !_.*'()- separated by single slashes",
  ),
  z.refine((prefix) => !prefix.split('/').some((part) => part === '.' || part === '..'), 'must not have . or .. as a segment'),
  z.meta({ examples: ['backups'] }),
);
const Region = z
  .string()
  .check(z.regex(/^[a-z0-9-]{2,40}$/, 'must be a region such as eu-central-1'), z.meta({ examples: ['eu-central-1'] }));
const Endpoint = z.string().check(z.maxLength(255), z.meta({ examples: ['https://s3.example.com'] }));
const SseKmsKeyId = z
  .string()
  .check(
    z.maxLength(2_048, 'must be at most 2048 characters'),
    z.regex(
      /^(?:(?:arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/)?(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})|(?:arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:)?alias\/[\w/-]{1,250})$/,
      'must be a KMS key id, key ARN, alias name or alias ARN',
    ),
    z.meta({ examples: ['arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'] }),
  );

const AccessKey = z.strictObject({
  accessKeyId: z
    .string()
    .check(z.regex(/^[\x21-\x7e]{1,128}$/, 'must be an access key id'), z.meta({ examples: ['AKIAIOSFODNN7EXAMPLE'] })),
  secretAccessKey: z
    .string()
    .check(z.regex(/^[\x21-\x7e]{1,256}$/, 'must be a secret access key'), z.meta({ examples: ['***'] })),
});
const AssumedRole = z.strictObject({
  roleArn: z.string().check(z.regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, 'must be the ARN of a role')),
});
export const StorageCredentials = z.union(
  [AccessKey, AssumedRole, GoogleCredentials],
  'must be {accessKeyId, secretAccessKey}, {roleArn} or {clientEmail, privateKey}',
);
export const StorageTest = z.object({
  success: z.literal(true),
  checks: z.array(
    z.object({
      name: z.string(),
      ok: z.boolean(),
      error: z.optional(z.string()),
      kind: z.optional(z.enum(storageFailureKinds)),
    }),
  ),
  warnings: z.array(z.string()),
  duration: z.int(),
});

export const storageFields = {
  name: Name,
  bucket: BucketName,
  prefix: Prefix,
  region: z.nullable(Region),
  endpoint: z.nullable(Endpoint),
  credentials: StorageCredentials,
  workloadIdentity: WorkloadIdentity,
  immutable: z.boolean('must be true or false'),
  objectLock: z.nullable(ObjectLock),
  sse: z.nullable(z.enum(sseAlgorithms, 'must be AES256, aws:kms or null')),
  sseKmsKeyId: z.nullable(SseKmsKeyId),
};

export const accessMissing = 'is required, or workloadIdentity with type gcs';

/** A destination without access would be useless. The handler refuses two kinds of access. */
const namesAccess = (body: { readonly credentials?: unknown; readonly workloadIdentity?: unknown }): boolean =>
  body.credentials !== undefined || body.workloadIdentity !== undefined;

const read = { role: 'viewer', scope: 'storage:read', projects: 'unrelated' } as const;
const manage = { role: 'admin', scope: 'storage:write', projects: 'organization' } as const;
const probes = ['table:write', 'destination:probe'] as const;

export const storageDestinations = group('storageDestinations', `${apiPrefix}/storage-destinations`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Add a bucket. Writing, reading, listing and deleting are tested immediately',
    body: z
      .strictObject({
        ...z.partial(z.object(storageFields)).shape,
        name: storageFields.name,
        type: z.enum(storageTypes),
        bucket: storageFields.bucket,
        immutable: z._default(storageFields.immutable, false),
      })
      .check(
        z.refine(namesAccess, {
          path: ['credentials'],
          error: accessMissing,
          // Also if other fields have errors: the response names all of them.
          when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
        }),
      ),
    data: StorageDestination,
    status: 201,
    location: `${apiPrefix}/storage-destinations/{id}`,
    audit: 'storage.created',
    errors: ['STORAGE_ERROR'],
    idempotent: true,
    outboundShare: outsideShare,
    capabilities: [...probes, 'destination:seal'],
  },
  list: {
    route: 'GET',
    access: read,
    summary: 'List storage destinations, newest first',
    list: StorageDestination,
    capabilities: ['table:read'],
  },
  get: {
    route: 'GET /{storageId}',
    access: read,
    summary: 'Get a storage destination',
    data: StorageDestination,
    errors: ['STORAGE_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  update: {
    route: 'PATCH /{storageId}',
    access: manage,
    summary:
      'Update a destination; it is tested before it is saved. Bucket, prefix and type cannot change while it holds backups',
    body: z.strictObject(z.partial(z.object(storageFields)).shape),
    data: StorageDestination,
    audit: 'storage.updated',
    errors: ['STORAGE_NOT_FOUND', 'STORAGE_ERROR', 'CONFLICT'],
    outboundShare: outsideShare,
    capabilities: [...probes, 'destination:open', 'destination:seal'],
  },
  remove: {
    route: 'DELETE /{storageId}',
    access: manage,
    summary: 'Delete a destination that no backup, schedule or default uses',
    audit: 'storage.deleted',
    errors: ['STORAGE_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:write'],
  },
  test: {
    route: 'POST /{storageId}/test',
    access: manage,
    summary: 'Test a destination: write, read, ranged read, list and delete',
    ...noBody,
    data: StorageTest,
    audit: 'storage.tested',
    errors: ['STORAGE_NOT_FOUND', 'STORAGE_ERROR'],
    outboundShare: outsideShare,
    capabilities: [...probes, 'destination:open'],
  },
});
